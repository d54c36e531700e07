"""The analytic solution once more, in NumPy: for the tests. README.md of the model has the formulas."""

import netCDF4
import numpy as np

RADIUS, DAY = 6.371229e6, 86400.0


def rates(is_ocean):
    """Overturning, rotation, jet, and where the tracer begins."""
    periods = (730, 1460, 730) if is_ocean else (10, 40, 15)
    return *(2 * np.pi / (days * DAY) for days in periods), -1 if is_ocean else 1


def tracer(longitude, latitude, s, time, is_ocean=False):
    overturning, rotation, jet, source = rates(is_ocean)
    mu = np.sin(np.radians(latitude))
    m = 2 * np.abs(mu) - 1
    inside = np.clip(1 - m**2 - s**2, 0, None) ** 2
    turned = (m + 1j * s) * np.exp(-1j * overturning * inside * time)
    mu0, s0 = (1 + turned.real) / 2, turned.imag
    lambda0 = np.radians(longitude) - (rotation + jet * inside) * time
    return np.exp(-(((s0 - source) / 0.7) ** 2)) * (1 + 0.8 * (1 - mu0**2) ** 1.5 * np.cos(3 * lambda0))


def surface_pressure(longitude, latitude, time):
    phi, lam = np.radians(latitude), np.radians(longitude)

    def mountain(at, mu):
        nearness = np.sin(phi) * mu + np.cos(phi) * np.sqrt(1 - mu**2) * np.cos(lam - at)
        return np.exp((nearness - 1) / 0.03)

    height = 4000 * mountain(1.5, 0.55) + 2500 * mountain(4.4, 0.65)
    wave = 1000 * np.cos(phi) ** 3 * np.cos(3 * (lam - 2 * np.pi * time / (6 * DAY)))
    return 101325 * np.exp(-height / 8000) + wave


def air(longitude, latitude, levels, time):
    """Pressure, temperature and tracer by point and level."""
    longitude, latitude = longitude[:, None], latitude[:, None]
    eta = (np.arange(levels) + 0.5) / levels
    ps = surface_pressure(longitude, latitude, time)
    p = 101325 * (eta - eta**2) + eta**2 * ps
    mu, cosine = np.sin(np.radians(latitude)), np.cos(np.radians(latitude))
    relative = p / 101325
    t = np.maximum(200, (315 - 60 * mu**2 - 10 * np.log(relative) * cosine**2) * relative ** (2 / 7))
    t = t + 12 * mu * np.sin(2 * np.pi * time / (365 * DAY))
    t = t + 5 * (p / ps) ** 6 * cosine * np.cos(np.radians(longitude) + 2 * np.pi * time / DAY)
    return p, t, tracer(longitude, latitude, 2 * eta - 1, time)


def interpolated(values, p, levels, scale=np.array):
    return np.array([np.interp(scale(levels), scale(column), row, np.nan, np.nan)
                     for row, column in zip(values, p, strict=True)])


def mean(values, area):
    """By level, without what is missing."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        return (np.where(known, values, 0) * area[:, None]).sum(axis=0) / (known * area[:, None]).sum(axis=0)


def time_after(step, dt=3600.0):
    return dt * (step - 0.25 * (step % 2))


def gaussian_grid(size):
    """Longitude, latitude and area of all points."""
    mu, weights = np.polynomial.legendre.leggauss(2 * size)
    longitude, latitude, area = [], [], []
    for row, (sine, weight) in enumerate(zip(mu[::-1], weights[::-1], strict=True)):
        count = 20 + 4 * min(row, 2 * size - 1 - row)
        longitude.append(360 * np.arange(count) / count)
        latitude.append(np.full(count, np.degrees(np.arcsin(sine))))
        area.append(np.full(count, 2 * np.pi * RADIUS**2 * weight / count))
    return tuple(map(np.concatenate, (longitude, latitude, area)))


def weighted(values, path):
    """Values on the target grid by the weights of a file; those of missing points fall to the others."""
    with netCDF4.Dataset(path) as file:
        source, target = (file[f"{side}_address"][:].data - 1 for side in ("src", "dst"))
        weight, shape = file["remap_matrix"][:, 0].data, file["dst_grid_dims"][::-1].data

    def sums(parts):
        return np.bincount(target, parts, shape.prod())

    known = np.isfinite(values)
    present = np.array([sums(weight * row[source]) for row in known])
    total = np.array([sums(weight * row[source]) for row in np.where(known, values, 0)])
    with np.errstate(invalid="ignore"):
        return (total / present * sums(weight)).reshape(-1, *shape)


def sea_surface(longitude, latitude, depth, time):
    """The given temperature of the sea, degC."""
    mu, cosine = np.sin(np.radians(latitude)), np.cos(np.radians(latitude))
    season = np.sin(2 * np.pi * time / (365 * DAY))
    return (1 + (26 * cosine**2 - 2) * np.exp(-depth / 700)
            + 3 * cosine**4 * np.cos(np.radians(longitude) - 2.6) * np.exp(-depth / 200)
            + 5 * mu * cosine * season * np.exp(-depth / 60))


def gaussian_points_at(size, latitude, longitude):
    """The points in whose cells places lie: rows are as wide as their Gaussian weights, from the north on."""
    weights = np.polynomial.legendre.leggauss(2 * size)[1][::-1]
    borders = 1 - np.cumsum(weights)[:-1]
    row = np.searchsorted(-borders, -np.sin(np.radians(latitude)), side="right")
    counts = 20 + 4 * np.minimum(np.arange(2 * size), np.arange(2 * size)[::-1])
    first = np.concatenate([[0], np.cumsum(counts)])[row]
    return first + np.floor(longitude * counts[row] / 360 + 0.5).astype(int) % counts[row]

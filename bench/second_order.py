#!/usr/bin/env python3
"""Shows how accurate CDO's weights of second order are, and what the gradients that they ask for would give.

`cdo gencon2` writes three numbers for each link: for the value, and for its gradients to the north and to
the east, per radian. `cdo remap` multiplies the second and the third with differences between neighbours
along the first and the second dimension, per index. All of this is CDO and NumPy; nothing of Pileus runs.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import netCDF4
import numpy as np
from figures import CANNOT, Figures, read_settings


def cdo(folder, *arguments):
    """Runs CDO in the folder, in double precision."""
    subprocess.run(["cdo", "-O", "-s", "-f", "nc4", "-b", "F64", *arguments], cwd=folder, check=True)


def smooth(latitude, longitude):
    """A field of long waves, which is smooth at the poles too."""
    x, y = np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude)
    return 2 + x * y + 0.5 * x * np.sin(latitude) + 0.3 * np.sin(latitude)


def zonal(latitude, longitude):
    """A field that is the same at all longitudes."""
    return np.sin(latitude) + 0 * longitude


def set_values(path, values):
    """Writes them as the field of the file."""
    with netCDF4.Dataset(path, "a") as file:
        file["const"][:] = values.reshape(file["const"].shape)


def values_of(path):
    """The field of the file."""
    with netCDF4.Dataset(path) as file:
        return file["const"][:].data.squeeze()


def differences(values):
    """What CDO takes as gradients: half the difference of neighbours along each dimension, x before y."""
    along_x = (np.roll(values, -1, 1) - np.roll(values, 1, 1)) / 2
    along_y = np.gradient(values, axis=0)  # at the first and last row the whole difference
    return along_x, along_y


def gradients(values, latitude, longitude):
    """To the north and to the east, per radian, on a grid of latitudes and longitudes without the poles."""
    step = longitude[0, 1] - longitude[0, 0]
    along_x = differences(values)[0] / (step * np.cos(latitude))
    return np.gradient(values, latitude[:, 0], axis=0), along_x


class Links:
    """A file of weights: links, and places and areas of both grids."""

    def __init__(self, path):
        with netCDF4.Dataset(path) as file:
            self.all = {name: file[name][:].data for name in file.variables}
        self.columns, self.rows = self.all["src_grid_dims"]
        self.source = self.all["src_address"] - 1
        self.target = self.all["dst_address"] - 1
        self.numbers = self.all["remap_matrix"]

    def places(self, side):
        """Latitude and longitude in radians: those of "src" as rows and columns, those of "dst" as a list."""
        both = [self.all[f"{side}_grid_center_{angle}"] for angle in ("lat", "lon")]
        return [place.reshape(self.rows, self.columns) if side == "src" else place for place in both]

    def applied(self, *parts):
        """The sum over links, each part times its number."""
        sums = 0
        for number, part in enumerate(parts):
            products = self.numbers[:, number] * part.ravel()[self.source]
            sums = sums + np.bincount(self.target, products, self.all["dst_grid_area"].size)
        return sums


def regridded(folder, values, target):
    """What CDO makes of them with its weights of second order."""
    set_values(folder / "field.nc", values)
    cdo(folder, f"remap,{target},weights.nc", "field.nc", "made.nc")
    return values_of(folder / "made.nc").ravel()


def measure(figures, folder, source, target):
    """Adds the errors for one pair of grids, at the centres of the target's cells."""
    cdo(folder, f"const,1,{source}", "field.nc")
    cdo(folder, f"gencon2,{target}", "field.nc", "weights.nc")
    links = Links(folder / "weights.nc")
    values, expected = smooth(*links.places("src")), smooth(*links.places("dst"))
    made = {"first order": links.applied(values),
            "cdo remap, second order": regridded(folder, values, target),
            "gradients per radian": links.applied(values, *gradients(values, *links.places("src")))}
    by_differences = links.applied(values, *differences(values))
    np.testing.assert_allclose(made["cdo remap, second order"], by_differences, rtol=0, atol=1e-13)
    area = links.all["dst_grid_area"]
    for name, result in made.items():
        error = np.sqrt(np.average((result - expected) ** 2, weights=area))
        figures.add(f"{source} to {target}: rms error, {name}", "1", [error])


def measure_symmetry(figures, folder, source, target):
    """Adds what happens to a field that has no longitude, and to one that is stored from north to south."""
    cdo(folder, f"const,1,{source}", "field.nc")
    cdo(folder, f"gencon2,{target}", "field.nc", "weights.nc")
    set_values(folder / "field.nc", zonal(*Links(folder / "weights.nc").places("src")))
    for operator in ("remapcon", "remapcon2"):
        cdo(folder, f"{operator},{target}", "field.nc", "made.nc")
        cdo(folder, f"{operator},{target}", "-invertlat", "field.nc", "turned.nc")
        made, turned = values_of(folder / "made.nc"), values_of(folder / "turned.nc")
        figures.add(f"sin(lat), {source} to {target}: largest change along longitude, {operator}", "1",
                    [np.ptp(made, axis=1).max()])
        figures.add(f"sin(lat), {source} to {target}: from north to south, {operator}", "1",
                    [np.abs(made - turned).max()])


def check_cdo():
    """Ends the program if CDO is not there, or has the operator no longer, as since 2.3."""
    if shutil.which("cdo"):
        known = subprocess.run(["cdo", "--operators"], capture_output=True, text=True).stdout
        if "\ngencon2 " in known:
            return
    print("it needs a CDO with gencon2, such as 2.1.1", file=sys.stderr)
    sys.exit(CANNOT)


def main():
    """Measures pairs of grids and reports."""
    settings = read_settings(__doc__)
    check_cdo()
    pairs = [("r36x18", "r50x25"), ("r90x46", "r144x72"), ("n32", "r256x128"), ("r180x90", "r360x180")]
    figures = Figures("second_order", settings)
    with tempfile.TemporaryDirectory() as folder:
        for source, target in pairs[:1] if settings.quick else pairs:
            measure(figures, Path(folder), source, target)
        measure_symmetry(figures, Path(folder), *pairs[0])
    figures.report()


if __name__ == "__main__":
    main()

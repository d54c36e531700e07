"""Spectra and co-spectra along lines and over planes, whatever the layout."""

import random

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, run

MODEL = BIN / "pileus_spectra_model"
STEPS, DX, DY = 4, 50.0, 75.0
FILL = netCDF4.default_fillvals["f8"]
SIZE = (13, 12, 5)
EXPRESSIONS = {
    "along_x": "spectrum[x](w)",
    "along_y": "spectrum[y](w, detrend=linear, window=hann)",
    "along_z": "spectrum[z](w, spacing=10, detrend=none)",
    "rings": "spectrum[y,x](w)",
    "rings_hann": "spectrum[x,y](w, window=hann, detrend=linear)",
    "rings_raw": "spectrum[y,x](u, detrend=none, spacing=[75, 50])",
    "upright": "spectrum[z,x](w, spacing=[10, 50])",
    "holes_x": "spectrum[x](t)",
    "holes_rings": "spectrum[y,x](t)",
    "map_x": "spectrum[x](map)",
    "map_rings": "spectrum[y,x](map)",
    "line_x": "spectrum[x](line)",
    "co_x": "cospectrum[x](u, w)",
    "co_y_holes": "cospectrum[y](t, w, window=hann)",
    "co_rings": "cospectrum[y,x](u, w, window=hann)",
    "co_mean": "cospectrum[y,x](map, mean[z](w))",
    "co_line": "cospectrum[x](mean[z,y](u), line)",
    "mean_x": "mean[y](spectrum[x](w))",
    "mean_holes": "mean[y](spectrum[x](t))",
    "lines_x": "count[y](spectrum[x](t))",
    "of_mean": "spectrum[x](mean[y](w))",
    "alike_x": "autocorrelation[x](w)",
    "alike_y": "autocorrelation[y](w, lags={last}, border=periodic)",
    "alike_line": "autocorrelation[x](line)",
    "steps_x": "structure_function[x](w)",
    "steps_y": "structure_function[y](w, order=3, border=periodic)",
    "steps_holes": "structure_function[x](t, lags=0)",
    "of_square": "spectrum[y,x](w * w - 2)",
}
AVERAGED = ["along_x", "rings", "holes_x", "co_rings", "mean_x"]
FIELDS = ["t", "u", "w", "map", "line"]
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="x,y,z" collective="true" missing_value="-999.9"/>
    <field name="u" size="x,y,z" collective="true"/>
    <field name="w" size="x,y,z" collective="true"/>
    <field name="map" size="x,y" collective="true"/>
    <field name="line" size="x" collective="true"/>
  </data-definition>
  <data-handling>
{diagnostics}
  </data-handling>
  <data-writing>
    <file name="spectra.nc" write_time_frequency="8">
{includes}
    </file>
  </data-writing>
</io-configuration>
"""


def start(directory, size, ranks, servers, cuts, *arguments, expressions=EXPRESSIONS):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(exist_ok=True)
    texts = {name: text.format(last=size[1] - 1) for name, text in expressions.items()}
    diagnostics = "\n".join(f'    <diagnostic field="{name}" expression="{texts[name]}"/>' for name in texts)
    includes = "\n".join(
        f'      <include field="{name}" time_manipulation="none"/>' for name in [*FIELDS, *expressions]
    )
    includes += "".join(
        f'\n      <include field="{name}" time_manipulation="averaged" output_frequency="4" '
        f'name="{name}_average"/>'
        for name in AVERAGED
        if name in expressions
    )
    text = CONFIGURATION.replace("{diagnostics}", diagnostics).replace("{includes}", includes)
    (directory / "run.xml").write_text(text)
    model = (ranks, [MODEL, "run.xml", *size, cuts, *arguments])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = ["env", "-C", directory, *mpi_command(model, *server)]
    return run(command, f"{size}, {ranks} ranks, {servers} servers, cuts {cuts} {arguments}")


def published(directory, *layout):
    """The file of a run."""
    done = start(directory, *layout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    (file,) = directory.glob("*.nc")
    return file


def read(path):
    """All variables in double precision, with the dimensions (time, z, y, x); NaN is missing."""
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        values = {name: np.asarray(file[name][:], np.float64) for name in file.variables}
    for name in values:
        values[name] = np.where(values[name] == FILL, np.nan, values[name])
    return values


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", SIZE, 1, 1, 1)


def detrended(values, axes, how):
    """Values less their mean, or less the line or plane of least squares, along the last axes."""
    shape = [values.shape[axis] for axis in axes]
    flat = np.moveaxis(values, axes, range(-len(axes), 0)).reshape(-1, int(np.prod(shape)))
    columns = [np.ones(flat.shape[1])]
    if how == "linear":
        columns += [place.ravel() for place in np.meshgrid(*map(np.arange, shape), indexing="ij")]
    if how != "none":
        matrix = np.array(columns).T
        flat = flat - (matrix @ np.linalg.lstsq(matrix, flat.T, rcond=None)[0]).T
    others = [n for axis, n in enumerate(values.shape) if axis not in axes]
    return flat.reshape(*others, *shape)


def hann(n):
    return np.array([1.0]) if n == 1 else 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)


def transformed(values, axes, window="none", detrend="mean"):
    """What is transformed, with its axes last, and all of its modes."""
    last = tuple(range(-len(axes), 0))
    made = detrended(values, axes, detrend)
    for axis in last if window == "hann" else ():
        weights = hann(made.shape[axis])
        made = made * (weights / np.sqrt((weights**2).mean())).reshape(-1, *[1] * (-axis - 1))
    return made, np.fft.fftn(made, axes=last)


def along(values, axis, spacing, other=None, **how):
    """The density by wavenumber, last, from one or two values."""
    n = values.shape[axis]
    _, modes = transformed(values, [axis], **how)
    with_modes = modes if other is None else transformed(other, [axis], **how)[1]
    power = (modes * with_modes.conj()).real[..., : n // 2 + 1] * spacing / n
    power[..., 1 : (n + 1) // 2] *= 2
    return power


def by_ring(values, axes, spacings, other=None, **how):
    shape = [values.shape[axis] for axis in axes]
    _, modes = transformed(values, axes, **how)
    with_modes = modes if other is None else transformed(other, axes, **how)[1]
    steps = [1 / (n * d) for n, d in zip(shape, spacings, strict=True)]
    width = max([step for step, n in zip(steps, shape, strict=True) if n > 1], default=steps[0])
    places = np.meshgrid(*[np.fft.fftfreq(n, d) for n, d in zip(shape, spacings, strict=True)], indexing="ij")
    ring = np.floor(np.sqrt(places[0] ** 2 + places[1] ** 2) / width + 0.5).astype(int)
    power = (modes * with_modes.conj()).real / np.prod(shape) ** 2 / width
    return np.stack([power[..., ring == one].sum(-1) for one in range(ring.max() + 1)], -1), width


def near(found, expected):
    """Equal but for rounding, of numbers as large as the largest; fields are of some tens."""
    assert found.shape == expected.shape
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    largest = np.nanmax(abs(expected), initial=1, where=~np.isnan(expected))
    assert np.nanmax(abs(found - expected), initial=0) < 1e-12 * largest


def check_against_numpy(numbers):
    t, u, w = numbers["t"], numbers["u"], numbers["w"]
    linear_hann = {"window": "hann", "detrend": "linear"}

    near(numbers["along_x"], along(w, 3, DX))
    near(np.moveaxis(numbers["along_y"], 2, -1), along(w, 2, DY, **linear_hann))
    near(np.moveaxis(numbers["along_z"], 1, -1), along(w, 1, 10, detrend="none"))
    near(numbers["rings"], by_ring(w, [2, 3], [DY, DX])[0])
    near(numbers["rings_hann"], by_ring(w, [2, 3], [DY, DX], **linear_hann)[0])
    near(numbers["rings_raw"], by_ring(u, [2, 3], [DY, DX], detrend="none")[0])
    near(numbers["upright"], by_ring(w, [1, 3], [10, 50])[0])
    near(numbers["map_x"], along(numbers["map"], 2, DX))
    near(numbers["map_rings"], by_ring(numbers["map"], [1, 2], [DY, DX])[0])
    near(numbers["line_x"], along(numbers["line"], 1, DX))
    near(numbers["co_x"], along(u, 3, DX, w))
    near(numbers["co_rings"], by_ring(u, [2, 3], [DY, DX], w, window="hann")[0])
    near(numbers["co_mean"], by_ring(numbers["map"], [1, 2], [DY, DX], w.mean(1))[0])
    near(numbers["co_line"], along(u.mean((1, 2)), 1, DX, numbers["line"]))
    near(numbers["of_mean"], along(w.mean(2), 2, DX))
    near(numbers["of_square"], by_ring(w * w - 2, [2, 3], [DY, DX])[0])
    near(numbers["mean_x"], along(w, 3, DX).mean(2))
    check_holes(numbers, t, w)
    check_pairs(numbers, t, w)


def check_holes(numbers, t, w):
    lines = np.isnan(t).any(3)
    whole = np.where(np.isnan(t), 0, t)
    expected = np.where(lines[..., None], np.nan, along(whole, 3, DX))
    near(numbers["holes_x"], expected)
    rings, _ = by_ring(whole, [2, 3], [DY, DX])
    near(numbers["holes_rings"], np.where(lines.any(2)[..., None], np.nan, rings))
    columns = np.isnan(t).any(2)
    co = np.where(columns[..., None], np.nan, along(whole, 2, DY, w, window="hann"))
    near(np.moveaxis(numbers["co_y_holes"], 2, -1), co)
    assert np.array_equal(numbers["lines_x"][..., 0], (~lines).sum(2))
    with np.errstate(invalid="ignore"):
        near(numbers["mean_holes"], np.nansum(expected, 2) / (~lines).sum(2)[..., None])


def correlated(values, last, is_periodic):
    """The autocorrelation of the last axis, by its definition."""
    n = values.shape[-1]
    made = values - values.mean(-1, keepdims=True)
    sums = []
    for lag in range(last + 1):
        products = made * np.roll(made, -lag, -1)
        sums.append((products if is_periodic else products[..., : n - lag]).sum(-1))
    return np.stack(sums, -1) / sums[0][..., None]


def differences(values, last, order, is_periodic=False):
    """Mean powers of the differences along the last axis, by their definition."""
    n, means = values.shape[-1], []
    for lag in range(last + 1):
        powers = (np.roll(values, -lag, -1) - values) ** order
        means.append((powers if is_periodic else powers[..., : n - lag]).mean(-1))
    return np.stack(means, -1)


def check_pairs(numbers, t, w):
    nx, ny = w.shape[3], w.shape[2]
    across = np.moveaxis(w, 2, -1)
    if min(nx, ny) > 1:
        near(numbers["alike_x"], correlated(w, nx // 2, False))
        near(np.moveaxis(numbers["alike_y"], 2, -1), correlated(across, ny - 1, True))
        near(numbers["alike_line"], correlated(numbers["line"], nx // 2, False))
    near(numbers["steps_x"], differences(w, nx // 2, 2))
    near(np.moveaxis(numbers["steps_y"], 2, -1), differences(across, ny // 2, 3, True))
    near(numbers["steps_holes"], differences(t, 0, 2) * np.where(np.isnan(t).any(3), np.nan, 1)[..., None])


def test_spectra_are_those_of_numpy(by_one):
    numbers = read(by_one)

    check_against_numpy(numbers)
    assert np.isnan(numbers["holes_x"]).any() and not np.isnan(numbers["holes_x"]).all()
    assert np.isnan(numbers["holes_rings"]).any() and not np.isnan(numbers["holes_rings"]).all()


def test_the_sum_over_wavenumbers_is_the_variance(by_one):
    numbers = read(by_one)
    u, w = numbers["u"], numbers["w"]
    step_x, step_y = 1 / (SIZE[0] * DX), 1 / (SIZE[1] * DY)

    assert np.allclose(numbers["along_x"].sum(-1) * step_x, w.var(3), rtol=1e-13, atol=0)
    ring = max(step_x, step_y)
    assert np.allclose(numbers["rings"].sum(-1) * ring, w.var((2, 3)), rtol=1e-13, atol=0)
    assert np.allclose(numbers["rings_raw"].sum(-1) * ring, (u * u).mean((2, 3)), rtol=1e-13, atol=0)
    joint = (u * w).mean(3) - u.mean(3) * w.mean(3)
    assert np.allclose(numbers["co_x"].sum(-1) * step_x, joint, rtol=1e-12, atol=1e-13 * (w * w).max())


def test_wavenumbers_are_dimensions_with_coordinates(by_one):
    with netCDF4.Dataset(by_one) as file:
        assert file["along_x"].dimensions[1:] == ("z", "y", "x_wavenumber")
        assert file["along_y"].dimensions[1:] == ("z", "y_wavenumber", "x")
        assert file["rings"].dimensions[1:] == ("z", "y_x_wavenumber")
        assert np.array_equal(file["x_wavenumber"][:], np.fft.rfftfreq(SIZE[0], DX))
        width = max(1 / (SIZE[0] * DX), 1 / (SIZE[1] * DY))
        assert np.allclose(np.diff(file["y_x_wavenumber"][:]), width, rtol=1e-12, atol=0)
        assert file["x_wavenumber"].long_name == "wavenumber along x"
        assert file["y_x_wavenumber"].long_name == "wavenumber in the plane of x and y"
        assert file["x_wavenumber"].units == file["y_x_wavenumber"].units == "m-1"


def test_averages_are_of_what_is_there(by_one):
    numbers = read(by_one)
    for name in AVERAGED:
        samples = numbers[name].reshape(2, 2, *numbers[name].shape[1:])
        there = ~np.isnan(samples)
        with np.errstate(invalid="ignore"):
            means = np.where(there, samples, 0).sum(1) / there.sum(1)
        near(numbers[f"{name}_average"], means)


LAYOUTS = [(2, 1, 1), (2, 1, 2), (4, 2, 2), (6, 3, 3), (5, 3, 5), (6, 2, 6), (4, 0, 2), (3, 2, -1), (1, 1, 0)]
LAYOUTS += [(4, 3, 0), (3, 0, 0), (5, 0, -1)]


@pytest.mark.parametrize("ranks, servers, cuts", LAYOUTS)
def test_every_layout_gives_the_same_bytes(ranks, servers, cuts, by_one, tmp_path):
    assert published(tmp_path / "run", SIZE, ranks, servers, cuts).read_bytes() == by_one.read_bytes()


@pytest.mark.parametrize("servers", [0, 2])
def test_a_killed_run_goes_on_in_another_layout(servers, by_one, tmp_path):
    killed = start(tmp_path / "run", SIZE, 4, servers, 2, 3, "die")
    assert killed.returncode != 0
    assert published(tmp_path / "run", SIZE, 6, servers, 3, 3, "continue").read_bytes() == by_one.read_bytes()


SIZES = [(1, 7, 3), (2, 1, 1), (1, 1, 1), (16, 8, 4), (31, 37, 2), (30, 2, 3), (127, 3, 1)]


@pytest.mark.parametrize("size", SIZES)
def test_sizes_of_all_kinds(size, tmp_path):
    generator = random.Random(str(size))
    by_one = published(tmp_path / "one", size, 1, 1, 1)
    ranks = generator.randint(2, 6)
    layout = (ranks, generator.randint(0, 3), generator.choice([1, ranks, 0, -1]))

    assert published(tmp_path / "several", size, *layout).read_bytes() == by_one.read_bytes(), layout
    check_against_numpy(read(by_one))


REFUSED = {
    "spectrum[z](w)": '"z" is not evenly spaced: 10 stands where 40 would',
    "spectrum[z,x](w, spacing=[1, 2, 3])": "there is one for all dimensions, or one for each of them",
    "autocorrelation[x](w, lags=13)": "of 13 elements none is 13 behind another",
    "cospectrum[x](w, map)": '"w" and "map" need the same dimensions, in the same order',
}


@pytest.mark.parametrize("expression", REFUSED)
def test_what_cannot_be_is_refused_before_the_first_step(expression, tmp_path):
    done = start(tmp_path / "run", SIZE, 2, 1, 2, expressions={"wrong": expression})

    assert done.returncode != 0
    assert REFUSED[expression] in done.stderr, done.stderr

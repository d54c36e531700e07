"""Coarser levels of stores of Zarr: means over blocks of the finest, in groups of their own."""

import json
import math
import shutil
import warnings

import netCDF4
import numpy as np
import pytest
import test_grids as grids
import xarray
import zarr
from oracle.configured import file, group, handling, include, write, writing
from oracle.kills import kill_when
from oracle.launch import BIN, Layout, environment, model_command, pileus, require_programs, run
from test_zarr import PIPELINES, STEPS, published, wrong_in

SIZE = "5,21,18"  # z, y, x: y has a row more than pairs in each level
LEVELS = 4
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
FIELDS = (
    '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
    '<field name="path" size="y,x" collective="true"/>'
    '<field name="ice" data_type="float" size="y,x" collective="true" missing_value="-999.9"/>'
    '<field name="cells" data_type="integer" size="y,x" collective="true"/>'
    '<field name="number" data_type="integer"/>'
)
DIAGNOSTICS = handling('<diagnostic field="profile" expression="mean[y,x](w)"/>')
INSIDE = (
    include("w", "ice", "cells", "number", "profile")
    + include("w", manipulation="averaged", every=7, more='name="w_mean"')
    + include("path", manipulation="maximum", every=7, more='name="path_most"')
)
HOW = {
    "plain": "",
    "few": 'writers="2"',
    "zstd": 'zstd="3"',
    "bits": 'blosc="1" shuffle="bits"',
    "rounded": 'error="relative 1e-3" precision="float" zstd="1"',
    "steps": 'error="absolute 0.01" blosc="1"',
    "audited": 'significant_bits="9" zstd="1" audit="true"',
    "volume": 'level_dimensions="z,y,x" order="time,x,z,y"',
}
COARSENED = {"w", "ice", "w_mean", "path_most"}


def configured(directory, period=1000):
    files = [
        file(f"{how}.zarr", INSIDE, period, f'levels="{LEVELS}" {more}') for how, more in HOW.items()
    ]
    return write(directory, group(FIELDS), DIAGNOSTICS, writing(*files))


def run_in(layout, configuration, directory, *options, size=SIZE, steps=STEPS):
    directory.mkdir(exist_ok=True)
    words = model_command(layout, configuration, directory, "--size", size, "--steps", steps, *options)
    done = run(words, str(layout))
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("levels")
    run_in(ALONE, configured(directory, 15), directory / "out")
    return directory / "out"


def mean_of(block, fill):
    numbers = [float(x) for x in block.flat if x != fill and not np.isnan(x)]
    return math.fsum(numbers) / len(numbers) if numbers else fill


def means(values, lengths, fill):
    """Means over blocks of the last dimensions, whose sums are exact."""
    lengths = [1] * (values.ndim - len(lengths)) + list(lengths)
    shape = [-(-n // length) for n, length in zip(values.shape, lengths, strict=True)]
    out = np.empty(shape)
    for at in np.ndindex(*shape):
        places = tuple(slice(i * n, (i + 1) * n) for i, n in zip(at, lengths, strict=True))
        out[at] = mean_of(values[places], fill)
    return out


def rounded(values, how, fill):
    """As the finest level is rounded; to multiples of a power of two below twice the error."""
    there = np.where(values == fill, 0, values)
    if how == "steps":
        multiples = np.rint(there * 2.0**6) * 2.0**-6 + 0.0
        return np.where((values == fill) | (np.abs(there) > 2.0**46), values, multiples)
    if how not in ("rounded", "audited"):
        return values
    bits = 9
    mantissas, exponents = np.frexp(there)
    nearest = np.ldexp(np.rint(np.ldexp(mantissas, bits + 1)), exponents - bits - 1)
    return np.where(values == fill, values, nearest)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_levels_are_the_means_of_what_the_first_has(how, pipeline, series):
    store = sorted(series.glob(f"{how}_*.zarr"))[0]
    with zarr.config.set({"codec_pipeline.path": pipeline}), warnings.catch_warnings():
        warnings.simplefilter("error")
        opened = zarr.open_group(store, mode="r")
        finest = {name: array[...] for name, array in opened["0"].arrays()}
        for level in range(1, LEVELS):
            found = {name: array for name, array in opened[str(level)].arrays()}
            coarse = {name for name in found if not name.startswith(("time", "z", "quantization"))}
            assert coarse == COARSENED | ({"profile"} if how == "volume" else set())
            for name in sorted(coarse):
                array = found[name]
                fill = array.dtype.type(array.fill_value)
                along = {"y", "x"} | ({"z"} if how == "volume" else set())
                lengths = [2**level if one in along else 1 for one in array.metadata.dimension_names]
                made = means(finest[name], lengths, float(fill))
                expected = rounded(made, how, float(fill)).astype(array.dtype)
                assert array.dtype == finest[name].dtype
                assert array[...].tobytes() == expected.tobytes(), (level, name)
            times = [name for name in found if name.startswith("time")]
            assert len(times) == 5  # three axes, of which two have bounds
            for name in times:
                assert found[name][...].tobytes() == finest[name].tobytes(), name


def test_missing_values_are_left_out_and_some_blocks_have_none(series):
    store = sorted(series.glob("plain_*.zarr"))[0]
    ice = [xarray.open_zarr(store, group=str(level))["ice"].load() for level in range(LEVELS)]
    lacking = [float(np.isnan(one).mean()) for one in ice]
    assert lacking[0] > lacking[1] > 0
    assert lacking[3] == 0


@pytest.mark.parametrize("how", HOW)
def test_xarray_opens_each_level_and_all_of_them(how, series):
    store = sorted(series.glob(f"{how}_*.zarr"))[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = xarray.open_datatree(store, engine="zarr")
    assert sorted(tree.children) == [str(level) for level in range(LEVELS)]
    for level in range(LEVELS):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            one = xarray.open_zarr(store, group=str(level), consolidated=True).load()
        xarray.testing.assert_identical(one, tree[str(level)].to_dataset().load())
        z = 5 if how != "volume" else -(-5 // 2**level)
        time = one["w"].dims[0]
        sizes = {time: one.sizes[time], "z": z, "y": -(-21 // 2**level), "x": -(-18 // 2**level)}
        assert dict(one["w"].sizes) == sizes
        assert one["w"].attrs["units"] == "m s-1"
        over = "" if level == 0 else ("x: z: y: mean" if how == "volume" else "x: y: mean")
        assert one["w"].attrs["cell_methods"] == f"{time}: point {over}".strip()
        assert one["w_mean"].attrs["cell_methods"].endswith(f": mean {over}".strip())
        heights = 12.5 * np.arange(1, 6) * np.arange(2, 7)
        expected = means(heights, [2**level], np.nan) if how == "volume" else heights
        np.testing.assert_array_equal(one["z"], expected)
        assert one["z"].attrs["units"] == "m"
        assert one[time].attrs["standard_name"] == "time"
    only_first = {"cells", "number"} | ({"profile"} if how != "volume" else set())
    assert only_first <= set(tree["0"].data_vars) and not only_first & set(tree["1"].data_vars)


def test_a_store_says_what_its_levels_are(series):
    store = sorted(series.glob("plain_*.zarr"))[0]
    said = json.loads((store / "zarr.json").read_text())
    attributes = said["attributes"]
    (convention,) = attributes["zarr_conventions"]
    assert convention["uuid"] == "d35379db-88df-4056-af3a-620245f8e347"
    layout = attributes["multiscales"]["layout"]
    assert [one["asset"] for one in layout] == [str(level) for level in range(LEVELS)]
    assert [one.get("derived_from") for one in layout] == [None, "0", "1", "2"]
    for one in layout[1:]:
        assert one["dimensions"] == ["x", "y"]
        assert one["transform"] == {"scale": [2.0, 2.0], "translation": [0.5, 0.5]}
    of_all = said["consolidated_metadata"]["metadata"]
    for name, one in of_all.items():
        alone = json.loads((store / name / "zarr.json").read_text())
        alone.pop("consolidated_metadata", None)
        one.pop("consolidated_metadata", None)
        assert alone == one, name
    assert "1/w" in of_all and "1" in of_all
    assert sorted(one.name for one in store.iterdir()) == [*map(str, range(LEVELS)), "zarr.json"]
    assert "configuration" in attributes and "configuration" not in of_all["1"]["attributes"]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_levels_have_the_same_bytes_in_every_layout(layout, series, tmp_path):
    run_in(layout, configured(tmp_path, 15), tmp_path / "out")

    assert not wrong_in(published(tmp_path / "out"), published(series))


@pytest.mark.parametrize("first, second", [(0, 1), (1, 3), (3, 0)])
def test_levels_have_the_same_bytes_after_a_kill(first, second, series, tmp_path):
    path = configured(tmp_path, 15)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    options = ("--size", SIZE, "--steps", STEPS)
    words = model_command(LAYOUTS[first], path, directory, *options, "--checkpoint-every", 3)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    for store in directory.glob("*.zarr"):  # what is published is whole
        assert zarr.open_group(store, mode="r")["1/w"][...].shape[1:] in ((9, 11, 5), (9, 3, 11))
    run_in(LAYOUTS[second], path, directory, "--continue")

    assert not wrong_in(published(directory), published(series))


@pytest.mark.parametrize("more", ["", 'zstd="1"'], ids=["plain", "zstd"])
def test_levels_of_several_chunks(more, tmp_path):
    """A level of 4.5 MB is cut into chunks, which are made of the rows of several model ranks."""
    inside = include("path")
    content = write(
        tmp_path, group(FIELDS), writing(file("one.zarr", inside, 1000, f'levels="3" {more}'))
    )
    size = "1,1403,1601"
    run_in(ALONE, content, tmp_path / "alone", size=size, steps=2)
    run_in(LAYOUTS[1], content, tmp_path / "out", size=size, steps=2)

    assert not wrong_in(published(tmp_path / "out"), published(tmp_path / "alone"))
    (store,) = (tmp_path / "out").glob("*.zarr")
    opened = zarr.open_group(store, mode="r")
    assert opened["1/path"].chunks[1] < 801
    finest = opened["0/path"][-1]
    for level in (1, 2):
        found = opened[f"{level}/path"]
        assert found.shape == (2, -(-1601 // 2**level), -(-1403 // 2**level))
        rows = (0, 1, found.shape[1] // 2, found.shape[1] - 1)
        for row in rows:
            block = finest[row * 2**level : (row + 1) * 2**level]
            expected = means(block, [block.shape[0], 2**level], np.nan)
            assert found[-1][row : row + 1].tobytes() == expected.tobytes(), (level, row)


def grid_run(directory, kind, ranks, servers, levels, more=""):
    """The published store, of the model with a grid of its own, and its directory."""
    directory.mkdir(parents=True, exist_ok=True)
    points = "cell" if kind == "unstructured" else "x,y"
    text = grids.CONFIGURATION.format(points=points)
    first = text.index('<file name="means.nc"')
    text = text[:first] + "</data-writing></io-configuration>"
    text = text.replace('name="maps.nc"', f'name="maps.zarr" levels="{levels}" {more}')
    (directory / "run.xml").write_text(text)
    programs = [BIN / one for one in ("pileus_grid_model", "pileus-server")]
    for program in programs:
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    model = (ranks, [programs[0], "run.xml", kind, grids.STEPS])
    server = [(servers, [programs[1], "run.xml"])] if servers else []
    return run(["env", "-C", directory, *grids.mpi_command(model, *server)], f"{kind} {ranks} {servers}")


def test_places_of_cells_that_dimensions_do_not_say(tmp_path):
    done = grid_run(tmp_path / "one", "curvilinear", 1, 1, 3)
    assert done.returncode == 0, done.stdout + done.stderr
    done = grid_run(tmp_path / "other", "curvilinear", 3, 2, 3)
    assert done.returncode == 0, done.stdout + done.stderr
    here, there = published(tmp_path / "one"), published(tmp_path / "other")
    assert not wrong_in(there, here)
    store = sorted((tmp_path / "one").glob("*.zarr"))[0]
    tree = xarray.open_datatree(store, engine="zarr", decode_coords="all")
    finest = tree["0"].to_dataset()
    for level in (1, 2):
        one = tree[str(level)].to_dataset()
        lengths = [2**level] * 2
        for name in ("nav_lat", "nav_lon"):
            np.testing.assert_allclose(
                one[name], means(finest[name].values, lengths, np.nan), rtol=1e-15, atol=0
            )
            assert "bounds" not in one[name].encoding and "bounds" not in one[name].attrs
            assert name in one["t"].coords
        areas = means(finest["area"].values, lengths, np.nan) * 4**level
        np.testing.assert_allclose(one["area"], areas, rtol=1e-15)
        assert "tmask" not in one and "lat_corners" not in one
        expected = means(finest["t"].values, lengths, np.nan)
        np.testing.assert_array_equal(one["t"], expected)


def test_an_unstructured_grid_has_no_levels(tmp_path):
    done = grid_run(tmp_path / "one", "unstructured", 1, 1, 3)

    assert done.returncode != 0
    assert 'of the points along "cell" nothing says which four are one of a coarser level' in (
        done.stdout + done.stderr
    )


NSIDE = 8
NESTED = """<io-configuration>
  <grid name="globe" cells="hp{nside}_nest"/>
  <data-definition name="state" frequency="1">
    <field name="path" size="y,x" collective="true" units="K"/>
  </data-definition>
  <data-handling>
    <diagnostic field="on_globe" units="K" expression="regrid[y,x](path, to=globe, weights='near.nc')"/>
  </data-handling>
  <data-writing>
    <file name="globe.zarr" write_time_frequency="1000" levels="{levels}" {more}>
      <include field="on_globe" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
"""
NEAR = (21, 18)


def nested(directory, levels=4, more="", cells="_nest"):
    """The configuration of values on HEALPix, each of which is some value of a field; a few are none."""
    directory.mkdir(exist_ok=True)
    count = 12 * NSIDE**2
    sources = np.random.default_rng(5).integers(0, NEAR[0] * NEAR[1], count) + 1
    targets = np.arange(1, count + 1)
    there = targets % 50 > 5
    with netCDF4.Dataset(directory / "near.nc", "w") as out:
        for name, size in {
            "num_links": int(there.sum()),
            "num_wgts": 1,
            "src_grid_size": NEAR[0] * NEAR[1],
            "dst_grid_size": count,
        }.items():
            out.createDimension(name, size)
        out.createVariable("src_address", "i4", ("num_links",))[:] = sources[there]
        out.createVariable("dst_address", "i4", ("num_links",))[:] = targets[there]
        out.createVariable("remap_matrix", "f8", ("num_links", "num_wgts"))[:] = 1
    text = NESTED.format(nside=NSIDE, levels=levels, more=more).replace("_nest", cells)
    path = directory / "run.xml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("more", ["", 'zstd="1"'], ids=["plain", "zstd"])
def test_four_cells_of_healpix_are_one_of_the_next_level(more, tmp_path):
    path = nested(tmp_path, more=more)
    run_in(ALONE, path, tmp_path / "alone", size="1,21,18", steps=3)
    for number, layout in enumerate(LAYOUTS[:3]):
        run_in(layout, path, tmp_path / str(number), size="1,21,18", steps=3)
        assert not wrong_in(published(tmp_path / str(number)), published(tmp_path / "alone"))

    (store,) = (tmp_path / "alone").glob("*.zarr")
    tree = xarray.open_datatree(store, engine="zarr")
    raw = zarr.open_group(store, mode="r")
    finest = raw["0/on_globe"][...]
    fill = raw["0/on_globe"].fill_value
    assert (finest == fill).any()
    for level in range(4):
        one = tree[str(level)].to_dataset()
        nside = NSIDE >> level
        cells = one["on_globe"].dims[-1]
        assert one.sizes[cells] == 12 * nside**2
        expected = means(finest, [4**level], float(fill))
        assert raw[f"{level}/on_globe"][...].tobytes() == expected.tobytes()
        assert one.attrs["dggs"] == {
            "name": "healpix",
            "refinement_level": 3 - level,
            "indexing_scheme": "nested",
            "spatial_dimension": cells,
        }
        # Its first twelfth is the cell whose corners are at the equator and at 45 degrees east.
        assert np.all(np.abs(one["lat"]) <= 90) and one["lat"].attrs["bounds"] == "lat_bnds"
        assert one["lat_bnds"].shape == (12 * nside**2, 4)
        if level > 0:
            finer = tree[str(level - 1)].to_dataset()
            x, y, z = (
                sum(part.reshape(-1, 4).T) for part in on_sphere(finer["lat"].values, finer["lon"].values)
            )
            x, y, z = (part / np.sqrt(x**2 + y**2 + z**2) for part in (x, y, z))
            own = on_sphere(one["lat"].values, one["lon"].values)
            away = np.degrees(np.arccos(np.clip(x * own[0] + y * own[1] + z * own[2], -1, 1)))
            assert away.max() < 20 / nside
    layout = raw.attrs["multiscales"]["layout"]
    assert layout[1]["transform"] == {"scale": [4.0], "translation": [1.5]}


def on_sphere(latitude, longitude):
    latitude, longitude = np.radians(latitude), np.radians(longitude)
    return np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)


def test_explain_says_how_large_levels_are(tmp_path):
    inside = include("w", "number")
    content = write(
        tmp_path, group(FIELDS), writing(file("one.zarr", inside, 1000, 'levels="3"'))
    )
    run_in(ALONE, content, tmp_path / "out", "--describe", tmp_path / "model.json")
    done = pileus("explain", content, "--model", tmp_path / "model.json", "--steps", STEPS, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    (series,) = json.loads(done.stdout)["files"]
    shapes = {
        one["name"]: [dimension["size"] for dimension in one["dimensions"]] for one in series["variables"]
    }
    (expected,) = series["files"]
    (store,) = (tmp_path / "out").glob("*.zarr")
    sizes = [one.stat().st_size for one in store.rglob("*") if one.is_file() and one.name != ".pieces"]
    assert expected["size_bytes"] == pytest.approx(sum(sizes), abs=40)  # the date of the run
    assert shapes == {"w": [18, 21, 5], "number": [], "1/w": [9, 11, 5], "2/w": [5, 6, 5]}


MISTAKES = [
    ("one.nc", 'levels="2"', "w", 'format="netcdf4" has no place for coarser levels'),
    ("one.grib2", 'levels="2"', "w", 'format="grib2" has no place for coarser levels'),
    ("one.zarr", 'levels="31"', "w", 'levels="31": expected 1 to 30'),
    ("one.zarr", 'levels="0"', "w", "levels"),
    ("one.zarr", 'level_dimensions="x"', "w", "level_dimensions and no levels"),
    ("one.zarr", 'levels="2"', "number", "nothing in it has horizontal dimensions"),
    ("one.zarr", 'levels="2" zstd="1" write_if="rms 0.1"', "w", "write_if leaves records out"),
    ("one.zarr", 'levels="2" zstd="1" precision_from="information 0.99"', "w", "precision_from learns"),
]


@pytest.mark.parametrize("name, more, field, what", MISTAKES, ids=[str(i) for i in range(len(MISTAKES))])
def test_mistakes_are_named_before_the_run(name, more, field, what, tmp_path):
    content = write(tmp_path, group(FIELDS), writing(file(name, include(field), 1000, more)))

    done = pileus("check", content)

    assert done.returncode != 0 and what in done.stdout, done.stdout


def test_check_says_what_has_no_levels(tmp_path):
    content = write(
        tmp_path, group(FIELDS), writing(file("one.zarr", include("w", "cells"), 1000, 'levels="2"'))
    )

    done = pileus("check", content)

    assert done.returncode == 0, done.stdout
    assert '"cells" in file "one.zarr": whole numbers' in done.stdout


@pytest.mark.parametrize(
    "levels, what",
    [
        (7, '"path" has 21 along "y" and 18 along "x", which are enough for 6 levels'),
        (6, ""),
    ],
)
def test_no_more_levels_than_there_are_elements(levels, what, tmp_path):
    content = write(
        tmp_path,
        group(FIELDS),
        writing(file("one.zarr", include("path"), 1000, f'levels="{levels}"')),
    )
    directory = tmp_path / "out"
    directory.mkdir()
    done = run(model_command(ALONE, content, directory, "--size", SIZE, "--steps", 2), str(levels))

    if what:
        assert done.returncode != 0 and what in done.stderr + done.stdout, done.stdout + done.stderr
    else:
        assert done.returncode == 0, done.stdout + done.stderr
        (store,) = directory.glob("*.zarr")
        assert zarr.open_group(store, mode="r")["5/path"].shape == (2, 1, 1)


@pytest.mark.parametrize(
    "levels, cells, what", [(5, "_nest", "enough for 4 levels"), (2, "", "HEALPix in nested order")]
)
def test_no_more_levels_than_a_hierarchy_has(levels, cells, what, tmp_path):
    path = nested(tmp_path, levels, cells=cells)
    directory = tmp_path / "out"
    directory.mkdir()
    done = run(model_command(ALONE, path, directory, "--size", "1,21,18", "--steps", 2), "too many")

    assert done.returncode != 0 and what in done.stderr + done.stdout, done.stdout + done.stderr


def test_each_store_with_levels_may_replace_the_one_before(tmp_path):
    content = write(
        tmp_path,
        group(FIELDS),
        writing(file("one.zarr", include("path"), 2, 'levels="3" keep="newest"')),
    )
    run_in(LAYOUTS[0], content, tmp_path / "out")
    one = xarray.open_zarr(tmp_path / "out/one.zarr", group="2")
    assert one["path"].shape[1:] == (5, 6)
    shutil.rmtree(tmp_path / "out")

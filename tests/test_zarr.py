"""Stores of Zarr: what two readers find in them, beside the NetCDF file of the same run, and their bytes."""

import json
import re
import shutil
import warnings

import netCDF4
import numpy as np
import pytest
import xarray
import zarr
from oracle.configured import file, group, include, write, writing
from oracle.kills import kill_when
from oracle.launch import (
    BIN,
    ROOT,
    SERVER,
    Layout,
    environment,
    model_command,
    mpi_command,
    pileus,
    require_programs,
    run,
)

STEPS = 12
PIPELINES = ["zarr.core.codec_pipeline.BatchedCodecPipeline", "zarrs.ZarrsCodecPipeline"]
SMALL, LARGE = "6,14,12", "6,50,40"
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
FIELDS = (
    '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
    '<field name="path" size="y,x" collective="true"/><field name="number" data_type="integer"/>'
)
HOW = {
    "plain": "",
    "zstd": 'zstd="3"',
    "blosc": 'blosc="5"',
    "bits": 'blosc="1" shuffle="bits"',
    "rounded": 'error="relative 1e-3" precision="float" zstd="1"',
}
INSIDE = include("w", "path", "number") + include("w", manipulation="averaged", every=7, more='name="w_mean"')


def configured(directory, period=1000):
    files = []
    for name, more in HOW.items():
        files.append(file(f"{name}.nc", INSIDE, period, more))
        files.append(file(f"{name}.zarr", INSIDE, period, more))
    return write(directory, group(FIELDS), writing(*files))


def published(directory):
    """Every published file, those of stores too, by its name."""
    found = [one for one in directory.rglob("*") if one.is_file()]
    return {str(one.relative_to(directory)): one for one in found if "pileus-checkpoints" not in one.parts}


def run_in(layout, configuration, directory, *options, size=LARGE):
    directory.mkdir(exist_ok=True)
    words = model_command(layout, configuration, directory, "--size", size, "--steps", STEPS, *options)
    done = run(words, str(layout))
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module", params=[SMALL, LARGE])
def whole(request, tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("zarr")
    run_in(ALONE, configured(directory), directory / "out", size=request.param)
    return directory / "out"


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    """Files of short periods."""
    require_programs()
    directory = tmp_path_factory.mktemp("series")
    run_in(ALONE, configured(directory, 15), directory / "out")
    return directory / "out"


def raw(path):
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_maskandscale(False)
        return {name: variable[...] for name, variable in dataset.variables.items()}


def in_pairs(directory, how):
    stores = sorted(directory.glob(f"{how}_*.zarr"))
    assert stores
    return [(one, one.with_suffix(".nc")) for one in stores]


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("how", HOW)
def test_two_readers_find_the_numbers_of_the_netcdf_file(how, pipeline, whole):
    for store, beside in in_pairs(whole, how):
        expected = raw(beside)
        with zarr.config.set({"codec_pipeline.path": pipeline}), warnings.catch_warnings():
            warnings.simplefilter("error")
            opened = zarr.open_group(store, mode="r")
            found = {name: array[...] for name, array in opened.arrays()}
        expected.pop("quantization_info", None)
        found.pop("quantization_info", None)
        assert sorted(found) == sorted(expected)
        assert found["w"].shape[0] == STEPS
        for name, values in expected.items():
            assert found[name].dtype == values.dtype and found[name].tobytes() == values.tobytes(), name


@pytest.mark.parametrize("how", HOW)
def test_xarray_reads_both_alike(how, whole):
    for store, beside in in_pairs(whole, how):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            of_zarr = xarray.open_zarr(store, consolidated=True).load()
        of_netcdf = xarray.open_dataset(beside).load()
        xarray.testing.assert_identical(
            of_zarr.drop_attrs(deep=False), of_netcdf.drop_attrs(deep=False)
        )
        assert set(of_zarr.attrs) == set(of_netcdf.attrs)
        for name, variable in of_netcdf.variables.items():
            for key in ("units", "calendar", "bounds", "_FillValue"):
                one, other = of_zarr[name].encoding.get(key), variable.encoding.get(key)
                assert one == other or (key == "_FillValue" and np.isnan(other)), (name, key)


def test_a_store_is_sharded_and_says_it_in_one_place(whole):
    (store,) = whole.glob("zstd_*.zarr")
    group_ = json.loads((store / "zarr.json").read_text())
    of_arrays = group_["consolidated_metadata"]["metadata"]
    for name, said in of_arrays.items():
        assert json.loads((store / name / "zarr.json").read_text()) == said
    (codec,) = of_arrays["w"]["codecs"]
    assert codec["name"] == "sharding_indexed"
    assert [one["name"] for one in codec["configuration"]["codecs"]] == ["bytes", "zstd"]
    shards = len([one for one in (store / "w" / "c").rglob("*") if one.is_file()])
    assert shards == -(-STEPS // of_arrays["w"]["chunk_grid"]["configuration"]["chunk_shape"][0])


def wrong_in(found, wanted):
    assert sorted(found) == sorted(wanted)
    return [name for name, path in wanted.items() if path.read_bytes() != found[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_stores_have_the_same_bytes_in_every_layout(layout, series, tmp_path):
    run_in(layout, configured(tmp_path, 15), tmp_path / "out")

    assert not wrong_in(published(tmp_path / "out"), published(series))


@pytest.mark.parametrize("first, second", [(0, 1), (1, 3), (3, 0)])
def test_stores_have_the_same_bytes_after_a_kill(first, second, series, tmp_path):
    path = configured(tmp_path, 15)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    options = ("--size", LARGE, "--steps", STEPS)
    words = model_command(LAYOUTS[first], path, directory, *options, "--checkpoint-every", 3)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    for store in directory.glob("*.zarr"):  # what is published is whole
        assert zarr.open_group(store, mode="r")["w"][...].shape[1:] == (40, 50, 6)
    run_in(LAYOUTS[second], path, directory, "--continue")

    assert not wrong_in(published(directory), published(series))


RECIPES = ["stations_and_boxes", "cloud_objects", "zonal_means", "rain_histogram", "diurnal_cycle"]
RECIPES += ["masts_and_sections", "pressure_levels", "updraught_tracks", "monthly_means_of_daily_maxima"]


def of_recipe(name, kind, directory, ranks, servers):
    """What a recipe of the cookbook publishes in this format."""
    folder = ROOT / "examples" / "cookbook"
    text = (folder / f"{name}.xml").read_text()
    model = re.search(r'include file="(\w+)_fields.xml"', text)[1]
    runs = dict(re.findall(r"^(\w+): (.*)$", (folder / "runs.txt").read_text(), re.MULTILINE))
    for one in [*folder.glob("*_fields.xml"), *folder.glob("*.csv")]:
        shutil.copy(one, directory)
    path = directory / f"{name}.xml"
    path.write_text(text.replace('.nc"', f'.{kind}"').replace("deflate=", "zstd="))
    out = directory / f"{kind}{ranks}{servers}"
    out.mkdir()
    command = [BIN / model, *runs.get(name, runs[model]).split(), "--directory", out]
    server = [(servers, [SERVER, path, "--directory", out])] if servers else []
    command += [] if servers else ["--config", path]
    done = run(mpi_command((ranks, command), *server), f"{name} {kind}")
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(one for one in out.iterdir() if not one.name.startswith("."))


def as_lists(value):
    """An attribute as JSON has it."""
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return [as_lists(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_of_the_cookbook_say_the_same_in_both_formats(name, tmp_path):
    require_programs()
    files = of_recipe(name, "nc", tmp_path, 1, 0)
    stores = of_recipe(name, "zarr", tmp_path, 1, 0)
    spread = of_recipe(name, "zarr", tmp_path, 3, 2)

    assert [one.stem for one in stores] == [one.stem for one in files] and files
    for one, other in zip(stores, spread, strict=True):
        assert not wrong_in(published(other), published(one))
    for beside, store in zip(files, stores, strict=True):
        opened = zarr.open_group(store, mode="r")
        with netCDF4.Dataset(beside) as dataset:
            dataset.set_auto_maskandscale(False)
            assert sorted(opened.array_keys()) == sorted(dataset.variables)
            for key, variable in dataset.variables.items():
                expected, found = variable[...], opened[key][...]
                if expected.dtype.kind in "SU":  # netCDF4 makes texts of characters where it knows how
                    texts = expected if expected.dtype.kind == "U" else netCDF4.chartostring(expected)
                    assert found.tolist() == texts.tolist(), key
                    continue
                assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes(), key
                for attribute in set(variable.ncattrs()) - {"_FillValue"}:
                    of_store = opened[key].attrs[attribute]
                    assert of_store == as_lists(variable.getncattr(attribute)), (key, attribute)
                assert opened[key].metadata.dimension_names == variable.dimensions, key


def test_a_store_that_exists_is_kept_unless_it_may_be_replaced(tmp_path):
    require_programs()
    more = 'overwrite="true"'
    for overwrite in ("", more):
        path = write(tmp_path, group(FIELDS), writing(file("w.zarr", include("w"), more=overwrite)))
        if not overwrite:
            run_in(ALONE, path, tmp_path / "out", size=SMALL)
            before = {name: one.read_bytes() for name, one in published(tmp_path / "out").items()}
            words = model_command(ALONE, path, tmp_path / "out", "--size", SMALL, "--steps", STEPS)
            done = run(words, "again")
            assert done.returncode != 0 and "exists already" in done.stdout + done.stderr
            assert {name: one.read_bytes() for name, one in published(tmp_path / "out").items()} == before
        else:
            run_in(Layout(3, 2, 2, True), path, tmp_path / "out", size="3,4,5")
    (store,) = (tmp_path / "out").glob("*")
    assert zarr.open_group(store, mode="r")["w"].shape == (STEPS, 5, 4, 3)


def test_each_store_may_replace_the_one_before(tmp_path):
    require_programs()
    path = write(tmp_path, group(FIELDS), writing(file("newest.zarr", include("w"), 15, 'keep="newest"')))
    run_in(Layout(3, 2, 2, True), path, tmp_path / "out", size=SMALL)

    (store,) = (tmp_path / "out").glob("*")
    assert store.name == "newest.zarr"
    assert 0 < zarr.open_group(store, mode="r")["w"].shape[0] < STEPS


MISTAKES = {
    ("w.nc", 'format="zarr"'): 'whose files are called ".zarr"',
    ("w.zarr", 'format="netcdf4"'): 'whose files are called ".nc"',
    ("w", 'format="zar"'): 'did you mean "zarr"?',
    ("w.zarr", 'deflate="4"'): "has no deflate; compress by zstd or blosc",
    ("w.zarr", 'zstd="4" shuffle="true"'): "sorts no bytes before zstd; compress by blosc",
}


@pytest.mark.parametrize("name, more", MISTAKES)
def test_mistakes_are_named(name, more, tmp_path):
    path = write(tmp_path, group(FIELDS), writing(file(name, include("w"), more=more)))
    done = pileus("check", path)

    assert done.returncode == 1
    assert MISTAKES[name, more] in done.stdout, done.stdout
    assert done.stdout.count("error:") == 1, done.stdout



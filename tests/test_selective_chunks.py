"""Chunks that are written each where it differs, and stand each for itself: readers find the oracle's choice.

Records are large enough to be cut into several chunks, and change more at one end than at the other.
"""

import math

import netCDF4
import numpy as np
import pytest
import xarray
import zarr
from oracle.configured import file, group, handling, include, write, writing
from oracle.kills import kill_when
from oracle.launch import Layout, environment, model_command, pileus, require_programs, run
from test_selective_writing import distance, escaped, published, read, wrong_in

STEPS = 7
OPTIONS = ("--size", "20,220,160", "--steps", STEPS)
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True)]
FIELDS = '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
MADE = {
    "jumps": "0 * w + floor((z / 1500)^4 * model_time / 10)",
    "holes": "where(z * mod(w, 7) > 9700, log(0 - 1 - abs(w)), 270 + floor((z / 1500)^2 * model_time / 10))",
    "flat": "0 * w + 3.25",
}
FILES = {
    "max": 'write_if="max 0.5" per="chunk"',
    "rms": 'write_if="rms relative 0.002" per="chunk"',
    "every": 'write_if="max 1e99" per="chunk" at_least_every="3 s"',
}


def made():
    return handling("".join(f'<diagnostic field="{n}" expression="{escaped(t)}"/>' for n, t in MADE.items()))


def configured(directory):
    files = [file("plain.nc", include(*MADE), period=1000, more='precision="double" order="time,z,y,x"')]
    for name, how in FILES.items():
        for kind in ("nc", "zarr"):
            more = f'precision="double" order="time,z,y,x" zstd="1" {how}'
            files.append(file(f"{name}.{kind}", include(*MADE), period=1000, more=more))
    return write(directory, group(FIELDS), made(), writing(*files))


def run_all(layout, path, directory, *more):
    directory.mkdir(exist_ok=True)
    done = run(model_command(layout, path, directory, *OPTIONS, *more), str(layout))
    assert done.returncode == 0, done.stderr
    return published(directory)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("chunks")
    return run_all(ALONE, configured(directory), directory / "out")


@pytest.fixture(scope="module")
def plain(files):
    return read(files["plain_1000.nc"])


def regions_of(shape, chunk):
    """Of the chunks of a record."""
    counts = [-(-size // of) for size, of in zip(shape, chunk, strict=True)]
    for place in np.ndindex(*counts):
        yield tuple(slice(p * of, (p + 1) * of) for p, of in zip(place, chunk, strict=True))


def sources(records, times, kind, stretch):
    """Of each record of a chunk the one that stands for it."""
    norm, limit, every = {
        "max": ("max", 0.5, math.inf),
        "rms": ("rms relative", 0.002, math.inf),
        "every": ("max", 1e99, 3),
    }[kind]
    found, last = [], 0
    for r in range(len(records)):
        is_due = times[r] - times[last] >= every or r % stretch == 0
        if is_due or r == len(records) - 1 or distance(records[r], records[last], norm) > limit:
            last = r
        found.append(last)
    return np.array(found)


def expected(records, times, chunk, kind, stretch=10**9):
    """Values, and sources by chunk."""
    values, found = np.empty_like(records), []
    for region in regions_of(records.shape[1:], chunk):
        of_chunk = records[(slice(None), *region)]
        found.append(sources(of_chunk, times, kind, stretch))
        values[(slice(None), *region)] = of_chunk[found[-1]]
    return values, np.array(found)


@pytest.mark.parametrize("kind", FILES)
def test_each_chunk_stands_for_those_that_are_near(kind, plain, files):
    path = files[f"{kind}_1000.nc"]
    found = read(path)
    are_apart = 0
    for name in MADE:
        written = f"{name}_written" if f"{name}_written" in found else name
        with netCDF4.Dataset(path) as dataset:
            chunk = dataset[written].chunking()
            assert dataset[name].write_if.endswith(" per chunk")
        assert chunk[0] == 1 and np.prod(chunk) < plain[name][0].size
        values, of_chunks = expected(plain[name], plain["time"], chunk[1:], kind)
        assert np.array_equal(found[name], values, equal_nan=True), name
        assert found[f"{name}_source_record"].tolist() == of_chunks.min(axis=0).tolist(), name
        are_apart += (of_chunks != of_chunks[0]).any()
        assert (of_chunks != np.arange(STEPS)).any(), name
    assert are_apart > 0 or kind == "every"


@pytest.mark.parametrize("kind", FILES)
def test_a_store_says_the_same(kind, plain, files):
    folder = files[f"{kind}_1000.zarr/zarr.json"].parent
    store = zarr.open(folder, mode="r")
    with xarray.open_dataset(folder, engine="zarr", decode_times=False, mask_and_scale=False) as dataset:
        for name in MADE:
            values, of_chunks = expected(
                plain[name], plain["time"], store[name].chunks[1:], kind, store[name].shards[0]
            )
            assert np.array_equal(dataset[name].values, values, equal_nan=True), name
            assert store[f"{name}_source_record"][:].tolist() == of_chunks.min(axis=0).tolist()


def test_chunks_that_stand_for_others_take_no_space(files):
    sizes = {name: path.stat().st_size for name, path in files.items() if name.endswith(".nc")}
    assert sizes["every_1000.nc"] < sizes["max_1000.nc"] < sizes["plain_1000.nc"]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_files_are_the_same_in_every_layout(layout, files, tmp_path):
    assert not wrong_in(run_all(layout, configured(tmp_path), tmp_path / "out"), files)


@pytest.mark.parametrize("first, second, every", [(0, 1, 3), (1, 0, 2)])
def test_files_are_the_same_after_a_kill(first, second, every, files, tmp_path):
    path = configured(tmp_path)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(LAYOUTS[first], path, directory, *OPTIONS, "--checkpoint-every", every)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    assert not wrong_in(run_all(LAYOUTS[second], path, directory, "--continue"), files)


def test_per_without_a_limit_is_a_mistake_where_nobody_else_has_one(tmp_path):
    alone = include("w", more='per="chunk"')
    done = pileus("check", write(tmp_path, group(FIELDS), writing(file("w.nc", alone, more='zstd="1"'))))
    assert done.returncode == 1 and "per without write_if" in done.stdout, done.stdout

    wrong = include("w", more='write_if="max 1" per="piece"')
    done = pileus("check", write(tmp_path, group(FIELDS), writing(file("w.nc", wrong, more='zstd="1"'))))
    assert done.returncode == 1 and 'per="piece"' in done.stdout, done.stdout

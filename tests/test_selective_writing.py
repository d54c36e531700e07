"""Records that are written only where they differ: readers find the oracle's choice of the records of a file
that has all of them, in every layout and after kills."""

import math
import subprocess

import netCDF4
import numpy as np
import pytest
import xarray
import zarr
from oracle.configured import file, group, handling, include, write, writing
from oracle.kills import kill_when
from oracle.launch import Layout, environment, model_command, pileus, require_programs, run

STEPS = 14
OPTIONS = ("--size", "6,14,12", "--steps", STEPS)
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
FIELDS = '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
MADE = {
    "wave": "300 + 20 * sin(0.01 * w) + 0.001 * w",
    "path": "sum[z](w) / 7",
    "holes": "where(mod(w, 7) < 2, log(0 - 1 - abs(w)), 270 + 0.37 * w)",
    "flat": "0 * w + 3.25",
    "late": "lag(w, 3 steps) / 3",
    "level": "0 * w + floor(mean[x,y,z](w) / 40)",
}
SMALLEST_PACKED = 1024  # bytes of a record; smaller ones are not compressed, and all are written
NORMS = ["rms", "max", "rms relative", "max relative"]


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def made():
    return handling("".join(f'<diagnostic field="{n}" expression="{escaped(t)}"/>' for n, t in MADE.items()))


def distance(now, before, norm):
    """What is compared with the limit; infinite where other elements have numbers."""
    fill = netCDF4.default_fillvals["f8"]
    there = [np.isfinite(one) & (one != one.dtype.type(fill)) for one in (now, before)]
    same = (now == before) | (np.isnan(now) & np.isnan(before))
    both = there[0] & there[1]
    if not same[~both].all():
        return math.inf
    change = now[both].astype(float) - before[both].astype(float)
    was = before[both].astype(float)
    if norm.startswith("max"):
        largest = np.abs(change).max(initial=0)
        return largest / np.abs(was).max(initial=0) if "relative" in norm and largest > 0 else largest
    squares = math.fsum(change * change)
    of = math.fsum(was * was) if "relative" in norm else both.sum()
    if squares > 0 and of == 0:
        return math.inf
    return math.sqrt(squares / of) if squares > 0 else 0.0


def sources(records, times, norm, limit, every=math.inf, stretch=10**9):
    """Of each record the one that stands for it."""
    found, last = [], 0
    for r in range(len(records)):
        is_due = times[r] - times[last] >= every or r % stretch == 0
        if r == 0 or is_due or r == len(records) - 1 or distance(records[r], records[last], norm) > limit:
            last = r
        found.append(last)
    return found


def read(path):
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_mask(False)
        return {name: np.ascontiguousarray(dataset[name][:]) for name in dataset.variables}


def run_all(layout, path, directory, *more):
    directory.mkdir()
    done = run(model_command(layout, path, directory, *OPTIONS, *more), str(layout))
    assert done.returncode == 0, done.stderr
    return published(directory)


def published(directory):
    found = [one for one in directory.rglob("*") if one.is_file()]
    return {str(one.relative_to(directory)): one for one in found if "pileus-checkpoints" not in one.parts}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("plain")
    files = [
        file(f"{precision}.nc", include("w", *MADE), period=1000, more=f'precision="{precision}"')
        for precision in ("float", "double")
    ]
    path = write(directory, group(FIELDS), made(), writing(*files))
    files = run_all(ALONE, path, directory / "out")
    return {name.split("_")[0]: read(one) for name, one in files.items()}


def limits(plain, norm):
    """By variable, one that some records keep and others do not."""
    out = {}
    for name in MADE:
        records = plain["float"][name]
        steps = [distance(a, b, norm) for a, b in zip(records[1:], records, strict=False)]
        finite = sorted(step for step in steps if math.isfinite(step))
        out[name] = float(1.3 * finite[len(finite) // 2]) if finite else 0.0
    return out


def configured(directory, plain):
    files = []
    for n, norm in enumerate(NORMS):
        inside = "".join(
            include(name, more=f'write_if="{norm} {limit!r}"') for name, limit in limits(plain, norm).items()
        )
        for kind in ("nc", "zarr"):
            files.append(file(f"norm{n}.{kind}", inside, period=1000, more='precision="float" zstd="1"'))
    inside = include("w", more='write_if="max 1e99 km h-1" at_least_every="5 s"')
    files.append(file("every.nc", inside, period=1000, more='precision="double" deflate="1"'))
    inside = include("wave", "path", "flat", more='write_if="max 1e99"')
    files.append(file("series.nc", inside, period=5, more='blosc="1"'))
    files.append(file("series.zarr", inside, period=5, more='blosc="1"'))
    return write(directory, group(FIELDS), made(), writing(*files))


@pytest.fixture(scope="module")
def files(plain, tmp_path_factory):
    directory = tmp_path_factory.mktemp("selective")
    return run_all(ALONE, configured(directory, plain), directory / "out")


@pytest.mark.parametrize("norm", NORMS)
def test_a_record_stands_for_those_that_are_near(norm, plain, files):
    n = NORMS.index(norm)
    found = read(files[f"norm{n}_1000.nc"])
    times = plain["float"]["time"]
    repeated = 0
    for name, limit in limits(plain, norm).items():
        records = plain["float"][name]
        if records[0].nbytes < SMALLEST_PACKED:
            assert np.array_equal(found[name], records) and f"{name}_source_record" not in found
            continue
        wanted = sources(records, times, norm, limit)
        assert found[f"{name}_source_record"].tolist() == wanted, name
        assert np.array_equal(found[name], records[wanted], equal_nan=True)
        repeated += sum(source != r for r, source in enumerate(wanted))
        if wanted != list(range(len(wanted))):
            written = found[f"{name}_written"]
            for r in set(wanted):
                assert np.array_equal(written[r], records[r], equal_nan=True)
    assert STEPS < repeated < len(MADE) * (STEPS - 2)
    assert not np.array_equal(found["wave"][1], plain["float"]["wave"][1]) or repeated > 0


@pytest.mark.parametrize("norm", NORMS)
def test_a_store_says_the_same(norm, plain, files):
    n = NORMS.index(norm)
    folder = files[f"norm{n}_1000.zarr/zarr.json"].parent
    store = zarr.open(folder, mode="r")
    records = plain["float"]
    for name, limit in limits(plain, norm).items():
        if records[name][0].nbytes < SMALLEST_PACKED:
            assert np.array_equal(store[name][:], records[name])
            continue
        stretch = store[name].shards[0]
        wanted = sources(records[name], records["time"], norm, limit, stretch=stretch)
        assert store[f"{name}_source_record"][:].tolist() == wanted, name
        assert np.array_equal(store[name][:], records[name][wanted], equal_nan=True)
        assert f"{name}_written" not in store
    with xarray.open_zarr(folder) as dataset:
        assert dataset["wave_source_record"].dims == ("time",)


def test_a_record_is_written_after_some_time_whatever_it_is(plain, files):
    found = read(files["every_1000.nc"])
    times = plain["double"]["time"]
    wanted = sources(plain["double"]["w"], times, "max", math.inf, every=5)
    assert 2 < len(set(wanted)) < STEPS
    assert found["w_source_record"].tolist() == wanted
    assert np.array_equal(found["w"], plain["double"]["w"][wanted])


def test_the_first_and_the_last_record_of_a_file_are_there(plain, files):
    series = sorted(name for name in files if re_of_series(name))
    assert len(series) > 2
    for name in series:
        found = read(files[name])
        last = len(found["time"]) - 1
        for variable in ("wave", "path", "flat"):
            rows = np.searchsorted(plain["double"]["time"], found["time"])
            assert found[f"{variable}_source_record"].tolist() == [0] * last + [last]
            assert np.array_equal(found[variable][0], plain["double"][variable][rows[0]])
            assert np.array_equal(found[variable][last], plain["double"][variable][rows[last]])


def re_of_series(name):
    return name.startswith("series") and name.endswith(".nc")


def output_of(*command):
    done = subprocess.run(
        [str(one) for one in command], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def test_five_tools_read_what_is_repeated(plain, files, tmp_path):
    path = files["norm1_1000.nc"]
    limit = limits(plain, "max")["wave"]
    records = plain["float"]["wave"]
    wanted = records[sources(records, plain["float"]["time"], "max", limit)]
    with xarray.open_dataset(path, decode_times=False) as dataset:
        assert np.array_equal(dataset["wave"].values, wanted)
    text = output_of("ncdump", "-v", "wave", "-p", "9,17", path)
    numbers = text[text.rindex("wave =") + 6 :].split(";")[0]
    assert np.array_equal(np.array(numbers.split(","), np.float32), wanted.ravel())
    copied = tmp_path / "cdo.nc"
    output_of("cdo", "-s", "-b", "F32", "copy", "-selname,wave", path, copied)
    assert np.array_equal(read(copied)["wave"], wanted)
    copied = tmp_path / "nco.nc"
    output_of("ncks", "-6", "-v", "wave", path, copied)  # NCO 5.1 copies none to netCDF-4
    assert np.array_equal(read(copied)["wave"], wanted)
    copied = tmp_path / "copy.nc"
    output_of("nccopy", path, copied)
    assert np.array_equal(read(copied)["wave"], wanted)


def wrong_in(found, wanted):
    assert sorted(found) == sorted(wanted)
    return [name for name, path in wanted.items() if path.read_bytes() != found[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_files_are_the_same_in_every_layout(layout, plain, files, tmp_path):
    assert not wrong_in(run_all(layout, configured(tmp_path, plain), tmp_path / "out"), files)


@pytest.mark.parametrize("first, second, every", [(0, 1, 3), (1, 3, 1), (3, 0, 5), (2, 1, 4)])
def test_files_are_the_same_after_a_kill(first, second, every, plain, files, tmp_path):
    path = configured(tmp_path, plain)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(LAYOUTS[first], path, directory, *OPTIONS, "--checkpoint-every", every)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    done = run(model_command(LAYOUTS[second], path, directory, *OPTIONS, "--continue"), "continued")

    assert done.returncode == 0, done.stderr
    assert not wrong_in(published(directory), files)


MISTAKES = {
    'zstd="1" write_if="rms"': "expected rms or max, and the difference",
    'zstd="1" write_if="mean 3"': "expected rms or max, and the difference",
    'zstd="1" write_if="max -1"': "expected rms or max, and the difference",
    'zstd="1" write_if="max nan"': "expected rms or max, and the difference",
    'zstd="1" write_if="max relative 0.1 K"': "expected rms or max, and the difference",
    'zstd="1" write_if="rms 0.1 K"': 'write_if in "K"',
    'write_if="rms 0.1"': "write_if without a codec",
    'zstd="1" write_if="rms 1" at_least_every="1 month"': "at_least_every in months",
    'zstd="1" write_if="rms 1" precision_from="information 0.99"': "both write_if and precision_from",
    'zstd="1" wirte_if="rms 1"': 'did you mean "write_if"?',
}


@pytest.mark.parametrize("more", MISTAKES)
def test_mistakes_are_named(more, tmp_path):
    path = write(tmp_path, group(FIELDS), writing(file("w.nc", include("w"), more=more)))
    done = pileus("check", path)

    assert done.returncode == 1
    assert MISTAKES[more] in done.stdout, done.stdout
    assert "1 error\n" in done.stdout, done.stdout


def test_a_time_without_a_limit_is_a_mistake_where_nobody_else_has_one(tmp_path):
    alone = include("w", more='at_least_every="6 h"')
    done = pileus("check", write(tmp_path, group(FIELDS), writing(file("w.nc", alone, more='zstd="1"'))))
    assert done.returncode == 1 and "at_least_every without write_if" in done.stdout, done.stdout

    some = include("w", more='write_if="rms 1"') + include("w", more='name="all"')
    of_file = file("w.nc", some, more='zstd="1" at_least_every="6 h"')
    assert pileus("check", write(tmp_path, group(FIELDS), writing(of_file))).returncode == 0


def test_names_that_readers_need_are_free(tmp_path):
    both = include("w", more='write_if="rms 1"') + include("w", more='name="w_written"')
    done = pileus("check", write(tmp_path, group(FIELDS), writing(file("w.nc", both, more='zstd="1"'))))
    assert done.returncode == 1 and "w_written" in done.stdout, done.stdout

"""Random configurations of cumulus: the same bytes in every layout, and what the fields say is to be in them.

The normal run does 20 seeds in four layouts each, and continues some of them in other layouts after a kill;
PILEUS_RANDOM=200 asks for more, PILEUS_RANDOM_CONTINUED=100 for more that are killed, PILEUS_RANDOM_SEED for
others than those from 1 on.
"""

import os
import random
from dataclasses import dataclass
from fractions import Fraction
from math import floor

import netCDF4
import numpy as np
import pytest
from oracle.kills import kill_when
from oracle.launch import BIN, SERVER, environment, mpi_command, require_programs, run
from oracle.manipulations import MANIPULATIONS
from oracle.model_time import Sample
from oracle.named import Named
from oracle.random_configurations import DIMENSIONS, draw, expected_record, records_of
from oracle.random_expressions import CLOCK, Exact, NothingBefore, dimensions_of

CUMULUS = BIN / "cumulus"
GRID = ["--nx", 12, "--ny", 9, "--nz", 5, "--dx", 200, "--dy", 200, "--dz", 200, "--end", 10**6]
STEPS, KEPT_EVERY = 14, 5
FILL = netCDF4.default_fillvals["f8"]
FIRST = int(os.environ.get("PILEUS_RANDOM_SEED", "1"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("PILEUS_RANDOM", "12")))
CONTINUED = range(FIRST, FIRST + int(os.environ.get("PILEUS_RANDOM_CONTINUED", "4")))


@dataclass(frozen=True)
class Spread:
    """How cumulus is spread; no servers: attached."""

    x: int
    y: int
    servers: int
    is_uneven: bool = False


ONE = Spread(1, 1, 1)
OTHERS = [
    Spread(1, 1, 0),
    Spread(3, 1, 1),
    Spread(1, 3, 2),
    Spread(2, 2, 3, True),
    Spread(3, 1, 2, True),
    Spread(2, 1, 0, True),
    Spread(1, 2, 1),
    Spread(3, 2, 2),
    Spread(4, 1, 1),
]


@pytest.fixture(scope="module", autouse=True)
def programs():
    require_programs()
    if not CUMULUS.is_file():
        pytest.skip("no program cumulus: build it, or set PILEUS_BUILD")


def command(spread, path, directory, *more, steps=STEPS):
    model = [CUMULUS, *GRID, "--steps", steps, "--quiet", "--output", "pileus", "--config", path]
    model += ["--directory", directory, "--layout", f"{spread.x}x{spread.y}", *more]
    model += ["--uneven"] if spread.is_uneven else []
    if spread.servers == 0:
        return mpi_command((spread.x * spread.y, model))
    server = [SERVER, path, "--directory", directory]
    return mpi_command((spread.x * spread.y, model), (spread.servers, server))


def published(directory):
    names = [path for path in directory.glob("*.nc") if not path.name.startswith("cumulus-")]
    return {path.name: path.read_bytes() for path in names}


def run_whole(spread, path, directory):
    directory.mkdir()
    done = run(command(spread, path, directory), str(spread))
    assert done.returncode == 0, f"{spread}: status {done.returncode}\n{path.read_text()}\n{done.stderr}"
    return published(directory)


def assert_same(files, expected, what):
    assert sorted(files) == sorted(expected), what
    wrong = [name for name in expected if files[name] != expected[name]]
    assert not wrong, f"{wrong} differ: {what}"


class Contents:
    """The contents of the files of a directory, variable by variable."""

    def __init__(self, directory):
        self.directory = directory

    def of(self, base, variable):
        """All records of a series in the order of time, with the names of the dimensions behind it."""
        times, values, dimensions = [], [], ()
        for path in self.directory.glob(f"{base}_*.nc"):
            with netCDF4.Dataset(path) as file:
                file.set_auto_maskandscale(False)
                if variable not in file.variables:
                    continue
                stored = file[variable]
                dimensions = stored.dimensions[1:]
                times.append(file[stored.dimensions[0]][:])
                values.append(stored[...])
        if not times:
            return np.array([]), None, ()
        times, values = np.concatenate(times), np.concatenate(values)
        order = np.argsort(times, kind="stable")
        return times[order], values[order], dimensions

    def coordinates(self, dimension):
        for path in self.directory.glob("truth_*.nc"):
            with netCDF4.Dataset(path) as file:
                if dimension in file.variables:
                    return file[dimension][:].data
        raise AssertionError(f"no coordinates of {dimension}")

    def of_static(self, base, variable):
        """Values and dimensions of a static variable, the same in each file; None without files."""
        found = None
        for path in self.directory.glob(f"{base}_*.nc"):
            with netCDF4.Dataset(path) as file:
                file.set_auto_maskandscale(False)
                stored, dimensions = file[variable][...], file[variable].dimensions
            assert found is None or np.array_equal(found[0], stored, equal_nan=True)
            found = stored, dimensions
        return found


def sparse_times(times, frequency):
    """Of the times of all steps, those in which a group of this frequency is handed over."""
    if not frequency.endswith(" s"):
        steps = int(frequency)
        return times[steps - 1 :: steps]
    passed = [floor(Fraction(time) / Fraction(frequency[:-2]) + Fraction(1, 10**6)) for time in [0, *times]]
    return [time for i, time in enumerate(times) if passed[i + 1] > passed[i]]


def samples_of(contents, drawn, group):
    """The samples of a group, a function that gives their fields by name, and the run's last time."""
    times, lengths, _ = contents.of("truth_dense", "dt")
    length = dict(zip(times, lengths, strict=True))
    name = drawn.groups[group][0]
    times = contents.of(f"truth_{group}", name)[0]
    samples = [Sample(i, float(time), float(length[time])) for i, time in enumerate(times)]
    if group == "sparse":
        assert list(times) == sparse_times(sorted(length), drawn.sparse_frequency), drawn.text
    read = {name: contents.of(f"truth_{group}", name)[1] for name in drawn.groups[group]}
    fixed = {name: contents.of_static("truth_fixed", name)[0] for name in drawn.groups["fixed"]}

    def fields_of(index):
        def field(name):
            if name in CLOCK:
                sample = samples[index]
                return Named(sample.time if name == "model_time" else sample.length, ())
            if name in DIMENSIONS:
                return Named(contents.coordinates(name), (name,))
            return Named(fixed[name] if name in fixed else read[name][index], dimensions_of(name))

        def before(back):
            if back > index:
                raise NothingBefore
            return fields_of(index - back)

        field.before = before
        return field

    return samples, fields_of, max(length)


def assert_record(variable, stored, expected, what):
    value = variable.value
    names = variable.chain.manipulations if variable.chain else [variable.manipulation]
    stages = [MANIPULATIONS[name] for name in names]
    jumps = any(one.jumps for one in stages)
    missing = np.isnan(expected)
    # Equal samples have no skewness, which is not missing.
    wanted = expected if jumps else np.where(missing, FILL, expected)
    is_exact = value.accuracy == "bits"
    if value.kind == "moment" and any(one.of != "rounded" for one in stages):
        is_exact = False  # the oracle rounds some moments before they count
    if jumps and not is_exact:
        return
    if any(one.of == "close" or (one.of == "powers" and value.is_spread) for one in stages):
        is_exact = False  # the model ranks round in each step
    if variable.chain and jumps and not is_exact:
        return
    if is_exact:
        np.testing.assert_array_equal(stored, wanted, what)
    else:
        scale = np.max(np.abs(expected[~missing]), initial=0)
        np.testing.assert_allclose(stored, wanted, rtol=1e-7, atol=1e-7 * scale + 1e-12, err_msg=what)


def assert_is_static(drawn, variable, contents, fields_of):
    what = f"{variable}\n{drawn.text}"
    found = contents.of_static(variable.file, variable.name)
    if found is None:
        return
    values, dimensions = found
    assert not any(name.startswith("time") for name in dimensions), what
    if variable.value.accuracy is None or not variable.is_double:
        return
    made = variable.value.of(fields_of(0))
    rounded = made.rounded() if isinstance(made, Exact) else made
    expected = np.transpose(rounded.values, [made.dimensions.index(d) for d in dimensions])
    is_missing = np.isnan(expected)
    assert np.all(values[is_missing] == FILL), what
    values, expected = (np.where(is_missing, 0, one) for one in (values, expected))
    assert_record(variable, values, expected, what)


def made_of(value, fields_of, count):
    """By sample; NaN where something in it looks back beyond the first one. None: that is so everywhere."""
    made = []
    for index in range(count):
        try:
            made.append(value.of(fields_of(index)))
        except NothingBefore:
            made.append(None)
    known = next((one for one in made if one is not None), None)
    if known is None:
        return None
    nothing = Named(np.full(known.values.shape, np.nan), known.dimensions)
    return [nothing if one is None else one for one in made]


def assert_is_made_of_the_fields(drawn, variable, contents):
    samples, fields_of, end = samples_of(contents, drawn, variable.group)
    if variable.is_static:
        return assert_is_static(drawn, variable, contents, fields_of)
    records = records_of(variable, samples, end)
    times, values, dimensions = contents.of(variable.file, variable.name)
    what = f"{variable}\n{drawn.text}"
    assert len(times) == len(records), what
    np.testing.assert_allclose(times, [time for time, _ in records], rtol=1e-9, err_msg=what)
    if variable.value.accuracy is None or not variable.is_double:
        return
    made = made_of(variable.value, fields_of, len(samples))
    if made is None:
        return
    if variable.chain:
        return assert_is_chain(variable, samples, made, values, dimensions, what)
    before = None
    for number, (time, weights) in enumerate(records):
        counted = [made[i] for i, _ in weights]
        ends = [min(time, samples[i].snapped(float(variable.frequency or 1))) for i, _ in weights]
        sample_before, before = before, counted[-1]
        if any(np.any(one.values != one.values) for one in [*counted, sample_before or before]):
            continue  # what a missing value makes of an average is for tests of their own
        weights = [weight for _, weight in weights]
        expected = expected_record(variable.manipulation, counted, weights, ends, sample_before)
        expected = np.transpose(expected, [made[0].dimensions.index(d) for d in dimensions])
        assert_record(variable, values[number], expected, f"record {number} of {what}")


def assert_is_chain(variable, samples, made, values, dimensions, what):
    if any(np.any(one.values != one.values) for one in made):
        return
    for number, expected in enumerate(variable.chain.values(samples, made, expected_record)):
        expected = np.transpose(expected, [made[0].dimensions.index(d) for d in dimensions])
        assert_record(variable, values[number], expected, f"record {number} of {what}")


def assert_has_what_its_trigger_says(drawn, trigger, contents):
    times, lengths, _ = contents.of("truth_dense", "dt")
    written, values, _ = contents.of(trigger.name, "dt")
    expected = trigger.times([float(time) for time in times])
    assert list(written) == expected, f"{trigger}\n{drawn.text}"
    if expected:
        length = dict(zip(times, lengths, strict=True))
        assert [length[time] for time in expected] == list(values), f"{trigger}\n{drawn.text}"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_configuration_gives_the_same_files_in_every_layout(seed, tmp_path):
    drawn = draw(seed, statics=seed % 3)
    path = tmp_path / "run.xml"
    path.write_text(drawn.text)
    files = run_whole(ONE, path, tmp_path / "one")

    for spread in random.Random(seed).sample(OTHERS, 3):
        others = run_whole(spread, path, tmp_path / str(spread))
        assert_same(others, files, f"{spread}\n{drawn.text}")
    contents = Contents(tmp_path / "one")
    for variable in drawn.variables:
        assert_is_made_of_the_fields(drawn, variable, contents)
    for trigger in drawn.triggers:
        assert_has_what_its_trigger_says(drawn, trigger, contents)


@pytest.mark.parametrize("seed", CONTINUED)
def test_a_random_configuration_that_is_killed_goes_on_in_another_layout(seed, tmp_path):
    drawn = draw(seed)
    path = tmp_path / "run.xml"
    path.write_text(drawn.text)
    files = run_whole(ONE, path, tmp_path / "one")
    choice = random.Random(seed)
    directory = tmp_path / "killed"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        states = {int(one.parent.name[5:]) for one in directory.glob("pileus-checkpoints/step-*/manifest")}
        return states & {int(one.stem[-10:]) for one in directory.glob("cumulus-restart-*.nc")}

    first, second = choice.sample([ONE, *OTHERS], 2)
    words = command(first, path, directory, "--checkpoint-every", KEPT_EVERY)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    assert kept(), log.read_text()
    words = command(second, path, directory, "--continue", "newest", steps=STEPS - max(kept()))
    done = run(words, f"{first}, then {second}")

    assert done.returncode == 0, f"{first}, then {second}: {drawn.text}\n{done.stderr}"
    assert_same(published(directory), files, f"{first}, then {second}\n{drawn.text}\n{done.stderr}")

"""A job of two components and one that is made of their files, and what NumPy makes of these files."""

import shutil
from fractions import Fraction

import netCDF4
import numpy
import pytest
from test_components import command, written

from oracle.launch import BIN, MPI, pileus, run

PROGRAM = BIN / "pileus_components_model"
MISSING = netCDF4.default_fillvals["f8"]

BY_HAND = {"PILEUS_TOOL": "/bin/true"}  # the job starts it in place of pileus


@pytest.fixture(autouse=True)
def programs():
    if not PROGRAM.is_file():
        pytest.skip(f"no program {PROGRAM}: build it, or set PILEUS_BUILD")


DEFINITIONS = """
  <data-definition name="state" frequency="1">
    <field name="t" type="array" data_type="double" size="x" collective="true" units="K"/>
    <field name="s" type="array" data_type="double" size="x" collective="true"/>
  </data-definition>"""

JOINT = """
  <component name="air_sea">
    <data-definition name="air" component="atmosphere" file="atmosphere.nc" frequency="1">
      <field name="t"/>
    </data-definition>
    <data-definition name="sea" component="ocean" file="ocean.nc" frequency="1">
      <field name="t"/>
    </data-definition>
    <data-handling>
      <diagnostic field="d" expression="atmosphere::t - ocean::t" units="K"/>
      <diagnostic field="d_max" expression="max[x](atmosphere::t - ocean::t)" units="K"/>
      <diagnostic field="d_mean" expression="mean[x](atmosphere::t - ocean::t)" units="K"/>
    </data-handling>
    <data-writing>
      <file name="d.nc" title="Air and sea" write_time_frequency="24">
        <include field="d" output_frequency="6"/>
      </file>
      <file name="d_max.nc" title="Air and sea" write_time_frequency="60">
        <include field="d_max" output_frequency="6"/>
      </file>
      <file name="means.nc" title="Air and sea" write_time_frequency="36">
        <include field="d" time_manipulation="averaged" output_frequency="18"/>
        <include field="d_mean" time_manipulation="averaged" output_frequency="18"/>
      </file>
    </data-writing>
  </component>"""


def configuration(joint=JOINT, common=""):
    """The ocean has values every 3 s, the atmosphere every 2 s."""
    return f"""<io-configuration>{common}
  <component name="ocean">{DEFINITIONS}
    <data-writing>
      <file name="ocean.nc" write_time_frequency="12"><include field="t" output_frequency="3"/></file>
    </data-writing>
  </component>
  <component name="atmosphere">{DEFINITIONS}
    <data-writing>
      <file name="atmosphere.nc" write_time_frequency="10"><include field="t" output_frequency="2"/></file>
    </data-writing>
  </component>{joint}
</io-configuration>
"""


OCEAN = ("ocean", 2, ["--size", 40, "--steps", 40, "--length", 1.5])
ATMOSPHERE = ("atmosphere", 3, ["--size", 40, "--steps", 60, "--length", 1])


def job(
    tmp_path, name="out", servers=1, text=None, components=(OCEAN, ATMOSPHERE), more=None, mpi=MPI, **changes
):
    """A run of the components; their directory."""
    path = written(tmp_path, text or configuration())
    directory = tmp_path / name
    done = run(command(components, directory, path, servers, mpi, more), name, **changes)
    assert done.returncode == 0, done.stdout + done.stderr
    return directory


def join(directory, *arguments, status=0, path=None, **changes):
    changed = {"SOURCE_DATE_EPOCH": "0", **changes}
    path = path or directory.parent / "run.xml"
    done = pileus("join", path, "--directory", directory, *arguments, **changed)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def series(directory, name, variable, axis="time"):
    """The records of all files of a series, in the order of their times."""
    times, values = [], []
    for path in directory.glob(f"{name}_[0-9]*.nc"):
        with netCDF4.Dataset(path) as file:
            file.set_auto_mask(False)
            times.append(file[axis][:])
            values.append(file[variable][:])
    order = numpy.argsort(numpy.concatenate(times))
    return numpy.concatenate(times)[order], numpy.concatenate(values)[order]


def difference(directory):
    """At the times that both have."""
    air_times, air = series(directory, "atmosphere", "t")
    sea_times, sea = series(directory, "ocean", "t")
    times = numpy.intersect1d(air_times, sea_times)
    return times, air[numpy.isin(air_times, times)] - sea[numpy.isin(sea_times, times)]


def mean(values):
    """Rounded once."""
    return float(sum(map(Fraction, values)) / len(values))


def joint_files(directory, names=("d", "d_max", "means")):
    return {
        path.name: path.read_bytes()
        for path in sorted(directory.glob("*.nc"))
        if path.name.rsplit("_", 1)[0] in names
    }


def check_joint_files(directory):
    """All that the configuration above asks for, to the bit."""
    times, expected = difference(directory)
    assert list(times) == [6.0 * n for n in range(1, 11)]

    found_times, found = series(directory, "d", "d")
    assert list(found_times) == list(times)
    assert found.tobytes() == expected.tobytes()
    assert {path.name for path in directory.glob("d_*.nc")} >= {"d_24.nc", "d_48.nc", "d_72.nc"}

    with netCDF4.Dataset(directory / "d_max_60.nc") as file:
        assert file["d_max"][:].tobytes() == expected.max(axis=1).tobytes()

    mean_times, means = series(directory, "means", "d")
    _, mean_of_all = series(directory, "means", "d_mean")
    windows = [(0, 3), (3, 6), (6, 9), (9, 10)]
    assert list(mean_times) == [18, 36, 54, 60]
    for record, (first, last) in enumerate(windows):
        for x in range(expected.shape[1]):
            assert means[record, x] == mean(expected[first:last, x])
        # A mean of each step, as other numbers of points may have a value in each.
        assert mean_of_all[record] == mean([mean(one) for one in expected[first:last]])


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A directory with what the components published, and what is made of it in one call."""
    directory = job(tmp_path_factory.mktemp("published"), **BY_HAND)
    assert not joint_files(directory)
    whole = directory.parent / "whole"
    copy(directory, whole, [path.name for path in directory.glob("*.nc")])
    join(whole, "--final")
    return directory, joint_files(whole)


def copy(source, target, names):
    target.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(source / name, target / ".copied")
        (target / ".copied").rename(target / name)


def in_order(directory):
    """The files of each component in the order of their periods."""
    by_time = lambda path: float(path.stem.split("_")[1])  # noqa: E731
    return [sorted(directory.glob(f"{name}_*.nc"), key=by_time) for name in ("ocean", "atmosphere")]


def some_order(directory, rng):
    """All of them, as they may be published: each component's in order."""
    waiting = in_order(directory)
    while any(waiting):
        chosen = rng.choice([one for one in waiting if one])
        yield chosen.pop(0).name


MIXED = """<io-configuration>
  <component name="a"><data-definition name="n" frequency="1">
      <field name="t" size="y,x" collective="true"/><field name="n" size="y,x" collective="true"/>
      <field name="area" size="y,x" collective="true" static="true"/></data-definition>
    <data-writing><file name="a.nc" write_time_frequency="10">
      <include field="t" output_frequency="2"/><include field="n" output_frequency="2"/>
      <include field="area" time_manipulation="none"/></file></data-writing></component>
  <component name="b"><data-definition name="n" frequency="1">
      <field name="s" size="y,x" collective="true"/></data-definition>
    <data-writing><file name="b.nc" write_time_frequency="10"><include field="s" output_frequency="2"/></file>
    </data-writing></component>
  <component name="both">
    <data-definition name="a" component="a" file="a.nc" frequency="1" namespace="of_a">
      <field name="t"/><field name="n"/><field name="area"/><field name="absent" optional="true"/>
    </data-definition>
    <data-definition name="b" component="b" file="b.nc" frequency="1"><field name="s"/></data-definition>
    <data-handling>
      <diagnostic field="d" expression="of_a::t - b::s"/>
      <diagnostic field="m" expression="mean[y,x](of_a::t - b::s, weight=of_a::area)"/>
      <diagnostic field="k" expression="sum[y,x](of_a::n)"/>
      <diagnostic field="c" expression="coarsen[y,x](of_a::t, 3, 2)"/>
    </data-handling>
    <data-writing><file name="both.nc" write_time_frequency="100">
      <include field="d" output_frequency="2"/><include field="m" output_frequency="2"/>
      <include field="k" output_frequency="2"/><include field="of_a::t" output_frequency="2"/>
      <include field="c" output_frequency="2"/></file>
    </data-writing>
  </component>
</io-configuration>
"""


def write_file(path, times, variables, static=None):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("y", 3)
        file.createDimension("x", 4)
        time = file.createVariable("time", "f8", ("time",))
        time.units, time.calendar = "seconds since 2000-01-01 00:00:00", "noleap"
        time[:] = times
        for name, (kind, fill, values) in variables.items():
            variable = file.createVariable(name, kind, ("time", "y", "x"), fill_value=fill)
            variable.set_auto_mask(False)
            variable[:] = values
        for name, values in (static or {}).items():
            file.createVariable(name, "f8", ("y", "x"))[:] = values

"""A component that is made of what others publish: its files follow from theirs, whenever it is made."""

import random
import shutil
import subprocess
from fractions import Fraction

import netCDF4
import numpy
import pytest
from oracle.cf_checker import complaints
from oracle.launch import BIN, MPI, available_mpis, environment, pileus, run
from test_components import command, written

PROGRAM = BIN / "pileus_components_model"
MISSING = netCDF4.default_fillvals["f8"]


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


def test_a_component_of_files_is_made_after_the_run(tmp_path):
    directory = job(tmp_path, **BY_HAND)

    said = join(directory, "--final")

    assert "component air_sea: 10 steps, up to 60 s; it has ended" in said.stdout
    check_joint_files(directory)


BY_HAND = {"PILEUS_TOOL": "/bin/true"}  # the job starts it in place of pileus


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


@pytest.mark.parametrize("seed", range(4))
def test_calls_after_each_file_make_what_one_call_makes(seed, published, tmp_path):
    source, expected = published
    shutil.copy(source.parent / "run.xml", tmp_path)
    directory = tmp_path / "pieces"
    rng = random.Random(seed)

    for name in some_order(source, rng):
        copy(source, directory, [name])
        if rng.random() < 0.7:
            join(directory)
            files = joint_files(directory)
            assert files.items() <= expected.items(), "what is published stays as it is"
    join(directory, "--final")

    assert joint_files(directory) == expected
    assert not list(directory.glob(".*.part")), "nothing is left"
    said = join(directory, "--final").stdout
    assert "there is nothing new since its end at 60 s" in said
    assert joint_files(directory) == expected


@pytest.mark.parametrize("seed", range(3))
def test_a_call_that_is_killed_is_made_again(seed, published, tmp_path):
    source, expected = published
    shutil.copy(source.parent / "run.xml", tmp_path)
    directory = tmp_path / "killed"
    rng = random.Random(seed)
    names = list(some_order(source, rng))

    for number, name in enumerate(names):
        copy(source, directory, [name])
        is_last = number + 1 == len(names)
        for _ in range(4 if is_last else 1):
            words = [BIN / "pileus", "join", tmp_path / "run.xml", "--directory", directory]
            words += ["--final"] if is_last else []
            call = subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL)
            try:
                call.wait(rng.uniform(0, 0.15))
            except subprocess.TimeoutExpired:
                call.kill()
                call.wait()
    join(directory, "--final")

    assert joint_files(directory) == expected


def test_a_file_that_another_is_published_before_waits_for_it(published, tmp_path):
    """The atmosphere's second file has its name, its first one not yet."""
    source, _ = published
    shutil.copy(source.parent / "run.xml", tmp_path)
    directory = tmp_path / "out"
    copy(source, directory, ["ocean_12.nc", "atmosphere_20.nc"])
    (directory / ".atmosphere_10.nc.0123456789abcdef-0.part").touch()

    assert "has published no file" in join(directory).stdout

    copy(source, directory, ["atmosphere_10.nc"])
    assert "1 step, up to 6 s" in join(directory).stdout


@pytest.mark.parametrize("mpi", available_mpis())
def test_the_job_makes_it_while_it_runs(mpi, published, tmp_path):
    _, expected = published

    for servers in (1, 2, 0, -1):
        directory = job(tmp_path, f"{servers}-servers", servers, mpi=mpi)
        assert joint_files(directory) == expected, f"{servers} servers"
        assert not list(directory.glob(".*.part")), "nothing is left"
        check_joint_files(directory)
    assert "nothing new since its end" in join(directory).stdout


@pytest.mark.parametrize("servers", [2, 0])
def test_a_job_that_is_killed_and_continued_has_the_same_files(servers, published, tmp_path):
    _, expected = published
    path = written(tmp_path, configuration())
    directory = tmp_path / "killed"
    more = {
        "ocean": ["--checkpoint-every", 5, "--die-after", 20],
        "atmosphere": ["--checkpoint-every", 7, "--partner", 0, "--exchange-every", 25],
    }
    run(command((OCEAN, ATMOSPHERE), directory, path, servers, more=more), "killed")
    assert joint_files(directory).items() < expected.items()

    goes_on = {"ocean": ["--continue"], "atmosphere": ["--continue"]}
    again = run(command((ATMOSPHERE, OCEAN), directory, path, 1 if servers else 0, more=goes_on), "continued")

    assert again.returncode == 0, again.stdout + again.stderr
    assert joint_files(directory) == expected


def test_a_component_that_ends_early_ends_the_common_times(tmp_path):
    short = ("atmosphere", 1, ["--size", 40, "--steps", 31, "--length", 1])
    directory = job(tmp_path, components=(OCEAN, short))

    times, expected = difference(directory)
    found_times, found = series(directory, "d", "d")
    assert list(found_times) == list(times) == [6, 12, 18, 24, 30]
    assert found.tobytes() == expected.tobytes()
    assert "there is nothing new since its end at 30 s" in join(directory).stdout


def test_components_that_are_continued_to_a_later_end_continue_it(published, tmp_path):
    _, expected = published
    more = {"ocean": ["--checkpoint-every", 4], "atmosphere": ["--checkpoint-every", 6]}
    shorter = [
        (name, ranks, [*options, "--steps", steps])
        for (name, ranks, options), steps in ((OCEAN, 22), (ATMOSPHERE, 33))
    ]
    directory = job(tmp_path, components=shorter, more=more)
    assert "means_36.nc" in joint_files(directory), "the window that ends at 36 is closed at the end"

    again = {"ocean": ["--continue"], "atmosphere": ["--continue"]}
    job(tmp_path, more=again)

    assert joint_files(directory) == expected


def test_another_run_in_the_same_directory_is_not_taken_for_the_same(tmp_path):
    directory = job(tmp_path)
    for path in [*directory.glob("ocean_*.nc"), *directory.glob("atmosphere_*.nc")]:
        path.unlink()
    path = written(tmp_path, configuration())

    again = run(command((OCEAN, ATMOSPHERE), directory, path, 1), "again")

    assert again.returncode == 0, "the components themselves are well"
    assert 'component "air_sea" was made of files of other runs than those of now' in again.stderr
    assert "pileus join: exit status 1" in again.stdout + again.stderr


def test_options_of_the_components_are_known(tmp_path):
    text = configuration().replace("ocean.nc", "{number}_ocean.nc")
    more = {"ocean": ["--option", "number=7"]}
    directory = job(tmp_path, text=text, more=more)

    assert joint_files(directory)
    assert list(directory.glob("7_ocean_*.nc"))


# ---- What is wrong is said before the job ----


def in_the_configuration(old, new):
    return configuration().replace(old, new)


WRONG = {
    "unknown component": (
        in_the_configuration('component="atmosphere"', 'component="atmospher"'),
        'no component "atmospher"; did you mean "atmosphere"?',
    ),
    "unknown file": (
        in_the_configuration('file="atmosphere.nc"', 'file="atmosfere.nc"'),
        'component "atmosphere" has no file "atmosfere.nc"; did you mean "atmosphere.nc"?',
    ),
    "unknown variable": (
        in_the_configuration('<field name="t"/>', '<field name="tt"/>'),
        'file "atmosphere.nc" of component "atmosphere" has no variable "tt"; did you mean "t"?',
    ),
    "a component that reads itself": (
        in_the_configuration(
            'component="atmosphere" file="atmosphere.nc"', 'component="air_sea" file="d.nc" namespace="a"'
        ),
        'data-definition "air" reads files of its own component "air_sea"',
    ),
    "components that read each other": (
        in_the_configuration(
            '<component name="ocean">',
            '<component name="ocean"><data-definition name="n" component="air_sea" file="d.nc" frequency="1">'
            '<field name="d"/></data-definition>',
        ),
        "components read each other's files in a circle: air_sea those of ocean, that those of air_sea",
    ),
    "a component without a file": (
        in_the_configuration('component="atmosphere" file="atmosphere.nc"', 'component="atmosphere"'),
        'data-definition "air" has the attribute "component" alone',
    ),
    "a model and files": (
        in_the_configuration(
            "<data-handling>",
            '<data-definition name="own" frequency="1"><field name="w"/></data-definition><data-handling>',
        ),
        'data-definition "sea" is made of files, and data-definition "own", at ',
    ),
    "only the newest": (
        in_the_configuration('name="ocean.nc"', 'name="ocean.nc" keep="newest"'),
        "keeps only the newest of its series: read one whose records stay",
    ),
    "a number for no value": (
        in_the_configuration('<field name="t"/>', '<field name="t" missing_value="3"/>'),
        "is in files of another component: these say what stands for no value; leave missing_value out",
    ),
    "other calendars": (
        in_the_configuration(
            '<component name="ocean">', '<component name="ocean"><time calendar="noleap"/>'
        ).replace('<component name="atmosphere">', '<component name="atmosphere"><time calendar="360_day"/>'),
        'component "ocean" has the calendar "noleap", and component "atmosphere" "360_day"',
    ),
    "no time in common": (
        in_the_configuration('output_frequency="2"', 'output_frequency="2.000001"').replace(
            '<component name="ocean">', '<component name="ocean"><time end="10 d"/>'
        ),
        'the records of file "ocean.nc", every 3.0 s, and of file "atmosphere.nc", every 2.000001 s, have no '
        "time in common",
    ),
    "a name without a definition": (
        in_the_configuration(
            '<field name="s" type="array" data_type="double" size="x" collective="true"/>', ""
        ).replace(
            '</data-definition>\n    <data-writing>\n      <file name="ocean.nc"',
            '</data-definition><data-handling><diagnostic field="e" expression="atmosphere::t"/>'
            '</data-handling>\n    <data-writing>\n      <file name="ocean.nc"',
        ),
        'a component that has no model can read its files, <data-definition component="atmosphere" file=...>',
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_check_says_what_is_wrong(name, tmp_path):
    text, expected = WRONG[name]
    done = pileus("check", written(tmp_path, text))

    assert expected in done.stdout, done.stdout
    assert done.returncode == 1
    assert done.stdout.count(": error: ") <= 8, done.stdout
    assert "run.xml:" in done.stdout


def test_check_and_explain_know_it(tmp_path):
    path = written(tmp_path, configuration())
    checked = pileus("check", path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert 'component "air_sea": no errors' in checked.stdout, checked.stdout
    assert "warning" not in checked.stdout, checked.stdout

    model = tmp_path / "model.json"
    directory = job(tmp_path, **BY_HAND)
    join(directory, "--final", PILEUS_DESCRIBE_MODEL=str(model))
    explained = pileus(
        "explain", path, "--component", "air_sea", "--model", tmp_path / "model.air_sea.json", "--timestep", 6
    )
    assert explained.returncode == 0, explained.stderr
    assert "means.nc" in explained.stdout and "ocean.nc" not in explained.stdout, explained.stdout


def test_what_does_not_fit_in_the_files_is_an_error_with_the_place(tmp_path):
    wide = ("atmosphere", 1, ["--size", 90, "--steps", 20, "--length", 1])
    path = written(tmp_path, configuration())
    directory = tmp_path / "wide"
    done = run(command((OCEAN, wide), directory, path, 1), "wide")

    assert done.returncode == 0, "no component is hurt"
    assert "its dimension x is not that of" in done.stderr and "90 and 40 points" in done.stderr, done.stderr
    assert "regrid one of the two" in done.stderr and "run.xml:" in done.stderr
    assert "component air_sea, which is made of files of this one: pileus join: exit status 1" in done.stderr
    assert "1 warning in the log above" in done.stdout

    other = ("atmosphere", 1, [*ATMOSPHERE[2], "--calendar", "noleap"])
    done = run(command((OCEAN, other), tmp_path / "other", path, 1), "other")
    assert "components that are read together need one calendar and epoch" in done.stderr, done.stderr


def test_a_configuration_without_such_a_component_is_told(tmp_path):
    path = written(tmp_path, configuration(joint=""))
    (tmp_path / "out").mkdir()
    done = pileus("join", path, "--directory", tmp_path / "out")

    assert done.returncode != 0
    assert "no component is made of files of others" in done.stderr


def test_its_files_are_for_everybody(published, tmp_path):
    xarray = pytest.importorskip("xarray")
    source, expected = published
    directory = source.parent / "whole"

    _, differences = difference(source)
    records = []
    for name in ("d_24.nc", "d_48.nc", "d_72.nc"):
        with xarray.open_dataset(directory / name) as data:
            assert data["d"].attrs["units"] == "K"
            records.append(data["d"].values)
    numpy.testing.assert_array_equal(numpy.concatenate(records), differences)
    for name in expected:
        assert not complaints(directory / name, tmp_path / "report.json"), name


# ---- What is in files that models do not write here: other types, missing values, static fields ----

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


def test_types_missing_values_and_static_fields_are_those_of_the_files(tmp_path):
    rng = numpy.random.default_rng(5)
    times = [2.0, 4, 6, 8]
    t = rng.normal(280, 9, (4, 3, 4)).astype("f4")
    s = rng.normal(285, 9, (4, 3, 4))
    n = rng.integers(0, 9, (4, 3, 4)).astype("i4")
    area = rng.uniform(1, 2, (3, 4))
    t[0, 1, 2] = t[3, 0, 0] = -999
    s[1, 2, 3] = MISSING
    n[2, 0, 1] = -1
    directory = tmp_path / "out"
    directory.mkdir()
    path = written(tmp_path, MIXED)
    written_fields = {"t": ("f4", -999.0, t), "n": ("i4", -1, n)}
    write_file(directory / "a_10.nc", times, written_fields, {"area": area})
    write_file(directory / "b_10.nc", times, {"s": ("f8", None, s)})

    join(directory, "--final", path=path)

    is_missing = (t == -999) | (s == MISSING)
    expected = numpy.where(is_missing, MISSING, t.astype("f8") - s)
    with netCDF4.Dataset(directory / "both_100.nc") as file:
        file.set_auto_mask(False)
        assert list(file["time"][:]) == times and file["time"].calendar == "noleap"
        assert file["d"][:].tobytes() == expected.tobytes()
        assert file["t"].dtype == "f4"
        assert (file["t"][:][t != -999] == t[t != -999]).all()
        assert (file["t"][:][t == -999] == file["t"]._FillValue).all()
        for record in range(4):
            kept = ~is_missing[record]
            weights = area[kept]
            terms = [Fraction(w) * Fraction(d) for w, d in zip(weights, expected[record][kept], strict=True)]
            weighted = sum(terms) / sum(map(Fraction, weights))
            assert file["m"][record] == float(weighted)
            for x in (0, 1):
                block = t[record, :, 2 * x : 2 * x + 2].ravel()
                assert file["c"][record, 0, x] == mean([float(one) for one in block if one != -999])
            assert file["k"][record] == n[record][n[record] != -1].sum()

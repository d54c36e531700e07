"""What is wrong with a component that is made of files of others is said: before the job, or by its files."""

import pytest
from oracle.joint import (  # noqa: F401
    ATMOSPHERE,
    BY_HAND,
    OCEAN,
    configuration,
    job,
    join,
    mean,
    programs,
    series,
)
from oracle.launch import pileus, run
from test_components import command, written


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
    "named as MONC does": (
        in_the_configuration('name="ocean.nc"', 'name="ocean.nc" naming="monc"'),
        "is named as MONC does, and its files cannot be read in their order",
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

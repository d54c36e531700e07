"""``pileus check`` looks standard names up in the table of CF."""

import sys
from pathlib import Path

import pytest
from oracle.launch import pileus

ROOT = Path(__file__).resolve().parent.parent
TABLE = """<?xml version="1.0"?>
<standard_name_table>
  <version_number>7</version_number>
  <entry id="air_temperature"><canonical_units>K</canonical_units><description>x &amp; y</description></entry>
  <entry id="upward_air_velocity"><canonical_units>m s-1</canonical_units></entry>
  <entry id="quality_flag"><canonical_units></canonical_units></entry>
  <alias id="air_temp"><entry_id>air_temperature</entry_id></alias>
</standard_name_table>
"""
CONFIGURATION = """<io-configuration>
  <dimension name="z" standard_name="{of_z}" units="K"/>
  <data-definition name="state" frequency="1">
    <field name="t" size="z,y,x" collective="true" {field}/>
  </data-definition>
  <data-handling>
    <diagnostic field="mean_t" expression="mean[x,y](t)" {diagnostic}/>
  </data-handling>
  <data-writing>
    <file name="t.nc" write_time_frequency="10"><include field="mean_t" output_frequency="5"/></file>
  </data-writing>
</io-configuration>
"""


@pytest.fixture
def said(tmp_path):
    (tmp_path / "table.xml").write_text(TABLE)

    def of(field="", diagnostic="", of_z="air_temperature", *arguments, **environment):
        text = CONFIGURATION.format(field=field, diagnostic=diagnostic, of_z=of_z)
        (tmp_path / "run.xml").write_text(text)
        return pileus("check", "run.xml", *arguments, cwd=tmp_path, **environment)

    return of


RIGHT = [
    'standard_name="air_temperature" units="degC"',
    'standard_name="air_temperature standard_error" units="K"',
    'standard_name="air_temperature number_of_observations" units="1"',
    'standard_name="upward_air_velocity" units="km h-1"',
    'standard_name="upward_air_velocity"',
    'standard_name="quality_flag" units="m"',
]
WRONG = {
    'standard_name="air_temprature"': (
        'standard_name="air_temprature": it is not in CF\'s table 7; did you mean "air_temperature"?'
    ),
    'standard_name="Air_temperature"': "it is not in CF's table 7",
    'standard_name="air_temp"': 'standard_name="air_temp": CF calls it "air_temperature" now',
    'standard_name="air_temperature mean"': '"mean" is no modifier that CF lets stand behind a name',
    'standard_name="upward_air_velocity" units="K"': (
        'units="K": upward_air_velocity is in units such as "m s-1"'
    ),
}


@pytest.mark.parametrize("attributes", RIGHT)
def test_what_is_right_is_passed_over(said, attributes):
    done = said(attributes, "", "air_temperature", "--standard-names", "table.xml")

    assert done.returncode == 0
    assert "warning" not in done.stdout, done.stdout


@pytest.mark.parametrize("attributes", WRONG)
@pytest.mark.parametrize("place", ["field", "diagnostic"])
def test_what_is_wrong_is_named_with_its_place(said, attributes, place):
    done = said(**{place: attributes}, PILEUS_STANDARD_NAMES="table.xml")

    assert done.returncode == 0
    line = 4 if place == "field" else 7
    (found,) = [one for one in done.stdout.splitlines() if "warning" in one]
    assert found.startswith(f"run.xml:{line}:") and WRONG[attributes] in found


def test_dimensions_are_looked_at_too(said):
    done = said("", "", "height", PILEUS_STANDARD_NAMES="table.xml")

    assert "run.xml:2:" in done.stdout and 'standard_name="height": it is not in CF\'s table 7' in done.stdout


def test_without_a_table_nothing_is_said(said):
    assert "warning" not in said('standard_name="air_temprature"').stdout


@pytest.mark.parametrize(
    "table, why", [("nowhere.xml", "nowhere.xml"), ("run.xml", "no table of CF's standard names")]
)
def test_a_table_that_is_none_is_an_error(said, table, why):
    done = said("", "", "air_temperature", "--standard-names", table)

    assert done.returncode == 2
    assert why in done.stderr


def test_the_names_of_examples_and_presets_are_those_of_cf():
    packages = [Path(one) for one in sys.path if one.endswith("site-packages")]
    tables = [one / "compliance_checker/data/cf-standard-name-table.xml" for one in packages]
    table = next((one for one in tables if one.is_file()), None)
    if table is None:
        pytest.skip("compliance-checker is not installed")
    files = sorted((ROOT / "examples").glob("*/*.xml"))
    files += sorted((ROOT / "share/pileus/presets").glob("*.xml"))
    assert len(files) > 30
    done = pileus("check", *files, PILEUS_STANDARD_NAMES=str(table))

    words = ("standard_name", "is in units such as")
    lines = [one for one in done.stdout.splitlines() if any(word in one for word in words)]
    assert lines == []

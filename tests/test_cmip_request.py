"""pileus cmip: a data request becomes a configuration that check accepts, and says what the model lacks."""

import json
import re
import shutil
from pathlib import Path

import netCDF4
import pytest
from oracle.launch import Layout, pileus, require_programs, run_model

TABLES = Path(__file__).parent / "cmip"
GIVEN = {
    "experiment_id": "amip",
    "source_id": "PILEUS-1-0",
    "institution_id": "OWN-LAB",
    "variant_label": "r1i1p2f3",
    "grid_label": "gn",
    "nominal_resolution": "100 km",
    "source_type": "AGCM",
    "version": "v20270131",
}
FIELDS = "variable,field,positive,units,size\ntas,warm,,K,\"x,y\"\nhfls,path,down,kW m-2,\"x,y\"\n"
REQUEST = "table,variable\nAmon,tas\nAmon,hfls\n"


def options(**given):
    return [word for name, value in given.items() for word in ("--attribute", f"{name}={value}")]


@pytest.fixture
def folder(tmp_path):
    for table in TABLES.glob("*.json"):
        shutil.copy(table, tmp_path)
    return tmp_path


def asked(folder, request, *more, fields=FIELDS, tables="CMIP6", given=GIVEN):
    """Runs the command beside its files; a text that is None has no file."""
    (folder / "request.csv").write_bytes(request if isinstance(request, bytes) else request.encode())
    words = ["request.csv", "--tables", tables, *options(**given), *more]
    if fields is not None:
        (folder / "fields.csv").write_text(fields, encoding="utf-8")
        words += ["--fields", "fields.csv"]
    return pileus("cmip", *words, cwd=folder)


def elements(text):
    return [dict(re.findall(r'(\w+)="([^"]*)"', one)) for one in re.findall(r"<cmip (.*)/>", text)]


def checked(folder, text, *more):
    (folder / "run.xml").write_text(text, encoding="utf-8")
    return pileus("check", "run.xml", *more, cwd=folder)


def test_a_request_becomes_a_configuration_that_check_accepts(folder):
    done = asked(folder, REQUEST)

    assert done.returncode == 0, done.stderr
    assert elements(done.stdout) == [
        {"table": "Amon", "variable": "tas", "field": "warm", "write_time_frequency": "10 years"},
        {
            "table": "Amon",
            "variable": "hfls",
            "field": "path",
            "positive": "down",
            "write_time_frequency": "10 years",
        },
    ]
    assert "2 of 2 variables" in done.stderr
    again = checked(folder, done.stdout)
    assert again.returncode == 0 and "no errors" in again.stdout


@pytest.mark.parametrize(
    "row, why",
    [
        ("Amon,pr,", "the table has no such variable"),
        ("Amo,tas,", 'there is no table CMIP6_Amo.json; did you mean "Amon"?'),
        ("day,tasmin,", 'the model has no field "tasmin", but warn'),
        ("Amon,tasmax,cold", 'the model has no field "cold"'),
        ("Amon,tasclim,warm", "are not made"),
        ("day,tasmin,length", '"m" cannot become "K"'),
        ("Amon,hfls,length", 'it is positive up: say "up" or "down"'),
    ],
)
def test_what_the_model_lacks_is_left_out_and_said(row, why, folder):
    (folder / "model.xml").write_text(
        """<io-configuration><data-definition name="m" frequency="1">
        <field name="warm" size="x,y" collective="true" units="K" standard_name="air_temperature"/>
        <field name="length" size="x,y" collective="true" units="m"/>
        </data-definition></io-configuration>""",
        encoding="utf-8",
    )
    request = f"table,variable,field\nAmon,tas,warm\n{row}\n"

    done = asked(folder, request, "--include", "model.xml", fields=None)

    assert done.returncode == 0, done.stderr
    assert [one["variable"] for one in elements(done.stdout)] == ["tas"]
    place = f"request.csv:3: {row.split(',')[0]} {row.split(',')[1]}: "
    why = why.replace("but warn", "but warm of the standard name")
    for text in done.stdout, done.stderr:
        assert place in text and why in text
    assert "1 of 2 variables" in done.stderr
    assert checked(folder, done.stdout).returncode == 0


def test_branded_and_compound_names_are_those_of_cmip7(folder):
    given = GIVEN | {"grid_label": "g100", "license": "CC-BY-4.0", "version": "20270131"}
    for request in (
        "compound_name\natmos.tas.tavg-h2m-hxy-u.mon.glb\n",
        "branded_name,frequency\ntas_tavg-h2m-hxy-u,mon\n",
        "table;variable;frequency;region\r\natmos;tas_tavg-h2m-hxy-u;mon;\r\n",
    ):
        done = asked(folder, request, tables="CMIP7", given=given)

        assert done.returncode == 0, done.stderr
        (made,) = elements(done.stdout)
        assert (made["table"], made["variable"]) == ("atmos", "tas_tavg-h2m-hxy-u")
        assert made["frequency"] == "mon" and made["field"] == "warm"
        assert checked(folder, done.stdout).returncode == 0
    lacking = asked(folder, "table,variable\natmos,tas_tavg-h2m-hxy-u\n", tables="CMIP7", given=given)
    assert "says no frequency" in lacking.stderr and not elements(lacking.stdout)


def test_rows_of_other_experiments_and_members_are_passed_over(folder):
    rows = 'table,variable,experiment,member\nAmon,tas,"amip, historical",r1i1p2f3\nAmon,hfls,historical,\n'
    given = {name: value for name, value in GIVEN.items() if name not in ("experiment_id", "variant_label")}

    which = asked(folder, rows, given=given)
    chosen = asked(folder, rows, given=given | {"experiment_id": "amip"})
    none = asked(folder, rows, given=given | {"experiment_id": "piControl"})

    assert which.returncode == 1 and "amip and historical, and a run is one of them" in which.stderr
    assert chosen.returncode == 0 and [one["variable"] for one in elements(chosen.stdout)] == ["tas"]
    assert 'variant_label="r1i1p2f3"' in chosen.stdout
    assert none.returncode == 1 or not elements(none.stdout)


def test_what_is_not_given_is_left_to_the_run(folder):
    given = {name: value for name, value in GIVEN.items() if name != "experiment_id"}

    done = asked(folder, REQUEST, given=given)

    assert done.returncode == 0
    assert 'experiment_id="{experiment_id}"' in done.stdout and "experiment_id" in done.stderr
    assert checked(folder, done.stdout).returncode == 1
    assert checked(folder, done.stdout, "--set", "experiment_id=amip").returncode == 0


@pytest.mark.parametrize(
    "request_text, why",
    [
        ("", "request.csv: error: it is empty"),
        ("table,varable\n", 'did you mean "variable"?'),
        ("table,table_id,variable\n", "request.csv:1:7: error: a second column for the table"),
        ("table,variable\nAmon\n", "request.csv:2: error: the row names no variable"),
        ("table,variable\nAmon,tas,1,2\n", "request.csv:2:10: error: a row of 4 cells"),
        ('table,variable\nAmon,"tas\n', "request.csv:2:6: error: the quote that begins here has no end"),
        ("table,variable\nAmon,t{x}\n", "expected letters, digits"),
        ("table,variable\nAmon,tas\n".encode("utf-16"), "it is UTF-16"),
        (b"table,variable\nAmon,t\xe4s\n", "request.csv:2:6: error: a control character, or bytes"),
    ],
)
def test_mistakes_of_a_request_say_where_and_nothing_is_written(request_text, why, folder):
    done = asked(folder, request_text, "--output", "made.xml")

    assert done.returncode == 1
    assert why in done.stderr and not (folder / "made.xml").exists()


def test_mistakes_of_the_command(folder):
    (folder / "other.csv").write_text("variable,field\ntas,wram\n", encoding="utf-8")
    (folder / "model.xml").write_text(
        '<io-configuration><data-definition name="m" frequency="1"><field name="warm" units="K" size="x"/>'
        "</data-definition></io-configuration>",
        encoding="utf-8",
    )

    nothing = asked(folder, REQUEST, fields=None)
    wrong = asked(folder, REQUEST, "--include", "model.xml", "--fields", "other.csv", fields=None)
    word = asked(folder, REQUEST, "--attribute", "amip")
    vocabulary = asked(folder, REQUEST, given=GIVEN | {"experiment_id": "amipp"})
    missing = pileus("cmip", "none.csv", "--tables", "CMIP6", "--fields", "none.csv", cwd=folder)

    assert nothing.returncode == 2 and "say which fields the model has" in nothing.stderr
    assert wrong.returncode == 1 and 'other.csv:2: error: the model has no field "wram"' in wrong.stderr
    assert 'did you mean "warm"?' in wrong.stderr
    assert word.returncode == 2 and "expected name=value" in word.stderr
    assert vocabulary.returncode == 1 and 'did you mean "amip"?' in vocabulary.stderr
    assert missing.returncode == 2 and "none.csv" in missing.stderr


def description(folder):
    fields = {"tas": "K", "hfls": "W m-2", "t:x": "K"}
    whole = {"start": [0, 0], "count": [4, 3]}
    model = {
        "servers": 1,
        "timestep_s": 3600.0,
        "start_time_s": 0.0,
        "calendar": "noleap",
        "epoch": "2000-01-01 00:00:00",
        "dimensions": [
            {"name": "lon", "size": 4, "coordinates": [0, 90, 180, 270], "units": "degrees_east"},
            {"name": "lat", "size": 3, "coordinates": [-60, 0, 60], "units": "degrees_north"},
        ],
        "fields": [
            {"name": name, "type": "double", "dimensions": ["lon", "lat"], "units": units}
            for name, units in fields.items()
        ],
        "ranks": [{"fields": dict.fromkeys(fields, whole)}],
    }
    (folder / "model.json").write_text(json.dumps(model), encoding="utf-8")


def test_fields_of_a_described_model_are_declared_and_planned(folder):
    description(folder)
    (folder / "sub").mkdir()

    done = asked(
        folder,
        "table,variable,positive\nAmon,tas,\nAmon,hfls,up\nday,tasmin,\n",
        *("--model", "model.json", "--output", "sub/run.xml"),
        fields=None,
    )

    assert done.returncode == 0, done.stderr
    text = (folder / "sub" / "run.xml").read_text(encoding="utf-8")
    assert '<time calendar="noleap" epoch="2000-01-01 00:00:00"/>' in text
    assert '<dimension name="lat" axis="Y" standard_name="latitude" units="degrees_north"/>' in text
    assert '<field name="hfls" size="lon,lat" collective="true" units="W m-2"/>' in text
    assert "t:x" not in text and 'tables="../CMIP6"' in text
    assert 'the model has no field "tasmin"' in done.stderr
    again = pileus("check", "sub/run.xml", "--model", "model.json", cwd=folder)
    assert again.returncode == 0 and "no errors" in again.stdout, again.stdout
    twice = asked(folder, REQUEST, "--output", "sub/run.xml")
    assert twice.returncode == 2 and "exists already" in twice.stderr


def test_the_configuration_runs(folder):
    require_programs()
    (folder / "model.xml").write_text(
        """<io-configuration><time calendar="360_day" epoch="2000-01-01"/>
        <dimension name="x" axis="X" standard_name="longitude" units="degrees_east"/>
        <dimension name="y" axis="Y" standard_name="latitude" units="degrees_north"/>
        <data-definition name="m" frequency="1">
        <field name="path" size="y,x" collective="true" units="kW m-2"/>
        </data-definition></io-configuration>""",
        encoding="utf-8",
    )
    made = asked(
        folder,
        "table,variable,field,positive\nAmon,hfls,path,up\n",
        *("--include", "model.xml", "--output", "run.xml"),
        fields=None,
        given=GIVEN | {"write_time_frequency": "1 month"},
    )
    assert made.returncode == 0, made.stderr

    run_model(
        Layout(is_alone=True), folder / "run.xml", folder / "out", "--size", "3,4,5", "--steps", 40,
        "--sequence", "days",
    )  # fmt: skip

    (first, *_) = sorted((folder / "out").rglob("*.nc"))
    assert first.name == "hfls_Amon_PILEUS-1-0_amip_r1i1p2f3_gn_200001-200001.nc"
    with netCDF4.Dataset(first) as dataset:
        assert dataset["hfls"].units == "W m-2" and dataset.variant_label == "r1i1p2f3"

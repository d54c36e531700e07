"""Files of CMIP: their names, what they say of themselves, and that they are the same in every layout."""

import json
import re
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import cftime
import netCDF4
import numpy as np
import pytest
from oracle.configured import group, handling, write
from oracle.kills import kill_when
from oracle.launch import Layout, environment, model_command, pileus, require_programs, run, run_model

STEPS = 70
OPTIONS = ("--size", "3,4,5", "--steps", STEPS, "--sequence", "days")
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(2, is_uneven=True)]
TABLES = Path(__file__).parent / "cmip"
TIME = '<time calendar="360_day" epoch="2000-01-01"/>'
DIMENSIONS = """<dimension name="x" axis="X" standard_name="longitude" units="degrees_east"/>
<dimension name="y" axis="Y" standard_name="latitude" units="degrees_north"/>"""
FIELDS = '<field name="path" size="y,x" collective="true" units="kW m-2"/>'
WARM = """<diagnostic field="warm" units="degC" units_metadata="temperature: on_scale"
  expression="path + 0"/>"""
SIX = {
    "tables": "CMIP6",
    "experiment_id": "amip",
    "source_id": "PILEUS-1-0",
    "institution_id": "OWN-LAB",
    "variant_label": "r1i1p2f3",
    "grid_label": "gn",
    "nominal_resolution": "100 km",
    "source_type": "AGCM AER",
    "version": "v20270131",
    "write_time_frequency": "1 month",
}
SEVEN = SIX | {"tables": "CMIP7", "grid_label": "g100", "license": "CC-BY-4.0", "version": "20270131"}
TAS = {"table": "Amon", "variable": "tas", "field": "warm"}
HFLS = {"table": "Amon", "variable": "hfls", "field": "path", "positive": "down"}
BRANDED = {"table": "atmos", "variable": "tas_tavg-h2m-hxy-u", "field": "warm", "frequency": "mon"}


def element(name, attributes, content=""):
    said = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    return f"<{name} {said}>{content}</{name}>"


def configured(directory, *datasets):
    directory.mkdir(exist_ok=True)
    for table in TABLES.glob("*.json"):
        shutil.copy(table, directory)
    plain = """<file name="plain.nc" write_time_frequency="1000 d">
      <include field="path" time_manipulation="averaged" output_frequency="1 month"/></file>"""
    writing = f"<data-writing>{plain}{''.join(datasets)}</data-writing>"
    return write(directory, TIME, DIMENSIONS, group(FIELDS), handling(WARM), writing)


def all_datasets():
    six = element("cmip-dataset", SIX, element("cmip", TAS) + element("cmip", HFLS))
    return six, element("cmip-dataset", SEVEN, element("cmip", BRANDED))


def published(directory):
    return {str(path.relative_to(directory)): path for path in directory.rglob("*.nc")}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("cmip")
    run_model(ALONE, configured(directory, *all_datasets()), directory / "out", *OPTIONS)
    return published(directory / "out")


def test_names_and_folders_are_those_of_the_data_reference_syntax(files):
    folder = "CMIP6/CMIP/OWN-LAB/PILEUS-1-0/amip/r1i1p2f3/Amon"
    end = "Amon_PILEUS-1-0_amip_r1i1p2f3_gn"
    branded = "MIP-DRS7/CMIP7/CMIP/OWN-LAB/PILEUS-1-0/amip/r1i1p2f3/glb/mon/tas/tavg-h2m-hxy-u/g100/20270131"
    months = ("200001-200001", "200002-200002", "200003-200003")
    expected = [
        f"{folder}/{name}/gn/v20270131/{name}_{end}_{month}.nc"
        for name in ("tas", "hfls")
        for month in months
    ]
    expected += [
        f"{branded}/tas_tavg-h2m-hxy-u_mon_glb_g100_PILEUS-1-0_amip_r1i1p2f3_{month}.nc" for month in months
    ]

    assert sorted(name for name in files if not name.startswith("plain")) == sorted(expected)


def of_variable(files, name, era="CMIP6"):
    return [files[one] for one in sorted(files) if f"/{name}/" in one and f"{era}/" in one]


def test_values_have_the_units_and_the_sign_of_the_table(files):
    (plain,) = [path for name, path in files.items() if name.startswith("plain")]
    with netCDF4.Dataset(plain) as dataset:
        wanted = dataset["path"][:].data
    for name, expected in (("tas", wanted + 273.15), ("hfls", -1000 * wanted)):
        for month, path in enumerate(of_variable(files, name)):
            with netCDF4.Dataset(path) as dataset:
                variable = dataset[name]
                assert variable.dtype == np.float32 and variable.shape == (1, *wanted.shape[1:])
                assert np.allclose(variable[0].data, expected[month], rtol=1e-7, atol=0)
                assert set(dataset.variables) == {"time", "time_bnds", name} | (
                    {"height"} if name == "tas" else set()
                )
    with netCDF4.Dataset(of_variable(files, "hfls")[0]) as dataset:
        assert (dataset["hfls"].units, dataset["hfls"].positive) == ("W m-2", "up")
    with netCDF4.Dataset(of_variable(files, "tas")[0]) as dataset:
        assert dataset["tas"].units == "K" and dataset["tas"].cell_methods == "area: time: mean"
        assert dataset["tas"].cell_measures == "area: areacella"
        assert dataset["tas"].standard_name == "air_temperature"
        assert dataset["tas"].long_name == "Air temperature near the surface"


@pytest.mark.parametrize("era", ["CMIP6", "CMIP7"])
def test_files_have_all_attributes_that_the_vocabulary_asks_for(era, files):
    with open(TABLES / f"{era}_CV.json", encoding="utf-8") as opened:
        vocabulary = json.load(opened)["CV"]
    ids = set()
    paths = of_variable(files, "tas", era)
    for path in paths:
        with netCDF4.Dataset(path) as dataset:
            said = {name: dataset.getncattr(name) for name in dataset.ncattrs()}
        assert not [name for name in vocabulary["required_global_attributes"] if name not in said]
        ids.add(said["tracking_id"])
        prefix, number = said["tracking_id"].split("/")
        assert prefix == {"CMIP6": "hdl:21.14100", "CMIP7": "hdl:21.14107"}[era]
        assert uuid.UUID(number).version == 8 and uuid.UUID(number).variant == uuid.RFC_4122
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", said["creation_date"])
        assert said["history"].startswith(said["creation_date"])
        assert said["experiment"] == "a sea that is given" and said["variable_id"] == "tas"
    assert len(ids) == len(paths) == 3
    if era == "CMIP6":
        assert said["Conventions"] == "CF-1.7 CMIP-6.2" and said["data_specs_version"] == "01.00.33"
        assert said["physics_index"] == 2 and said["forcing_index"] == 3
        assert said["source"] == "PILEUS-1-0 (2027): the model of the tests"
        assert said["external_variables"] == "areacella"
        assert said["further_info_url"].endswith("/CMIP6.OWN-LAB.PILEUS-1-0.amip.none.r1i1p2f3")
    else:
        assert said["Conventions"] == "CF-1.12" and said["physics_index"] == "p2"
        assert said["branded_variable"] == "tas_tavg-h2m-hxy-u" and said["vertical_label"] == "h2m"


def test_the_months_in_a_name_are_those_of_its_records(files):
    for path in of_variable(files, "tas"):
        first, last = re.search(r"_(\d{6})-(\d{6})\.nc$", path.name).groups()
        with netCDF4.Dataset(path) as dataset:
            time = dataset["time"]
            bounds = dataset[time.bounds][:]
            assert time.units == "days since 2000-01-01 00:00:00"
            assert np.array_equal(time[:], bounds.mean(axis=1))
            dates = cftime.num2date(time[:], time.units, calendar=time.calendar)
            ends = [30 * (int(first[4:]) - 1), 30 * int(first[4:])]
        if first != "200003":
            assert np.array_equal(bounds, [ends])
        else:  # the run ends within it
            assert bounds[0][0] == ends[0] < bounds[0][1] <= ends[1]
        assert [f"{one.year:04}{one.month:02}" for one in (dates[0], dates[-1])] == [first, last]


def test_the_checker_of_cf_finds_no_error(files, tmp_path):
    checker = Path(sys.executable).parent / "compliance-checker"
    if not checker.exists():
        pytest.skip("compliance-checker is not installed")
    for path in (of_variable(files, "tas")[0], of_variable(files, "hfls")[0]):
        report = tmp_path / "report.json"
        command = [checker, "--test=cf:1.7", "--criteria=normal", "--format=json", f"--output={report}", path]
        subprocess.run(command, capture_output=True, timeout=300, check=False)
        found = json.loads(report.read_text(encoding="utf-8"))["cf:1.7"]
        kinds = found["high_priorities"] + found["medium_priorities"]
        messages = [one for kind in kinds for one in kind["msgs"]]
        # It compares the text of Conventions with "CF-1.7" alone, while CMIP6 wants both names.
        assert [one for one in messages if "Conventions" not in one] == []


def wrong_in(directory, wanted):
    found = published(directory)
    assert sorted(found) == sorted(wanted)
    return [name for name, path in wanted.items() if path.read_bytes() != found[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_every_layout_makes_the_same_bytes(layout, files, tmp_path):
    run_model(layout, configured(tmp_path, *all_datasets()), tmp_path / "out", *OPTIONS)

    assert not wrong_in(tmp_path / "out", files)


@pytest.mark.parametrize("first, second", [(0, 1), (1, 2)])
def test_a_killed_run_that_continues_makes_the_same_bytes(first, second, files, tmp_path):
    path = configured(tmp_path, *all_datasets())
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(LAYOUTS[first], path, directory, *OPTIONS, "--checkpoint-every", 20)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    done = run(model_command(LAYOUTS[second], path, directory, *OPTIONS, "--continue"), "continued")

    assert done.returncode == 0, done.stderr
    assert not wrong_in(directory, files)


def without(attributes, name):
    return {key: value for key, value in attributes.items() if key != name}


MISTAKES = {
    "experiment": (SIX | {"experiment_id": "amipp"}, TAS, 'did you mean "amip"?'),
    "source": (SIX | {"source_id": "PILEUS-1-O"}, TAS, 'did you mean "PILEUS-1-0"?'),
    "grid label": (SIX | {"grid_label": "gx"}, TAS, "is not in the controlled vocabulary"),
    "variant": (SIX | {"variant_label": "r1i1p1"}, TAS, 'expected such as "r1i1p1f1"'),
    "type": (SIX | {"source_type": "AER"}, TAS, 'experiment_id "amip" needs "AGCM"'),
    "parent": (
        SIX | {"experiment_id": "historical", "source_type": "AOGCM"},
        TAS,
        'branches from "piControl": cmip-dataset needs <attribute name="branch_method"',
    ),
    "variable": (SIX, TAS | {"variable": "tass"}, 'did you mean "tas"?'),
    "table": (SIX, TAS | {"table": "Amo"}, "there is no file"),
    "tables": (SIX | {"tables": "CMIP8"}, TAS, "there is no file"),
    "climatology": (SIX, TAS | {"variable": "tasclim"}, "are not made"),
    "no sign": (SIX, without(HFLS, "positive"), "is positive up: say by positive"),
    "a sign": (SIX, TAS | {"positive": "up"}, "remove positive"),
    "units": (SIX, TAS | {"field": "path"}, "units"),
    "frequency": (SEVEN, without(BRANDED, "frequency"), 'needs the attribute "frequency"'),
    "wrong frequency": (SEVEN, BRANDED | {"frequency": "mo"}, "is not in the controlled vocabulary"),
    "period": (without(SIX, "write_time_frequency"), TAS, "write_time_frequency"),
    "license": (SIX | {"license": "mine"}, TAS, "license"),
    "license of CMIP7": (without(SEVEN, "license"), BRANDED, '"license_id"'),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_said_before_the_run(what, tmp_path):
    dataset, variable, expected = MISTAKES[what]
    path = configured(tmp_path, element("cmip-dataset", dataset, element("cmip", variable)))

    done = pileus("check", path)

    assert done.returncode == 1
    assert expected in done.stdout
    assert len(re.findall(r": error", done.stdout)) == 1


def test_two_series_of_one_name_are_refused(tmp_path):
    twice = element("cmip", TAS) * 2
    done = pileus("check", configured(tmp_path, element("cmip-dataset", SIX, twice)))

    assert done.returncode == 1 and "a second file" in done.stdout


def test_a_table_that_is_no_json_is_an_error(tmp_path):
    path = configured(tmp_path, element("cmip-dataset", SIX, element("cmip", TAS)))
    (tmp_path / "CMIP6_Amon.json").write_text("{", encoding="utf-8")

    done = pileus("check", path)

    assert done.returncode == 1 and "CMIP6_Amon.json: it is no JSON" in done.stdout

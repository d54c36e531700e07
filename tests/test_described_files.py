"""What files say of themselves and of their variables is what the configuration and the model say; variables
have the type that the model registers, where the configuration says nothing."""

import json

import netCDF4
import numpy as np
import pytest
from oracle.cf_checker import ERRORS, complaints
from oracle.launch import ROOT, Layout, model_command, pileus, require_programs, run_described, run_model

CONFIGURATION = ROOT / "tests" / "configurations" / "described.xml"
SIZE = ("--size", "3,4,5", "--steps", "20")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    require_programs()
    return run_model(Layout(2, 1, is_uneven=True), CONFIGURATION, tmp_path_factory.mktemp("run"), *SIZE)


@pytest.fixture
def described(files):
    with netCDF4.Dataset(next(iter(files.values()))) as file:
        yield file


def test_files_have_the_attributes_of_all_files_and_their_own(described):
    assert described.institution == "University of Leeds"
    assert described.source == "the model of the tests"
    assert described.version_of_data == 3 and described.version_of_data.dtype == np.int32


def test_variables_have_the_names_and_attributes_of_the_innermost_that_says_them(described):
    assert (described["wa"].long_name, described["wa"].comment) == ("rising air", "as it is")
    assert (described["w"].long_name, described["w"].comment) == ("w", "on faces")
    assert described["theta_mean"].comment == "of all columns"
    assert described["wa"].standard_name == described["w"].standard_name == "upward_air_velocity"


def test_attributes_that_hold_values_of_a_variable_have_its_type(described):
    assert described["theta"].valid_range.dtype == described["ta"].valid_range.dtype == np.float32
    assert described["cells"].valid_min.dtype == np.int32
    assert described["cells_mean"].valid_min.dtype == np.float64


def test_types_are_those_of_the_model_and_diagnostics_are_double(described):
    types = {name: variable.dtype.str for name, variable in described.variables.items()}

    assert types["w"] == types["wa"] == "<f8"
    assert types["theta"] == types["ta"] == "<f4"
    assert (types["cells"], types["cells_mean"], types["number"]) == ("<i4", "<f8", "<i8")
    assert types["theta_mean"] == types["theta_again"] == "<f8"


def test_averages_of_float_are_computed_in_double_and_rounded_once(described):
    times = described["time_none"][:]
    lengths = np.diff(np.concatenate([[0.0], times]))
    bounds = described["time_averaged_10_bnds"][:]
    samples = described["theta"][:].astype(np.float64)
    for record, (begin, end) in enumerate(bounds):
        overlap = np.clip(np.minimum(times, end) - np.maximum(times - lengths, begin), 0, None)
        mean = np.tensordot(overlap, samples, 1) / overlap.sum()
        largest = np.abs(samples[overlap > 0]).max()
        assert np.allclose(described["ta"][record], mean, rtol=2**-23, atol=largest * 2.0**-50)


def test_what_the_model_says_stands_where_the_configuration_is_silent(described):
    assert (described["number"].units, described["number"].long_name) == ("1", "number of the step")


def test_the_cf_checker_finds_no_error(files, tmp_path):
    for file in files.values():
        assert complaints(file, tmp_path / "report.json", [ERRORS]) == []


@pytest.mark.parametrize("layout", [Layout(is_alone=True), Layout(3, 2, 2)], ids=str)
def test_every_layout_gives_the_same_bytes(layout, files, tmp_path):
    others = run_model(layout, CONFIGURATION, tmp_path, *SIZE)

    assert {name: path.read_bytes() for name, path in others.items()} == {
        name: path.read_bytes() for name, path in files.items()}


def test_explain_and_check_know_what_the_model_says(tmp_path):
    require_programs()
    run_described(model_command(Layout(is_alone=True), CONFIGURATION, tmp_path, *SIZE), tmp_path)
    model = json.loads((tmp_path / "model.json").read_text())
    number = next(field for field in model["fields"] if field["name"] == "number")
    assert (number["units"], number["long_name"]) == ("1", "number of the step")

    done = pileus("explain", CONFIGURATION, "--model", tmp_path / "model.json", "--json")
    assert done.returncode == 0, done.stderr
    variables = {one["name"]: one for one in json.loads(done.stdout)["files"][0]["variables"]}
    assert (variables["ta"]["type"], variables["theta_mean"]["type"]) == ("float", "double")
    assert variables["number"]["attributes"]["long_name"] == "number of the step"
    assert variables["theta"]["attributes"]["valid_range"] == [-1e9, 1e9]

    clash = tmp_path / "clash.xml"
    clash.write_text(
        CONFIGURATION.read_text().replace('<field name="number" type="scalar"/>',
                                          '<field name="number" type="scalar" units="K"/>'))
    done = pileus("check", clash, "--model", tmp_path / "model.json")
    assert done.returncode == 0, done.stdout
    assert 'field "number" has the units "1" in the model; files say "K"' in done.stdout
    done = pileus("check", clash)
    assert "in the model" not in done.stdout

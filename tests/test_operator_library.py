"""Operators of a user's own: the example is right on every layout, and wrong libraries are refused."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from oracle.launch import BIN, Layout, model_command, require_programs, run, run_model
from oracle.published import only

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "operator" / "run.xml"
LIBRARIES = BIN.parent / "lib"


def library(name):
    path = LIBRARIES / f"lib{name}.so"
    if not path.is_file():
        pytest.skip(f"no library {path}: build it, or set PILEUS_BUILD")
    return path


def run_example(layout, directory, *options, name="column_integral"):
    options = (
        "--steps",
        6,
        "--size",
        "5,7,6",
        "--option",
        f"operators={library(name)}",
        *options,
    )
    return run_model(layout, EXAMPLE, directory, *options)


def integrals(files):
    """The integral of the trapezoidal rule, summed from the lowest level up."""
    published = only(files, "integrals")
    heights, w = published["z"], published["w"]
    widths = np.zeros(len(heights))
    for i in range(1, len(heights)):
        widths[i - 1] += (heights[i] - heights[i - 1]) / 2
        widths[i] += (heights[i] - heights[i - 1]) / 2
    expected = np.zeros(w.shape[:-1])
    for level, width in enumerate(widths):
        expected += width * w[..., level]
    return published["w_integral"], expected


OTHERS = ["column_integral_c", "column_integral_fortran"]
LAYOUTS = [Layout(is_alone=True), Layout(1, 1), Layout(3, 2, 2, True), Layout(4, 3, 1)]


@pytest.mark.parametrize("name", ["column_integral", *OTHERS])
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_the_example_is_right_and_the_same_on_every_layout_and_in_all_languages(layout, name, tmp_path):
    require_programs()
    files = run_example(layout, tmp_path / "here", name=name)
    published, expected = integrals(files)

    assert published.shape == (6, 6, 7)
    assert np.array_equal(published, expected)
    alone = run_example(LAYOUTS[0], tmp_path / "alone", name=name)
    assert {name: path.read_bytes() for name, path in files.items()} == {
        name: path.read_bytes() for name, path in alone.items()
    }


@pytest.mark.parametrize("name", OTHERS)
def test_all_languages_give_the_same_bits(name, tmp_path):
    require_programs()
    cpp, _ = integrals(run_example(LAYOUTS[2], tmp_path / "cpp"))
    other, _ = integrals(run_example(LAYOUTS[2], tmp_path / "other", name=name))

    assert other.tobytes() == cpp.tobytes() and np.ptp(other) > 0


@pytest.mark.parametrize("name", OTHERS)
def test_an_operator_names_the_parameter_that_is_wrong(name, tmp_path):
    file = configuration(tmp_path, "column_integral", library(name))
    text = file.read_text()
    file.write_text(text.replace('name="column_integral"', 'name="column_integral" dimension="height"'))
    wrong = check(file)

    assert wrong.returncode == 1
    assert 'dimension: "height" is no dimension of "w"' in wrong.stdout


def configuration(directory, operator, path):
    text = EXAMPLE.read_text().replace("column_integral", operator).replace("{operators}", str(path))
    file = directory / "run.xml"
    file.write_text(text.replace(' size="y,x"', ""))
    return file


def check(file):
    return subprocess.run([BIN / "pileus", "check", file], capture_output=True, text=True, timeout=60)


def test_pileus_check_knows_the_operators_of_a_library(tmp_path):
    good = check(configuration(tmp_path, "column_integral", library("column_integral")))
    assert (good.returncode, good.stdout.count("error")) == (0, 1), good.stdout  # "no errors"

    misspelt = check(configuration(tmp_path, "column_integrl", library("column_integral")))
    assert misspelt.returncode == 1
    assert 'no operator "column_integrl"; did you mean "column_integral"?' in misspelt.stdout


def test_a_library_beside_the_configuration_is_found_from_any_folder(tmp_path):
    (tmp_path / "own.so").write_bytes(library("column_integral").read_bytes())
    file = configuration(tmp_path, "column_integral", "own.so")

    answer = subprocess.run(
        [BIN / "pileus", "check", file],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=os.sep,
    )

    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        ("version", "was compiled for version 999 of pileus/operator.hpp"),
        ("empty", "declares no operators"),
        ("throws", "fails to declare its operators: no wish to declare anything"),
        (
            "nonsense",
            'declares nonsense of operator "failing": it has no function to prepare',
        ),
        (
            "taken",
            'declares an operator "field_slicer", but there is one of that name already',
        ),
    ],
)
def test_a_library_that_is_wrong_is_an_error_at_its_place(odd, why, tmp_path):
    answer = check(configuration(tmp_path, "failing", library(f"odd_{odd}")))

    assert answer.returncode == 1
    assert "run.xml:4:29: error: " in answer.stdout
    assert why in answer.stdout


def test_a_library_that_is_not_there_or_no_library_is_an_error(tmp_path):
    assert "no.so is not there" in check(configuration(tmp_path, "failing", "no.so")).stdout
    assert "cannot be loaded" in check(configuration(tmp_path, "failing", "run.xml")).stdout


@pytest.mark.parametrize("layout", [Layout(is_alone=True), Layout(3, 2, 1)], ids=str)
def test_an_operator_that_fails_gives_no_value_and_is_reported_once(layout, tmp_path):
    file = configuration(tmp_path, "failing", library("odd_failing"))

    job = run(
        model_command(layout, file, tmp_path, "--steps", 6, "--size", "5,7,6", "--report"),
        str(layout),
    )

    said = job.stdout + job.stderr
    reports = [line for line in said.splitlines() if "failed and gives no value: it rains" in line]
    assert reports, said
    published = only({path.name: path for path in tmp_path.glob("*.nc")}, "integrals")
    assert np.all(published["w_integral"] > 9e36)  # _FillValue in all of it
    assert np.all(np.abs(published["w"]) < 9e36)

"""Configurations of the MONC model: what ``pileus check`` and ``convert`` say of them, and a run with one."""

import pathlib

import numpy as np
import pytest
from oracle.launch import Layout, pileus, require_programs, run_model
from oracle.published import read

TESTS = pathlib.Path(__file__).resolve().parent
OK, ERRORS, UNREADABLE = 0, 1, 2

FIELDS = """<!-- -- what the model hands over
<!-- -->
<data-definition name="fields" frequency={every} namespace="n">
  <field name="w" type="array" data_type="double" size="z,y,x" collective=true/>
  <field name="not_there" type="array" data_type="double" optional=true/>
</data-definition>
<data-handling namespace="n">
  <diagnostic field="w_mean" type="scalar" data_type="double" units="m s-1">
    <operator name="arithmetic" result="w_mean" equation="w_sum/({x_size}*{y_size}*3)"/>
    <communication name="reduction" operator="sum" result="w_sum" field="w_local" root="auto"/>
    <operator name="localreduce" operator="sum" result="w_local" field="w"/>
  </diagnostic>
</data-handling>
<group name="means" namespace="n">
  <member name="w_mean"/>
</group>
"""

RUN = """<io-configuration>
  <server-configuration>
    <thread_pool number=2/>
  </server-configuration>
! not read
#include "io/fields.xml"
<data-writing>
  <file name="folder/means.nc" write_time_frequency="1000">
    <include group="means" time_manipulation="instantaneous" output_frequency={mm}/>
    <include group="means" time_manipulation="none"/>
  </file>
</data-writing>
</io-configuration>
"""

OPTIONS = {"every": 1, "mm": 5, "x_size": 5, "y_size": 4}
SET = [word for key, value in OPTIONS.items() for word in ("--set", f"{key}={value}")]


@pytest.fixture(name="root")
def fixture_root(tmp_path):
    """A folder like MONC's, with a configuration of a case and one that it includes."""
    for path, text in (("case/run.xml", RUN), ("io/fields.xml", FIELDS)):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def test_check_recognises_the_dialect_and_says_so(root):
    run = pileus("check", *SET, "case/run.xml", cwd=root)

    assert run.returncode == OK
    assert 'case/run.xml: note: read in the dialect "monc"' in run.stdout
    assert run.stdout.endswith("case/run.xml: no errors\n")


def test_check_takes_the_dialect_that_it_is_told(root):
    assert (
        pileus(
            "check", *SET, "--dialect", "monc", "case/run.xml", cwd=root
        ).returncode
        == OK
    )
    assert (
        pileus(
            "check", *SET, "--dialect", "strict", "case/run.xml", cwd=root
        ).returncode
        == ERRORS
    )
    assert (
        pileus(
            "check", *SET, "--dialect", "cobol", "case/run.xml", cwd=root
        ).returncode
        == UNREADABLE
    )


def test_a_configuration_elsewhere_finds_the_root_by_the_include_path(root):
    elsewhere = root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "own.xml").write_text('#include "case/run.xml"\n', encoding="utf-8")
    (root / "case").rename(root / "monc")
    (root / "monc" / "case").mkdir()
    (root / "monc" / "run.xml").rename(root / "monc" / "case" / "run.xml")

    assert pileus("check", *SET, "elsewhere/own.xml", cwd=root).returncode == ERRORS
    run = pileus(
        "check", *SET, "--include-path", "monc", "elsewhere/own.xml", cwd=root
    )
    assert run.returncode == OK, run.stdout


def test_convert_writes_a_strict_file_that_stands_alone(root):
    run = pileus("convert", "case/run.xml", "-o", "strict.xml", cwd=root)
    assert (run.returncode, run.stdout) == (OK, "")
    (root / "io" / "fields.xml").unlink()

    check = pileus("check", *SET, "--dialect", "strict", "strict.xml", cwd=root)
    assert check.returncode == OK
    assert check.stdout.endswith("strict.xml: no errors\n")
    assert "warning" not in check.stdout
    text = (root / "strict.xml").read_text(encoding="utf-8")
    assert "<!-- what the model hands over -->" in text
    assert 'frequency="{every}"' in text


def test_an_option_in_the_index_of_a_slicer_is_asked_for_once(tmp_path):
    (tmp_path / "io.xml").write_text(
        '<data-definition name="d" frequency="1">\n<field name="w" type="array" size="z,y,x"/>\n'
        '</data-definition>\n<data-handling>\n<diagnostic field="s" type="array">\n'
        '<operator name="field_slicer" field="w" dimension="z" index="{lev}" result="s"/>\n'
        "</diagnostic>\n</data-handling>\n"
    )

    lines = pileus("check", "--dialect", "monc", "io.xml", cwd=tmp_path).stdout.splitlines()

    assert [line for line in lines if ": error: " in line and "lev" in line] == [
        'io.xml:6:62: error: index="{lev}": --set lev=... is needed, because MONC counts from 1, and '
        "Pileus from 0"
    ]


def test_options_that_decide_how_a_file_is_read_are_asked_for(tmp_path):
    (tmp_path / "io.xml").write_text(
        '<data-definition name="d" frequency="1">\n'
        '<field name="w" type="array" size="z,y,x" collective=true/>\n'
        '<field name="q" type="array" size="z,qfields" data_type="double"/>\n'
        '</data-definition>\n<data-handling>\n<diagnostic field="s" type="array">\n'
        '<operator name="field_slicer" field="w" dimension="z" index="{lev}" result="s"/>\n'
        '</diagnostic>\n</data-handling>\n<data-writing><file name="f.nc" write_time_frequency="10">\n'
        '<include field="s" time_manipulation="none"/><include field="q" time_manipulation="none"/>\n'
        "</file></data-writing>\n"
    )

    settings = ["--set", "lev=3", "--set", "q_field_names=vapour", "--set", "levl=3"]
    settings += ["--set", "pileus_dialect=monc-epcc"]
    lines = pileus("check", "--dialect", "monc", "io.xml", *settings, cwd=tmp_path).stdout.splitlines()

    assert [line for line in lines if ": error: " in line or "nothing asks" in line] == [
        'io.xml: warning: --set levl=3: nothing asks for the option "levl"; did you mean "lev"?'
    ]


def test_convert_does_not_call_a_file_strict_that_check_refuses(tmp_path):
    (tmp_path / "grid.xml").write_text('<group name="g"><member name="w"/></group>\n<group name="h"/>\n')
    (tmp_path / "root.xml").write_text("<group name='g'/>\n")

    for name in ("grid.xml", "root.xml"):
        run = pileus("convert", name, "-o", "strict.xml", cwd=tmp_path)

        assert run.returncode == ERRORS
        assert run.stderr.splitlines()[0].startswith(f"{name}:")
        assert run.stderr.splitlines()[-1] == (
            f"{name}: is no strict XML of Pileus; if it is a file of MONC, add --dialect monc"
        )
        assert not (tmp_path / "strict.xml").exists()


def test_convert_ends_with_1_after_errors_and_with_2_where_nothing_can_be_read_or_written(
    root,
):
    (root / "bad.xml").write_text(
        '<group name=g>\n#include "gone.xml"\n', encoding="utf-8"
    )

    bad = pileus("convert", "--dialect", "monc", "bad.xml", cwd=root)
    assert (bad.returncode, bad.stdout) == (ERRORS, "")
    assert 'bad.xml:2:11: error: there is no file "gone.xml"' in bad.stderr
    assert pileus("convert", "gone.xml", cwd=root).returncode == UNREADABLE
    assert (
        pileus(
            "convert", "case/run.xml", "-o", "no/folder/f.xml", cwd=root
        ).returncode
        == UNREADABLE
    )


@pytest.mark.parametrize("dialect", ["monc", "strict"])
@pytest.mark.parametrize("output", ["out.xml", None])
def test_convert_ends_as_check_of_what_it_writes(dialect, output, tmp_path):
    """The file is written nevertheless, so that it can be mended there."""
    head, tail = ("", "") if dialect == "monc" else ("<io-configuration>", "</io-configuration>")
    (tmp_path / "io.xml").write_text(
        f'{head}<data-definition name="d" frequency="{{every}}"><field name="w" type="array" size="z,y,x" '
        'collective="true"/></data-definition><data-writing><file name="o.nc" write_time_frequency="10">'
        f'<include field="v" time_manipulation="none"/></file></data-writing>{tail}'
    )
    words = ["--dialect", dialect, "io.xml"] + (["-o", output] if output else [])

    run = pileus("convert", *words, cwd=tmp_path)

    written = (tmp_path / output).read_text() if output else run.stdout
    assert 'name="o.nc"' in written
    assert run.returncode == ERRORS
    assert run.stderr.count("error: ") == 1, run.stderr
    name = output or "standard output"
    assert run.stderr.splitlines()[-1] == f"{name}: written, with 1 error that pileus check finds in it"
    (tmp_path / "again.xml").write_text(written)
    again = pileus("check", "--set", "every=1", "again.xml", cwd=tmp_path)
    assert again.returncode == ERRORS
    assert again.stdout.splitlines()[0].replace("again.xml", name) in run.stderr.splitlines()


@pytest.mark.parametrize(
    "layout", [Layout(3, 2, 2, True), Layout(2, 1, 1, False)], ids=str
)
def test_a_run_reads_it_and_its_files_are_those_of_the_strict_form(root, layout):
    require_programs()
    more = ["--size", "3,4,5", "--steps", 12]
    for key in ("every", "mm"):  # the model gives its sizes itself
        more += ["--option", f"{key}={OPTIONS[key]}"]
    assert (
        pileus("convert", "case/run.xml", "-o", "strict.xml", cwd=root).returncode
        == OK
    )

    own = run_model(layout, root / "case" / "run.xml", root / "own", *more)
    strict = run_model(layout, root / "strict.xml", root / "strict", *more)

    name = "folder/means_1000.nc"
    assert list(own) == [name] == list(strict)
    got, expected = read(own[name]), read(strict[name])
    assert {
        "time_series_1",
        "time_series_1_5",
        "w_mean",
        "w_mean_instantaneous",
    } <= set(got)
    assert set(got) == set(expected)
    for name, values in expected.items():
        assert np.array_equal(got[name], values), name

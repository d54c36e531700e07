"""Texts that are no configurations are told by pileus check in little memory and without waiting. They are
hostile or generated files with a hundred thousand of anything, or no files.

The memory of the program is bounded by the system, generously: what grows by the square of the input needs
ten to a thousand times as much. Bounds are those of docs/configuration.md.
"""

import os
import resource
import socket
import subprocess

import pytest
from oracle.launch import PILEUS, pileus

OK, ERRORS, UNREADABLE = 0, 1, 2
MANY = 100_000
MEMORY_BYTES = 1 << 30
TIMEOUT_S = 120  # against hanging: all of this takes seconds


def check(text, folder, *arguments, command="check"):
    """Checks a configuration with a gigabyte of memory and returns what is said."""
    if not PILEUS.is_file():
        pytest.skip(f"no program {PILEUS}: build it, or set PILEUS_BUILD")
    (folder / "io.xml").write_text(text, encoding="utf-8")
    return subprocess.run(
        [PILEUS, command, *arguments, "io.xml"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES)),
    )


FIELD = '<field name="f" size="z,y,x" collective="true"/>'


def configuration(fields=FIELD, diagnostics="", includes=None, files=None, server="", groups=""):
    """A configuration in four lines: fields, diagnostics, files, and the rest."""
    handling = f"<data-handling>{diagnostics}</data-handling>" if diagnostics else ""
    written = "d" if diagnostics else "f"
    includes = includes or f'<include field="{written}" time_manipulation="none"/>'
    files = files or f'<file name="o.nc" write_time_frequency="10">{includes}</file>'
    return (
        f'<io-configuration>{server}{groups}<data-definition name="all" frequency="1">{fields}'
        f"</data-definition>\n{handling}\n<data-writing>{files}</data-writing>\n</io-configuration>\n"
    )


def of_expression(text):
    return configuration(diagnostics=f'<diagnostic field="d" expression="{text}"/>')


def errors_of(run):
    """The errors without their places."""
    return [line.split(": error: ")[1] for line in run.stdout.splitlines() if ": error: " in line]


TOO_MANY_OPERANDS = (
    'diagnostic "d": expression: more than 1000 numbers, names and calls in one expression; '
    "make parts of it diagnostics of their own"
)
EXPRESSIONS = {
    "and": "sum(f | " + " and ".join(["f &gt; 0"] * MANY) + ")",
    "or": "sum(f | " + " or ".join(f"f &gt; {i}" for i in range(MANY)) + ")",
    "sums": "+".join(f"sum(f+{i})" for i in range(MANY)),
    "names": "+".join(f"f{i}" for i in range(MANY)),
    "arguments": "max(" + ",".join(["f"] * MANY) + ")",
    "cases": "+".join(f"where(f &gt; {i}, f, {i})" for i in range(MANY)),
}


@pytest.mark.parametrize("what", EXPRESSIONS)
def test_an_expression_has_a_thousand_operands_at_most(what, tmp_path):
    run = check(of_expression(EXPRESSIONS[what]), tmp_path)

    assert errors_of(run) == [TOO_MANY_OPERANDS]
    assert run.returncode == ERRORS


def test_an_expression_of_a_thousand_operands_is_right(tmp_path):
    half = " and ".join(f"f &gt; {i}" for i in range(499))

    run = check(of_expression(f"sum(f | {half})"), tmp_path)

    assert run.stdout == "io.xml: no errors\n"


def chain(expression, count, last="", fields=FIELD, first="f + 1"):
    """Diagnostics, each of which uses the one before; `last` is written."""
    diagnostics = f'<diagnostic field="d0" expression="{first}"/>' + "".join(
        f'<diagnostic field="d{i}" expression="{expression.format(before=f"d{i - 1}", number=i)}"/>'
        for i in range(1, count)
    )
    if last:
        diagnostics += f'<diagnostic field="last" expression="{last.format(before=f"d{count - 1}")}"/>'
    written = "last" if last else f"d{count - 1}"
    include = f'<include field="{written}" time_manipulation="none"/>'
    return configuration(fields, diagnostics, include)


def test_a_chain_of_many_diagnostics_is_followed_without_a_deep_stack(tmp_path):
    run = check(chain("{before} + {number}", 20_000), tmp_path)

    assert run.stdout == "io.xml: no errors\n"


@pytest.mark.parametrize(
    ("first", "expression", "last"),
    [
        ("f + 1", "{before} * {before} + 1", ""),
        # Each doubles the ways that lead to the first: is it a truth, can each rank make it of its part?
        ("f &gt; 0", "{before} * {before}", "sum({before})"),
        ("mean[x](f)", "{before} + mean[y]({before})", "sum(f * {before})"),
    ],
)
def test_what_many_ways_lead_to_is_looked_at_once(first, expression, last, tmp_path):
    run = check(chain(expression, 60, last, first=first), tmp_path)

    assert run.stdout == "io.xml: no errors\n"


def test_a_value_is_made_of_a_thousand_fields_and_reductions_at_most(tmp_path):
    count = 1100
    fields = FIELD + "".join(f'<field name="f{i}" size="z,y,x" collective="true"/>' for i in range(1, count))

    run = check(chain("{before} + f{number}", count, fields=fields), tmp_path)

    said = errors_of(run)
    assert len(said) == 1
    assert said[0].endswith(
        " is made of more than 1000 fields and reductions, with those of what it uses"
    )


TOO_LONG = "a" * 1_000_000
NAMES = {
    "field": configuration(f'<field name="{TOO_LONG}"/>'),
    "expression": of_expression(TOO_LONG),
    "function": of_expression(f"{TOO_LONG}(f)"),
    "dimension": of_expression(f"sum[{TOO_LONG}](f)"),
    "number": of_expression("f+" + "1" * 1_000_000),
    "namespaces": of_expression("::".join("a" * 1_000_000)),
    "include": configuration(includes=f'<include field="{TOO_LONG}" time_manipulation="none"/>'),
    "units": configuration(f'<field name="f" size="{TOO_LONG}" units="{"m " * 500_000}"/>'),
    "file": configuration(files=f'<file name="{TOO_LONG}"><include field="f"/></file>'),
    "element": configuration(server=f"<{TOO_LONG}/>"),
    "attribute": configuration(f'<field name="f" {TOO_LONG}=""/>'),
    "option": of_expression("{" + TOO_LONG + "}"),
    "included file": configuration(server=f'<include file="{TOO_LONG}"/>'),
    "library": configuration(
        server=f'<server-configuration><operator-library file="{TOO_LONG}"/></server-configuration>'
    ),
    "options": of_expression("+".join(f"{{a{i}}}" for i in range(MANY))),
    "dimensions": configuration(f'<field name="f" size="{",".join(f"d{i}" for i in range(MANY))}"/>'),
    "cycle": configuration(
        diagnostics="".join(
            f'<diagnostic field="d{i}" expression="d{(i + 1) % 1000}+1"/>' for i in range(1000)
        ),
        includes='<include field="d0" time_manipulation="none"/>',
    ),
}


@pytest.mark.parametrize("what", NAMES)
def test_no_line_that_is_said_is_long(what, tmp_path):
    run = check(NAMES[what], tmp_path)

    lines = (run.stdout + run.stderr).splitlines()
    assert run.returncode == ERRORS
    assert max(map(len, lines)) < 1000


VALUES = {
    "open braces": "{" * MANY,
    "open braces and an entity": "&lt;" + "{" * MANY,
    "keys in keys": "{a:" * MANY + "}" * MANY,
    "keys": "{a}&lt;{b}" * MANY,
}


@pytest.mark.parametrize("what", VALUES)
def test_of_one_value_twenty_mistakes_are_said(what, tmp_path):
    file = f'<file name="o.nc" title="{VALUES[what]}" write_time_frequency="10"><include field="f" '

    run = check(configuration(files=file + 'time_manipulation="none"/></file>'), tmp_path)

    assert run.returncode == ERRORS
    assert 1 <= len(errors_of(run)) <= 20


def test_a_document_has_half_a_million_elements_and_attributes_at_most(tmp_path):
    run = check(configuration(groups="<a/>" * 3_000_000), tmp_path)

    assert errors_of(run)[0] == "more than 500000 elements and attributes: this is not a configuration"


def test_a_configuration_has_2500_files_at_most(tmp_path):
    files = "".join(
        f'<file name="o{i}_{{time}}.nc" write_time_frequency="{i % 2 * 10}" write_on_terminate="true">'
        '<include field="f" time_manipulation="none"/></file>'
        for i in range(20_000)
    )

    run = check(configuration(files=files), tmp_path)

    assert errors_of(run) == ["more than 2500 files: this is not a configuration"]


def test_a_file_has_a_hundred_time_axes_at_most(tmp_path):
    includes = "".join(
        f'<include field="f" time_manipulation="averaged" output_frequency="{i}"/>' for i in range(1, 20_001)
    )

    run = check(configuration(includes=includes), tmp_path)

    assert errors_of(run) == [
        'file "o.nc" has more than 100 time axes, one for each manipulation and frequency; '
        "write several files"
    ]


MANY_OF_ONE_KIND = {
    "fields": configuration(
        "".join(f'<field name="f{i or ""}" size="z,y,x" collective="true"/>' for i in range(20_000))
    ),
    "data-definitions": "<io-configuration>"
    + "".join(
        f'<data-definition name="g{i}" frequency="1"><field name="f{i}"/></data-definition>'
        for i in range(20_000)
    )
    + '<data-writing><file name="o.nc" write_time_frequency="10">'
    + '<include field="f0" time_manipulation="none"/></file></data-writing></io-configuration>',
    "dimensions": configuration(
        "".join(f'<field name="f{i or ""}" size="d{i}"/>' for i in range(20_000)),
        server="".join(f'<dimension name="d{i}"/>' for i in range(20_000)),
    ),
    "groups": configuration(
        groups="".join(f'<group name="g{i}"><member name="f"/></group>' for i in range(20_000))
    ),
}


@pytest.mark.parametrize("what", MANY_OF_ONE_KIND)
def test_twenty_thousand_of_one_kind_are_taken(what, tmp_path):
    run = check(MANY_OF_ONE_KIND[what], tmp_path)

    assert run.stdout.splitlines()[-1] == "io.xml: no errors"


def test_a_file_that_is_included_many_times_is_not_read_beyond_a_bound(tmp_path):
    (tmp_path / "a.xml").write_text("<io-configuration>" + " " * (15 << 20) + "</io-configuration>")
    includes = "".join(f'<include file="a.xml" namespace="n{i}"/>' for i in range(1000))

    run = check(configuration(server=includes), tmp_path)

    assert errors_of(run) == [
        "with this file all have more than 64 MiB together: this is not a configuration"
    ]


# ---- Other commands ----


MONC = {
    "elements": "<a/>" * 3_000_000,
    "beginnings of tags": "<" * 10_000_000,
    "beginnings of comments": "<!-- <b> " * 1_000_000,
    "ends": "</group>" * 2_000_000,
    "words": "<a " + "b " * 5_000_000 + "/>",
    "attributes": "<a " + " ".join(f"a{i}=1" for i in range(1_000_000)) + "/>",
    "attributes of one name": "<a " + "a=1 " * 3_000_000 + "/>",
    "texts": "b<a/>" * 3_000_000,
}


@pytest.mark.parametrize("what", MONC)
def test_a_file_of_moncs_that_is_no_configuration_is_read_once(what, tmp_path):
    run = check(MONC[what], tmp_path, "--dialect", "monc", command="convert")

    assert run.returncode == ERRORS
    assert "this is not a configuration" in run.stderr
    assert max(map(len, run.stderr.splitlines())) < 1000
    assert run.stdout == ""


MODEL = """{"servers": 2, "timestep_s": 1,
 "dimensions": [{"name": "x", "size": 4}, {"name": "y", "size": 4}, {"name": "z", "size": 4}],
 "fields": [{"name": "f", "type": "double", "dimensions": ["z", "y", "x"]}],
 "ranks": [{"fields": {"f": {"start": [0, 0, 0], "count": [4, 4, 4]}}}]}
"""


@pytest.mark.parametrize("what", [*EXPRESSIONS, *NAMES])
def test_explain_refuses_it_in_lines_as_short(what, tmp_path):
    (tmp_path / "model.json").write_text(MODEL)
    text = of_expression(EXPRESSIONS[what]) if what in EXPRESSIONS else NAMES[what]

    run = check(text, tmp_path, "--model", "model.json", command="explain")

    assert run.returncode == ERRORS
    assert max(map(len, (run.stdout + run.stderr).splitlines())) < 1000


NEEDED = {
    "diagnostics": chain("{before} + {number}", 2000),
    "files": configuration(
        files="".join(
            f'<file name="o{i}_.nc" write_time_frequency="10">'
            '<include field="f" time_manipulation="none"/></file>'
            for i in range(1000)
        )
    ),
}


@pytest.mark.parametrize("what", NEEDED)
def test_of_what_needs_a_field_that_the_model_lacks_twenty_are_named(what, tmp_path):
    (tmp_path / "model.json").write_text(MODEL.replace('"f"', '"g"'))

    run = check(NEEDED[what], tmp_path, "--model", "model.json", command="explain")

    lines = [line for line in run.stderr.splitlines() if "does not register" in line]
    assert len(lines) == 1
    assert " others needs" in lines[0]
    assert len(lines[0]) < 2000


@pytest.mark.parametrize("what", [*EXPRESSIONS, *NAMES])
def test_convert_says_of_it_what_check_says(what, tmp_path):
    text = of_expression(EXPRESSIONS[what]) if what in EXPRESSIONS else NAMES[what]

    run = check(text, tmp_path, "-o", "io.xml", command="convert")

    is_option = what == "option"  # which the model gives
    assert run.returncode == (OK if is_option else ERRORS)
    assert max(map(len, run.stderr.splitlines())) < 1000


def test_help_of_a_long_name_is_short():
    name = "a" * 100_000

    for command in ("operator", "element"):
        run = pileus("help", command, name)
        assert run.returncode == ERRORS
        assert max(map(len, run.stderr.splitlines())) < 1000


# ---- Names on the disk ----


def named(name, more='write_time_frequency="10"'):
    include = '<include field="f" time_manipulation="none"/>'
    return configuration(files=f'<file name="{name}" {more}>{include}</file>')


# A file system takes 255 bytes; ".", ".RUN-ATTEMPT.part" around the name take 34, "_" and a time 25.
@pytest.mark.parametrize(
    ("longest", "more", "name"),
    [
        (255 - 34 - 25, 'write_time_frequency="10"', "{}.nc"),
        (255 - 34 - 26, 'write_timestep_frequency="10"', "{}.nc"),
        (255 - 34, 'write_time_frequency="0" write_on_terminate="true"', "{}.nc"),
        (255 - 34 - 20 + 7, 'write_time_frequency="10"', "{}{{index}}.nc"),
        (255 - 34 - 24 - 24 + 12, 'write_time_frequency="10"', "{}{{time}}{{time}}.nc"),
    ],
)
def test_the_longest_temporary_name_fits_a_file_system(longest, more, name, tmp_path):
    left = longest - len(name.format(""))

    fits = check(named(name.format("a" * left), more), tmp_path)
    does_not = check(named(name.format("a" * (left + 1)), more), tmp_path)

    assert fits.stdout == "io.xml: no errors\n"
    assert errors_of(does_not)[0].endswith(
        ": the name of a period may have 222 bytes; at most 221 are possible, as the temporary name is longer"
    )


def test_ways_to_read_a_name_are_not_tried_one_by_one(tmp_path):
    """There are more ways than atoms: twenty keys in a row, and a name of digits that ends otherwise."""
    one = f'<file name="{"{time}" * 8}a.nc" write_time_frequency="10">'
    other = f'<file name="{"1" * 200}.nc" write_time_frequency="0" write_on_terminate="true">'
    include = '<include field="f" time_manipulation="none"/></file>'

    run = check(configuration(files=one + include + other + include), tmp_path)

    assert run.stdout == "io.xml: no errors\n"


def with_events(attribute, files=None):
    return configuration(
        server=f"<server-configuration><events {attribute}/></server-configuration>", files=files
    )


@pytest.mark.parametrize(
    ("attribute", "error"),
    [
        ('file=""', 'file="": a file\'s name must not be empty'),
        ('file="a&#10;b"', 'file="a b": a file\'s name must not hold control characters'),
        ('file="a&#127;b"', 'file="a b": a file\'s name must not hold control characters'),
        ('file="../a"', 'file="../a": a file\'s name must not begin with "."'),
        (
            'file="link/a"',
            'file="link/a": a file\'s name must not hold "/"; the folder is chosen where the run is started',
        ),
        (
            'file="pileus-checkpoints"',
            'the events cannot have the name "pileus-checkpoints", which is that of the folder of '
            "checkpoints",
        ),
        (
            'file="o_20.nc"',
            'the events cannot have the name "o_20.nc": file "o.nc" (io.xml:3:27) may have it',
        ),
        ('file="o_20.nc.jsonl"', None),
        ("", None),
    ],
)
def test_the_file_of_events_is_one_of_its_own_beside_the_others(attribute, error, tmp_path):
    run = check(with_events(attribute), tmp_path)

    assert errors_of(run) == ([error] if error else [])


# ---- What is no file ----


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    # The path of a socket is short, and that of a test is not.
    before = os.getcwd()
    os.chdir(path.parent)
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(before)


def make_link(path):
    path.symlink_to("/dev/zero")


KINDS = {
    "a pipe": make_pipe,
    "a socket": make_socket,
    "a folder": lambda path: path.mkdir(),
    "a device": make_link,
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_not_read(kind, tmp_path):
    KINDS[kind](tmp_path / "it")

    run = pileus("check", "it", cwd=tmp_path)

    assert run.stderr == f"it: error: cannot be read: it is {kind}, and no file\n"
    assert run.returncode == UNREADABLE


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_not_included(kind, tmp_path):
    KINDS[kind](tmp_path / "it")

    strict = check(configuration(server='<include file="it"/>'), tmp_path)
    monc = check(
        '#include "it"\n<data-definition name="a" frequency=1>\n</data-definition>',
        tmp_path,
        "--dialect",
        "monc",
    )

    for run in (strict, monc):
        assert f"it cannot be read: it is {kind}, and no file" in errors_of(run)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_neither_a_model_nor_lengths_of_steps(kind, tmp_path):
    KINDS[kind](tmp_path / "it")
    (tmp_path / "io.xml").write_text(configuration())

    run = pileus("explain", "io.xml", "--model", "it", cwd=tmp_path)

    assert run.stderr == f"it: error: cannot be read: it is {kind}, and no file\n"
    assert run.returncode == UNREADABLE


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_no_operator_library(kind, tmp_path):
    KINDS[kind](tmp_path / "it")
    library = '<server-configuration><operator-library file="it"/></server-configuration>'

    run = check(configuration(server=library), tmp_path)

    assert errors_of(run) == [f"the operator library it is {kind}, and no file"]


@pytest.mark.parametrize("kind", ["a pipe", "a socket", "a folder"])
def test_a_converted_file_is_not_written_to_what_is_no_file(kind, tmp_path):
    KINDS[kind](tmp_path / "it")

    run = check(configuration(), tmp_path, "-o", "it", command="convert")

    assert run.stderr.splitlines()[-1] == (
        f"it: cannot be written: it is {kind}, and no file; without -o the standard output is taken"
    )
    assert run.returncode == UNREADABLE

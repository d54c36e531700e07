"""``pileus check`` says what is wrong with broken configurations, and ends with the right status.

The files are in tests/broken, what is expected of each in tests/broken/expected.txt, where "TIME
MANIPULATIONS" stands for the list of them. After a change of the words
``python tests/test_broken_configurations.py`` rewrites that table; read the difference before you commit it.
"""

import pathlib
import re

import pytest
from oracle.launch import pileus

TESTS = pathlib.Path(__file__).resolve().parent
BROKEN = TESTS / "broken"
TABLE = BROKEN / "expected.txt"
LISTINGS = TESTS / "configurations" / "listings.xml"
SETTINGS = ["--set", "x_size=64", "--set", "y_size=32"]

OK, ERRORS, UNREADABLE = 0, 1, 2


def check(*arguments, folder=BROKEN):
    """Runs pileus check in ``folder``."""
    return pileus("check", *arguments, cwd=folder, PILEUS_PRESETS="")


def findings(run, name):
    """The lines about the file ``name``, without its name and the list of time manipulations."""
    lines = [line.removeprefix(name + ":") for line in run.stdout.splitlines()[:-1]]
    manipulations = re.compile(r"(?<=expected )instantaneous(, \w+)+ or \w+")
    return [manipulations.sub("TIME MANIPULATIONS", line) for line in lines]


def read_table():
    """The expected findings by the name of the file."""
    table = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            lines = table.setdefault(line.removeprefix("== "), [])
        elif line:
            lines.append(line)
    return table


EXPECTED = read_table() if TABLE.exists() else {}


# Findings about the listings of the paper, which write averages and instants into one file.
AXES = (
    '19:5: note: file "profile_ts.nc" has the time axes time_averaged_10 and time_instantaneous_5: CDO knows '
    "one in a file and misreads what has another; a file for each is read right"
)


def test_every_file_is_in_the_table():
    assert sorted(EXPECTED) == sorted(path.name for path in BROKEN.glob("*.xml"))


@pytest.mark.parametrize("name", EXPECTED)
def test_check_says_exactly(name):
    run = check(*SETTINGS, name)

    assert findings(run, name) == EXPECTED[name]
    assert run.stderr == ""
    assert run.returncode == ERRORS
    errors = sum(": error: " in line for line in EXPECTED[name])
    assert run.stdout.splitlines()[-1] == f"{name}: {errors} error{'s' if errors > 1 else ''}"


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "everything_at_once.xml"])
def test_one_mistake_is_one_error(name):
    """There are a few exceptions, where the mistake leaves something else without a meaning too."""
    more = {
        "diagnostic_named_like_a_field.xml": 2,  # the diagnostic that is written is gone
        "map_of_doubles.xml": 2,  # and a rule uses it
        "name_with_a_namespace.xml": 2,  # the group names the field that it was to be
        "group_without_a_name.xml": 2,  # the file names the group that it was to be
        "field_twice.xml": 2,  # the group names the field that the second was to be
        "result_twice.xml": 2,  # the result that the second was to be is used
    }
    errors = [line for line in EXPECTED[name] if ": error: " in line]

    assert len(errors) == more.get(name, 1)


def test_all_mistakes_of_a_file_are_said_at_once_and_in_order():
    lines = [line for line in EXPECTED["everything_at_once.xml"] if ": error: " in line]
    places = [tuple(map(int, line.split(":")[:2])) for line in lines]

    assert len(places) == 7
    assert places == sorted(places)


def test_a_good_configuration_has_no_errors():
    run = check(*SETTINGS, "listings.xml", folder=LISTINGS.parent)

    assert run.returncode == OK
    assert run.stdout == f"listings.xml:{AXES}\nlistings.xml: no errors\n"
    assert run.stderr == ""


def test_an_option_that_nobody_gives_is_an_error_where_it_is_used():
    run = check("--set", "x_size=64", "listings.xml", folder=LISTINGS.parent)

    assert run.returncode == ERRORS
    assert findings(run, "listings.xml") == [
        " note: the options that it uses are x_size and y_size",
        '11:84: error: no option "y_size"; the model gives it when it runs, '
        "--set y_size=... on a command line",
    ]


def test_set_gives_an_option_its_value(tmp_path):
    text = LISTINGS.read_text(encoding="utf-8").replace('frequency="2"', 'frequency="{every}"')
    (tmp_path / "io.xml").write_text(text, encoding="utf-8")

    good = check(*SETTINGS, "--set", "every=5", "io.xml", folder=tmp_path)
    wrong = check(*SETTINGS, "--set", "every=often", "io.xml", folder=tmp_path)

    assert good.returncode == OK
    assert wrong.returncode == ERRORS
    assert findings(wrong, "io.xml") == [
        '2:49: error: frequency="often": expected a whole number, from 0, of steps, or a time with a unit '
        'such as "30 s"'
    ]


def test_a_byte_order_mark_and_line_ends_of_windows_change_nothing(tmp_path):
    text = (BROKEN / "equation_over_two_lines.xml").read_bytes()
    (tmp_path / "io.xml").write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))

    run = check(*SETTINGS, "io.xml", folder=tmp_path)

    assert findings(run, "io.xml") == EXPECTED["equation_over_two_lines.xml"]


SMALL = """<io-configuration><data-definition name="all" frequency="1"><field name="f"/></data-definition>
<data-handling><diagnostic field="d"><operator name="arithmetic" result="d" equation="{}"/></diagnostic>
</data-handling><data-writing><file name="f.nc" write_time_frequency="1">
<include field="d" time_manipulation="none"/></file></data-writing></io-configuration>"""
# The equation begins in column 88; two hundred brackets, signs or powers are the most.
NO_CONFIGURATIONS = {
    "in UTF-16": (
        "<io-configuration/>".encode("utf-16"),
        "1:1: error: the encoding UTF-16 is not supported; save the file as UTF-8",
    ),
    "in UTF-16 without a mark": (
        "<io-configuration/>".encode("utf-16-le"),
        "1:1: error: the encoding UTF-16 is not supported; save the file as UTF-8",
    ),
    "in UTF-16 with the other end first": (
        "<io-configuration/>".encode("utf-16-be"),
        "1:1: error: the encoding UTF-16 is not supported; save the file as UTF-8",
    ),
    "in XML 1.1": (
        b'<?xml version="1.1"?><io-configuration/>',
        '1:1: error: XML 1.1 is not supported; write <?xml version="1.0"?>',
    ),
    "in Latin 1": (
        "<io-configuration><!-- Gr\xfcn --></io-configuration>".encode("latin-1"),
        "1:26: error: not well-formed XML: bytes that are no UTF-8; save the file as UTF-8",
    ),
    "random bytes": (
        bytes(7 * i * i % 251 for i in range(1, 1 << 16)),
        "1:1: error: not well-formed XML: a control character, which no XML may hold",
    ),
    "a netCDF file": (
        b"\x89HDF\r\n\x1a\n",
        "1:1: error: not well-formed XML: bytes that are no UTF-8; save the file as UTF-8",
    ),
    "with a NUL": (
        b"<io-configuration>\0</io-configuration>",
        "1:19: error: not well-formed XML: a control character, which no XML may hold",
    ),
    "huge": (
        b"<io-configuration>" + b" " * (17 << 20) + b"</io-configuration>",
        " error: larger than 16 MiB: this is not a configuration",
    ),
    "of a million elements in each other": (
        b"<a>" * 1000000 + b"</a>" * 1000000,
        '1:1: error: the root element is "a"; put everything inside <io-configuration>',
    ),
    "of a million brackets": (
        SMALL.format("(" * 1000000 + "f" + ")" * 1000000).encode(),
        '2:287: error: diagnostic "d": equation: the equation is nested too deeply',
    ),
    "of a million signs": (
        SMALL.format("-" * 1000000 + "f").encode(),
        '2:287: error: diagnostic "d": equation: the equation is nested too deeply',
    ),
    "of a million powers": (
        SMALL.format("f" + "^f" * 1000000).encode(),
        '2:487: error: diagnostic "d": equation: the equation is nested too deeply',
    ),
}


@pytest.mark.parametrize("what", NO_CONFIGURATIONS)
def test_what_is_no_configuration_is_said_so(what, tmp_path):
    content, expected = NO_CONFIGURATIONS[what]
    (tmp_path / "io.xml").write_bytes(content)

    run = check("io.xml", folder=tmp_path)

    assert findings(run, "io.xml") == [expected]
    assert run.stderr == ""
    assert run.returncode == ERRORS


def test_a_hundred_thousand_mistakes_are_all_said(tmp_path):
    count = 100000
    (tmp_path / "io.xml").write_text(
        "<io-configuration>\n" + "<fild/>\n" * count + "</io-configuration>", encoding="utf-8"
    )

    run = check("io.xml", folder=tmp_path)

    lines = run.stdout.splitlines()
    assert lines[-1] == f"io.xml: {count} errors"
    assert len(lines) == count + 1


@pytest.mark.parametrize("setting", ["x_size", "=64"])
def test_set_without_a_key_and_a_value_is_wrong_usage(setting):
    run = check("--set", setting, "listings.xml", folder=LISTINGS.parent)

    assert run.returncode == UNREADABLE
    assert run.stderr == f"--set {setting}: expected key=value\n"


def test_a_file_that_is_not_there_cannot_be_read(tmp_path):
    run = check("io.xml", folder=tmp_path)

    assert run.returncode == UNREADABLE
    assert run.stdout == ""
    assert run.stderr == "io.xml: error: cannot be read: No such file or directory\n"


def test_a_folder_cannot_be_read(tmp_path):
    run = check(".", folder=tmp_path)

    assert run.returncode == UNREADABLE
    assert run.stderr == ".: error: cannot be read: it is a folder, and no file\n"


def test_several_files_are_all_checked_and_the_worst_counts(tmp_path):
    good = tmp_path / "good.xml"
    good.write_text(LISTINGS.read_text(encoding="utf-8"), encoding="utf-8")
    broken = tmp_path / "broken.xml"
    broken.write_text((BROKEN / "group_misspelt.xml").read_text(encoding="utf-8"), encoding="utf-8")

    with_errors = check(*SETTINGS, "broken.xml", "good.xml", folder=tmp_path)
    with_a_gap = check(*SETTINGS, "missing.xml", "broken.xml", "good.xml", folder=tmp_path)

    assert with_errors.returncode == ERRORS
    assert with_errors.stdout.splitlines() == [
        'broken.xml:21:23: error: no group "3d_field"; did you mean "3d_fields"?',
        "broken.xml: 1 error",
        f"good.xml:{AXES}",
        "good.xml: no errors",
    ]
    assert with_a_gap.returncode == UNREADABLE
    assert with_a_gap.stdout == with_errors.stdout


def test_notes_are_no_errors(tmp_path):
    text = LISTINGS.read_text(encoding="utf-8")
    unused = '      <include field="VWP_mean" time_manipulation="averaged" output_frequency="10.0"/>\n'
    assert unused in text
    (tmp_path / "io.xml").write_text(text.replace(unused, ""), encoding="utf-8")

    run = check(*SETTINGS, "io.xml", folder=tmp_path)

    assert run.returncode == OK
    assert run.stdout.splitlines() == [
        'io.xml:5:18: note: field "vwp_local" is not sent: nothing that is written needs it',
        'io.xml:8:24: note: diagnostic "VWP_mean" is not computed: no file needs it',
        "io.xml: no errors",
    ]


def rewrite_table():
    """Writes the table of the present findings."""
    parts = []
    for path in sorted(BROKEN.glob("*.xml")):
        lines = findings(check(*SETTINGS, path.name), path.name)
        parts.append("\n".join([f"== {path.name}", *lines]) + "\n")
    TABLE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    rewrite_table()

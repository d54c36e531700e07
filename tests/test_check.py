"""What ``pileus check`` says of configurations that run, but are probably not what was meant, and how it says
everything to programs."""

import json

import pytest
from oracle.launch import pileus

OK, ERRORS, UNREADABLE = 0, 1, 2

FIELDS = """<io-configuration>
<data-definition name="often" frequency="2">
<field name="w" size="z,y,x" collective="true" units="m s-1"/>
<field name="height" size="z" units="m"/>
</data-definition>
<data-definition name="rarely" frequency="3">
<field name="dt"/>
</data-definition>
"""
PRODUCT = """<data-handling><diagnostic field="product">
<operator name="arithmetic" equation="w*dt" result="product"/>
</diagnostic></data-handling>
"""


def configuration(*parts):
    """The fields stand in lines 1 to 8; what follows begins in line 9."""
    return FIELDS + "\n".join(parts) + "\n</io-configuration>\n"


def file(*includes, frequency='write_time_frequency="100"'):
    return (
        f'<data-writing><file name="f.nc" {frequency}>\n' + "\n".join(includes) + "\n</file></data-writing>"
    )


def include(field, more='time_manipulation="none"'):
    return f'<include field="{field}" {more}/>'


# Values that come every 2 steps and values that come every 3 would be two time axes in one file.
ANOTHER = '</file><file name="g.nc" write_time_frequency="100">'
ALL = file(include("w"), include("height"), ANOTHER + include("dt"))


def check(text, folder, *arguments):
    (folder / "io.xml").write_text(text)
    return pileus("check", "io.xml", *arguments, cwd=folder)


def all_said(text, folder):
    """The lines about a configuration without errors, without the name of its file."""
    done = check(text, folder)
    lines = done.stdout.splitlines()
    assert done.returncode == OK, done.stdout
    assert lines[-1] == "io.xml: no errors"
    return [line.removeprefix("io.xml:") for line in lines[:-1]]


def said(text, folder):
    """Leaves out the note that values of every 2 and every 3 steps make two time axes."""
    return [line for line in all_said(text, folder) if "has the time axes" not in line]


def test_nothing_is_said_of_what_is_right(tmp_path):
    assert said(configuration(ALL), tmp_path) == []


def test_two_time_axes_in_a_file_are_noted(tmp_path):
    often = include("w", 'time_manipulation="instantaneous" output_frequency="20"')
    rarely = include("w", 'time_manipulation="averaged" output_frequency="50"')
    frequent = include("height", 'time_manipulation="averaged" output_frequency="50"')

    lines = all_said(configuration(file(often, rarely, frequent)), tmp_path)

    assert [line for line in lines if "axes" in line] == [
        '9:15: note: file "f.nc" has the time axes time_averaged_50 and time_instantaneous_20: CDO knows '
        "one in a file and misreads what has another; a file for each is read right"
    ]
    assert not any("axes" in line for line in all_said(configuration(file(rarely, frequent)), tmp_path))


# ---- What nothing needs ----


def test_fields_and_diagnostics_that_nothing_needs_are_noted(tmp_path):
    text = configuration(PRODUCT + file(include("w")))

    assert said(text, tmp_path) == [
        '4:14: note: fields "height" and "dt" are not sent: nothing that is written needs them',
        '9:35: note: diagnostic "product" is not computed: no file needs it',
    ]


def test_of_many_fields_that_nothing_needs_twenty_are_named(tmp_path):
    fields = "".join(f'<field name="f{i}"/>' for i in range(30))
    text = (
        f'<io-configuration><data-definition name="all" frequency="1">{fields}</data-definition>'
        + file(include("f0"))
        + "</io-configuration>"
    )

    lines = said(text, tmp_path)

    assert len(lines) == 1
    assert lines[0].endswith('"f19", "f20" and 9 others are not sent: nothing that is written needs them')


def test_a_configuration_without_files_says_so(tmp_path):
    assert said(configuration(), tmp_path) == [
        " note: there is no <file> in it: a run would write nothing",
        '3:14: note: fields "w", "height" and "dt" are not sent: nothing that is written needs them',
    ]


def test_a_dimension_stands_for_its_coordinates(tmp_path):
    diagnostic = '<data-handling><diagnostic field="d" expression="w * z"/></data-handling>'

    done = check(configuration(diagnostic, file(include("d"))), tmp_path)

    assert done.returncode == OK, done.stdout
    said = (
        'io.xml:9:54: note: "z" stands for the coordinates of the dimension, which the model has to give '
        "when it registers it"
    )
    assert said in done.stdout.splitlines()


@pytest.mark.parametrize("word", ["corr", "diff", "erf", "rank", "log1p"])
def test_what_only_others_have_is_not_taken_for_a_slip(word, tmp_path):
    diagnostic = f'<data-handling><diagnostic field="d" expression="{word}(w)"/></data-handling>'

    done = check(configuration(diagnostic, file(include("d"))), tmp_path)

    assert f'there is no function "{word}"; there are abs, ' in done.stdout
    assert "did you mean" not in done.stdout


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        ('operator="avg"', '; did you mean "mean"?'),
        ('operator="average"', '; did you mean "mean"?'),
        ('operator="std"', '; did you mean "standard_deviation"?'),
    ],
)
def test_other_words_for_a_reduction_are_known(rule, what, tmp_path):
    diagnostic = (
        '<data-handling><diagnostic field="d">'
        f'<operator name="localreduce" {rule} field="w" result="l"/>'
        '<communication name="reduction" operator="sum" field="l" result="d"/></diagnostic></data-handling>'
    )

    done = check(configuration(diagnostic, file(include("d"))), tmp_path)

    assert done.stdout.splitlines()[0].endswith(what)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("quantile(0.95)", "percentile_95"),
        ("percentile_5", "percentile_05"),
        ("percentile(50)", "median"),
        ("p99", "percentile_99"),
        ("medain", "median"),
    ],
)
def test_other_ways_to_write_a_percentile_over_time_are_known(word, meant, tmp_path):
    includes = include("w", f'time_manipulation="{word}" output_frequency="10"')

    done = check(configuration(file(includes)), tmp_path)

    assert done.stdout.splitlines()[0].endswith(f'; did you mean "{meant}"?')


def test_a_word_for_what_is_no_reduction_here_is_taken_for_none(tmp_path):
    diagnostic = (
        '<data-handling><diagnostic field="d">'
        '<operator name="localreduce" operator="median" field="w" result="d"/></diagnostic></data-handling>'
    )

    done = check(configuration(diagnostic, file(include("d"))), tmp_path)

    assert 'operator="median": expected sum, mean, ' in done.stdout
    assert "did you mean" not in done.stdout


@pytest.mark.parametrize(
    ("word", "meant"), [("mean", "averaged"), ("max", "maximum"), ("snapshot", "instantaneous")]
)
def test_other_words_for_a_time_manipulation_are_known(word, meant, tmp_path):
    includes = include("w", f'time_manipulation="{word}" output_frequency="10"')

    done = check(configuration(file(includes)), tmp_path)

    assert done.stdout.splitlines()[0].endswith(f'; did you mean "{meant}"?')


def test_nothing_is_noted_as_unneeded_beside_an_error_that_may_be_why(tmp_path):
    done = check(configuration(file(include("ww"))), tmp_path)

    assert done.returncode == ERRORS
    assert "note" not in done.stdout


GROUP = '<include group="used" time_manipulation="none"/>'


def group(name, *members):
    return f'<group name="{name}">\n' + "\n".join(f'<member name="{one}"/>' for one in members) + "\n</group>"


def test_a_group_that_no_file_includes_is_noted(tmp_path):
    writing = file(include("w"), include("height"), GROUP)
    text = configuration(group("unused", "w"), group("used", "dt"), writing)

    assert said(text, tmp_path) == ['9:14: note: group "unused" is not written: no file includes it']


def test_members_of_a_group_that_no_file_includes_are_looked_up(tmp_path):
    """Files of groups may lack the fields that they are for, and one that MONC ships does."""
    assert said(configuration(group("unused", "w", "hieght"), ALL), tmp_path) == [
        '9:14: note: group "unused" is not written: no file includes it',
        '11:15: warning: group "unused", which no file includes: no field or diagnostic "hieght"; '
        'did you mean "height"?',
    ]


def test_a_wrong_member_is_found_once_however_many_files_include_its_group(tmp_path):
    text = configuration(group("used", "hieght"), file(GROUP, GROUP, GROUP.replace("used", "usde")))

    lines = check(text, tmp_path).stdout.splitlines()

    assert [line.split(": ")[2] for line in lines[:-1]] == [
        'no field or diagnostic "hieght"; did you mean "height"?',
        'no group "usde"; did you mean "used"?',
    ]


# ---- Frequencies ----


@pytest.mark.parametrize(
    ("frequency", "words"),
    [
        ("100", []),
        ("25", []),
        ("30", ["note", "every 30 s", "covers 100 s: the files hold different numbers of values"]),
        ("5 min", ["warning", "every 300 s", "covers 100 s: there are files without a value of it"]),
    ],
)
def test_frequencies_that_do_not_go_into_those_of_the_file_are_said(frequency, words, tmp_path):
    averaged = include("w", f'time_manipulation="averaged" output_frequency="{frequency}"')
    text = configuration(file(averaged, include("height"), include("dt")))

    lines = said(text, tmp_path)

    assert len(lines) == bool(words)
    assert all(line.startswith("10:67: ") for line in lines)
    assert all(word in lines[0] for word in words)


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (6, []),
        (4, ["note", "every 3 steps", "covers 4 steps: the files hold different numbers of values"]),
        (2, ["warning", "every 3 steps", "covers 2 steps: there are files without a value of it"]),
    ],
)
def test_steps_between_values_that_do_not_go_into_those_of_the_file_are_said(steps, words, tmp_path):
    includes = include("w"), include("height"), include("dt")
    text = configuration(file(*includes, frequency=f'write_timestep_frequency="{steps}"'))

    lines = said(text, tmp_path)

    assert len(lines) == bool(words)
    assert all(word in lines[0] for word in words)


@pytest.mark.parametrize(
    ("frequency", "covers"),
    [
        ('write_time_frequency="100"', "100 s"),
        ('write_timestep_frequency="10"', "10 steps"),
        ('write_time_frequency="0" write_on_terminate="true"', None),
    ],
)
def test_a_value_of_the_final_step_alone_in_files_of_a_period_is_said(frequency, covers, tmp_path):
    writing = file(include("w"), include("height"), include("dt"), frequency=frequency)
    text = configuration(writing).replace('name="rarely" frequency="3"', 'name="rarely" frequency="0"')

    lines = said(text, tmp_path)

    words = 'has a value in the final step alone, and a file "f.nc" covers'
    assert lines == (
        [f'12:1: warning: "dt" {words} {covers}: all files but the last are without a value of it']
        if covers
        else []
    )


def test_months_are_compared_with_months_and_days(tmp_path):
    epoch = '<time epoch="2000-01-01"/>'

    def lines_of(value, whole):
        averaged = include("w", f'time_manipulation="averaged" output_frequency="{value}"')
        writing = file(
            averaged, include("height"), include("dt"), frequency=f'write_time_frequency="{whole}"'
        )
        return said(configuration(epoch + writing), tmp_path)

    assert lines_of("1 month", "3 months") == []
    assert lines_of("1 d", "1 month") == []
    assert "different numbers" in lines_of("2 d", "1 month")[0]
    assert "different numbers" in lines_of("2 months", "3 months")[0]
    assert "files without a value" in lines_of("1 month", "20 d")[0]
    assert "files without a value" in lines_of("40 d", "1 month")[0]


@pytest.mark.parametrize(
    ("frequency", "meets"), [(2, '6 steps alone: "w" every 2 steps'), (1, '3 steps alone: "w" every step')]
)
def test_what_meets_more_rarely_than_it_comes_is_a_warning(frequency, meets, tmp_path):
    text = configuration(PRODUCT + file(include("product"), include("height")))
    text = text.replace('frequency="2"', f'frequency="{frequency}"')

    assert said(text, tmp_path) == [
        f'10:1: warning: diagnostic "product" has a value every {meets}, "dt" every 3 steps'
    ]


# ---- Dimensions ----


@pytest.mark.parametrize(
    ("name", "more"), [("q", ""), ("x", None), ("xx", '; did you mean "x"?'), ("Z", '; did you mean "z"?')]
)
def test_a_dimension_that_no_field_has_is_said(name, more, tmp_path):
    lines = said(configuration(f'<dimension name="{name}" long_name="a name"/>\n{ALL}'), tmp_path)

    expected = [] if more is None else [f'9:18: warning: no field has the dimension "{name}"{more}']
    assert lines == expected


def test_of_dimensions_nothing_is_said_where_a_field_has_no_size(tmp_path):
    text = configuration(f'<dimension name="q"/>\n{ALL}').replace('size="z,y,x"', "")

    assert said(text, tmp_path) == []


# ---- Units ----


@pytest.mark.parametrize(
    ("units", "column", "what"),
    [
        ("kg m^-2 s-", 63, '"s-" is no unit'),
        ("kg m-2 s-1", None, ""),
        ("kilometres per fortnight", None, ""),
        ("metrs", 55, "no unit"),
        ("degree_north", None, ""),
        ("m (s", 57, '"(s" is no unit'),
        ("1", None, ""),
        ("%", None, ""),
        ("µm", None, ""),
        ("", None, ""),
    ],
)
def test_units_that_udunits_does_not_know_are_said(units, column, what, tmp_path):
    lines = said(configuration(ALL).replace('units="m s-1"', f'units="{units}"'), tmp_path)

    if column is None:
        assert lines == []
    else:
        assert len(lines) == 1
        assert lines[0].startswith(f'3:{column}: warning: units="{units}": {what} that UDUNITS knows')


def test_units_of_diagnostics_and_dimensions_are_read_too(tmp_path):
    product = PRODUCT.replace('field="product"', 'field="product" units="K k K"')
    text = configuration(
        f'<dimension name="x" units="mm^"/>\n{product}', file(include("product"), include("height"))
    )

    lines = [line for line in said(text, tmp_path) if "UDUNITS" in line]

    assert [line.partition(" ")[0] for line in lines] == ["9:28:", "10:53:"]


# ---- For programs ----


def test_json_has_the_place_and_the_suggestion_of_each_finding(tmp_path):
    done = check(configuration(file(include("hight"))), tmp_path, "--json")

    assert done.returncode == ERRORS
    assert json.loads(done.stdout) == [
        {
            "file": "io.xml",
            "status": ERRORS,
            "findings": [
                {
                    "file": "io.xml",
                    "line": 10,
                    "column": 17,
                    "severity": "error",
                    "message": 'no field or diagnostic "hight"; did you mean "height"?',
                    "suggestion": "height",
                    "included_at": [],
                }
            ],
        }
    ]


def test_an_error_in_an_included_file_says_the_whole_way_to_it(tmp_path):
    (tmp_path / "inner.xml").write_text("<io-configuration>\n<fild/></io-configuration>\n")
    (tmp_path / "outer.xml").write_text(
        '<io-configuration>\n\n<include file="inner.xml"/></io-configuration>\n'
    )
    text = configuration('<include file="outer.xml"/>', ALL)

    done = check(text, tmp_path)
    findings = json.loads(check(text, tmp_path, "--json").stdout)[0]["findings"]

    assert (
        'inner.xml:2:1: error: unknown element "fild" in io-configuration; known are server-configuration, '
        "include, data-definition, time, dimension, grid, grid_mapping, data-reading, data-handling, group, "
        "data-writing and component "
        "[included at outer.xml:3:1, which is included at io.xml:9:1]"
    ) in done.stdout
    assert findings[0]["file"] == "inner.xml"
    assert findings[0]["included_at"] == [{"file": "outer.xml", "line": 3, "column": 1}]


def test_json_of_a_file_that_cannot_be_read_has_its_reason(tmp_path):
    done = check(configuration(ALL), tmp_path, "missing.xml", "--json")

    good, missing = json.loads(done.stdout)
    assert done.returncode == UNREADABLE
    assert (good["status"], good["findings"]) == (OK, [])
    assert missing["status"] == UNREADABLE
    assert missing["findings"][0]["message"] == "cannot be read: No such file or directory"
    assert missing["findings"][0]["line"] is None


# ---- The command line ----


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["chck", "io.xml"], '"chck" is not known; did you mean "check"?'),
        (["check", "io.xml", "--jsn"], '"--jsn" is not known; did you mean "--json"?'),
        (["help", "elment", "file"], '"elment" is not known; did you mean "element"?'),
    ],
)
def test_a_command_or_option_that_is_misspelt_is_said_with_the_one_that_was_meant(words, meant, tmp_path):
    run = pileus(*words, cwd=tmp_path)

    assert run.returncode == UNREADABLE
    assert run.stderr.splitlines()[-1] == meant


OPTIONAL = ALL.replace('write_time_frequency="100"', 'write_time_frequency="{length:100}"')


def test_an_option_that_nothing_asks_for_is_a_warning_with_what_was_meant(tmp_path):
    text = configuration(OPTIONAL)

    used = check(text, tmp_path, "--set", "length=50")
    misspelt = check(text, tmp_path, "--set", "lenght=50", "--set", "colour=red")

    assert used.stdout == "io.xml: no errors\n"
    assert misspelt.returncode == OK
    assert misspelt.stdout.splitlines() == [
        'io.xml: warning: --set lenght=50: nothing asks for the option "lenght"; did you mean "length"?',
        'io.xml: note: --set colour=red: nothing asks for the option "colour"',
        "io.xml: no errors",
    ]


def test_an_option_of_one_of_several_files_is_used(tmp_path):
    (tmp_path / "other.xml").write_text(configuration(ALL))

    both = check(configuration(OPTIONAL), tmp_path, "other.xml", "--set", "length=50")

    assert both.stdout == "io.xml: no errors\nother.xml: no errors\n"


def test_a_warning_of_many_places_is_said_at_the_first_and_to_programs_at_each(tmp_path):
    fields = "".join(f'<field name="f{n}" units="SI"/>\n' for n in range(6))
    text = configuration(f'<data-definition name="d" frequency="1">\n{fields}</data-definition>', ALL)

    lines = [line for line in check(text, tmp_path).stdout.splitlines() if "SI" in line]
    told = json.loads(check(text, tmp_path, "--json").stdout)[0]["findings"]

    assert len(lines) == 1
    assert lines[0].startswith('io.xml:10:25: warning: units="SI": no unit that UDUNITS knows')
    assert lines[0].endswith("; so in lines 11, 12, 13 and 2 others")
    assert [one["line"] for one in told if "SI" in one["message"]] == list(range(10, 16))


def test_fields_on_two_grids_are_refused_and_profiles_with_planes_are_not(tmp_path):
    more = """<data-definition name="staggered" frequency="1">
<field name="theta" size="z,y,x" collective="true"/>
<field name="w_face" size="z_face,y,x" collective="true"/>
<field name="surface" size="y,x" collective="true"/>
<field name="levels" size="z"/>
</data-definition>
<data-handling>
<diagnostic field="flux" expression="mean[y,x](w_face * theta)"/>
<diagnostic field="volume" expression="levels * surface + theta"/>
</data-handling>
"""
    written = [include(name) for name in ("flux", "volume", "w", "height", "dt")]
    text = configuration(more, file(*written))

    done = check(text, tmp_path)

    assert done.returncode == ERRORS
    assert done.stdout.splitlines() == [
        'io.xml:16:57: error: diagnostic "flux": "w_face" has the dimension "z_face", which "theta" lacks, '
        'and that has "z": both are distributed over the model ranks, and no rank has all pairs of their '
        "elements. Bring one to the other's grid first, in the model or by an operator, or reduce it over "
        "its dimension",
        "io.xml: 1 error",
    ]

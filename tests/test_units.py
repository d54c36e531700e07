"""Units that do not fit each other, as ``pileus check`` says it: in expressions and in equations, with the
column of the second of both inside the text."""

import pytest
from test_check import check, include

FIELDS = """<io-configuration><data-definition name="fields" frequency="1">
<field name="w" size="z,y,x" collective="true" units="m s-1"/>
<field name="theta" size="z,y,x" collective="true" units="K"/>
<field name="t_air" size="z,y,x" collective="true" units="degC"/>
<field name="qv" size="z,y,x" collective="true" units="kg kg-1"/>
<field name="ql" size="z,y,x" collective="true" units="g kg-1"/>
<field name="latitude" size="y" units="degrees_north"/>
<field name="angle" size="y" units="radian"/>
<field name="p" size="z,y,x" collective="true"/>
</data-definition>
<data-handling>
"""
EXPRESSION_LINE = 12


def warnings(handling, results, folder):
    """The warnings about units, without the name of the file."""
    includes = "\n".join(include(result) for result in results)
    text = (
        f'{FIELDS}{handling}\n</data-handling>\n<data-writing><file name="f.nc" write_time_frequency="100">'
    )
    done = check(f"{text}\n{includes}\n</file></data-writing></io-configuration>\n", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.removeprefix("io.xml:") for line in done.stdout.splitlines()]
    return [line for line in lines if ": warning: " in line]


def of_expression(expression, folder, units=""):
    more = f' units="{units}"' if units else ""
    text = expression.replace("<", "&lt;")
    found = warnings(f'<diagnostic field="d" expression="{text}"{more}/>', ["d"], folder)
    return [line.replace('warning: diagnostic "d": ', "") for line in found]


# The column of the first character of the expression is 35.
CLASHES = [
    ("w + theta", 39, '"w" is in m s-1 and "theta" is in K: they are added, and their units do not fit'),
    ("mean(w - theta)", 44, '"w" is in m s-1 and "theta" is in K: they are subtracted, and their units'),
    ("w*w > theta", 41, '"w*w" is in m2 s-2 and "theta" is in K: they are compared, and'),
    ("theta - t_air", 43, '"t_air" is in degC: they are subtracted as they are, without conversion'),
    ("qv + ql", 40, '"ql" is in g kg-1: they are added as they are, without conversion'),
    ("min(w, theta)", 42, "they are compared"),
    ("where(w > 0, w, theta)", 51, "they are chosen from"),
    ("mean(w | theta > w)", 52, "they are compared"),
    ("var(theta) - theta", 48, '"var(theta)" is in K2 and "theta" is in K'),
    ("cov[y,x](w, theta) - w", 56, '"cov[y,x](w, theta)" is in m s-1 K'),
    ("cos(latitude)", 39, 'cos takes radians, and "latitude" is in degrees_north'),
    ("tan(latitude)", 39, 'tan takes radians, and "latitude" is in degrees_north'),
    ("atan2(w, theta)", 44, "they are joined, and their units do not fit"),
    ("asin(theta)", 40, "asin takes a number without units"),
    ("w + step_length", 39, '"step_length" is in s: they are added'),
    ("exp(theta / w)", 39, 'exp takes a number without units, and "theta / w" is in m-1 s K'),
    ("log(theta)", 39, "log takes a number without units"),
    ("w^2 + w", 41, '"w^2" is in m2 s-2'),
]


@pytest.mark.parametrize(("expression", "column", "what"), CLASHES)
def test_that_clash_are_named_with_their_place(expression, column, what, tmp_path):
    (line,) = of_expression(expression, tmp_path)

    assert line.startswith(f"{EXPRESSION_LINE}:{column}: ") and what in line


@pytest.mark.parametrize(
    "expression",
    [
        "w + 2",
        "theta - 300",
        "w * theta + p",
        "sqrt(w*w) + w",
        "(w*w)^0.5 - w",
        "std(theta) + theta",
        "mean[y,x](w) - w",
        "theta * (1 + 0.61*qv - 0.001*ql)",
        "exp(w / w)",
        "tan(angle) + cos(atan2(w, w))",
        "hypot(w, w) + floor(w) - round(w)",
        "sign(theta) + qv",
        "theta * hour_of_day",
        "atan(w / w) * 57.3",
        "cos(angle)",
        "sin(p)",
        "count(w > 0) + count(theta)",
        "mean[y,x](any[z](w > 0 and not theta > 3))",
        "where(theta > 3, w, p)",
        "theta / theta + qv",
        "abs(-w) - max(w, 0)",
        "2 ^ theta",
    ],
)
def test_that_fit_or_are_not_known_are_no_matter(expression, tmp_path):
    assert of_expression(expression, tmp_path) == []


def test_that_are_declared_are_those_of_the_numbers(tmp_path):
    assert of_expression("mean[y,x](w * theta)", tmp_path, "K m s-1") == []
    assert of_expression("1000 * mean[y,x](qv)", tmp_path, "g kg-1") == []
    assert of_expression("1000 * mean[y,x](p)", tmp_path, "K") == []
    assert of_expression("theta - 273.15", tmp_path, "degC") == []
    assert of_expression("t_air + 273.15", tmp_path, "K") == []
    (line,) = of_expression("max(theta)", tmp_path, "degC")
    assert "its numbers are not converted" in line
    (line,) = of_expression("mean[y,x](w * theta)", tmp_path, "K m")
    assert 'warning: units="K m": what diagnostic "d" computes is in m s-1 K' in line
    (line,) = of_expression("max(w)", tmp_path, "km/h")
    assert 'what diagnostic "d" computes is in m s-1, and its numbers are not converted' in line


def test_of_rules_are_followed_as_those_of_expressions(tmp_path):
    rules = """<diagnostic field="odd">
<operator name="arithmetic" equation="w*theta" result="product"/>
<operator name="arithmetic" equation="w + product" result="odd"/>
</diagnostic>"""
    (line,) = warnings(rules, ["odd"], tmp_path)

    assert line.startswith("14:43: ")
    assert '"w" is in m s-1 and "product" is in m s-1 K: they are added, and their units do not fit' in line


def test_that_a_diagnostic_declares_count_for_those_who_use_it(tmp_path):
    rules = """<diagnostic field="flux" units="W m-2" expression="1004 * mean(w * theta)"/>
<diagnostic field="odd" expression="flux - mean(w * theta)"/>"""
    (line,) = warnings(rules, ["odd"], tmp_path)

    assert '"flux" is in W m-2 and "mean(w * theta)" is in m s-1 K' in line


def test_of_a_cycle_are_left_to_the_error_that_names_it(tmp_path):
    text = FIELDS + '<diagnostic field="a" expression="b + w"/><diagnostic field="b" expression="a + theta"/>'
    done = check(
        f'{text}</data-handling><data-writing><file name="f.nc" write_time_frequency="9">{include("a")}'
        "</file></data-writing></io-configuration>",
        tmp_path,
    )

    assert done.returncode == 1 and "error: " in done.stdout

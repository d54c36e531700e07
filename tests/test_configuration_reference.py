"""The table of elements, the XML schema, the pages of the reference and the reader say the same."""

import re
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from lxml import etree
from oracle.configuration_files import from_files, from_pages
from oracle.launch import BIN, pileus
from oracle.manipulations import MANIPULATIONS
from oracle.mistakes_in_expressions import FUNCTIONS
from oracle.random_expressions import REDUCTIONS

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "configuration-reference.md"
XS = "{http://www.w3.org/2001/XMLSchema}"
STORAGE = ("order", "precision", "significant_bits", "error", "precision_from", "write_if", "per")
STORAGE += ("at_least_every", "audit", "deflate", "zstd", "blosc", "shuffle")
STORAGE += ("packing", "bits_per_value", "decimal_scale")


def schema_document(*arguments):
    printed = pileus("schema", *arguments)
    assert printed.returncode == 0, printed.stderr
    return etree.fromstring(printed.stdout.encode())


@pytest.fixture(scope="module")
def schema():
    return etree.XMLSchema(schema_document())


# ---- What there is, as each of them says it ----


@dataclass
class Attribute:
    """An attribute of one element; it has ``words`` only if its values are words."""

    default: str
    is_required: bool
    words: list


def from_schema():
    """{(element, parent): {attribute: Attribute}} of the XML schema, without attributes of single rules."""
    found = {}

    def walk(element, parent):
        name = element.get("name")
        attributes = found[name, parent] = {}
        for one in element.findall(f"{XS}complexType/{XS}attribute"):
            words = [word.get("value") for word in one.iter(f"{XS}enumeration")]
            required = one.get("use") == "required"
            attributes[one.get("name")] = Attribute(one.get("default", ""), required, words)
        if parent == "diagnostic" and name != "attribute":
            found[name, parent] = {key: attributes[key] for key in ("name", "result")}
            attributes["name"].words = []
        children = element.findall(f"{XS}complexType/{XS}choice/{XS}element")
        if name == "component":  # holds what the root does
            names = [child.get("name") for child in children]
            assert names == [child for child, around in found if around == "io-configuration"][:-1]
            return
        for child in children:
            walk(child, name)

    walk(schema_document().find(f"{XS}element"), "")
    return found


def from_reference():
    """Reads the same from the page."""
    found = {}
    for section in PAGE.read_text().split("\n## ")[1:]:
        heading, _, body = section.partition("\n")
        name, _, parent = heading.replace("`", "").partition(" in ")
        attributes = found[name, parent] = {}
        for row in re.findall(r"^\| `(.*?)` \| (.*?) \| (.*?) \| (.*?) \|$", body, re.M):
            required = row[2] == "required"
            form = row[1].partition("; ")[0]  # behind the words there may be another form
            words = re.split(", | or ", form) if re.fullmatch(r"[\w-]+(, [\w-]+)*( or [\w-]+)?", form) else []
            is_of_words = words and words not in (
                ["true", "false"],
                ["text"],
                ["text", "number"],
                ["name"],
                ["number"],
            )
            attributes[row[0]] = Attribute(
                "" if required else row[2],
                required,
                words if is_of_words and words != ["expression"] else [],
            )
    return found


PARENTS = {
    "servers": "server-configuration",
    "thread_pool": "server-configuration",
    "operator-library": "server-configuration",
    "memory": "server-configuration",
    "pushdown": "server-configuration",
    "events": "server-configuration",
    "checkpoint": "server-configuration",
    "field": "data-definition",
    "diagnostic": "data-handling",
    "condition": "data-handling",
    "statistics": "data-handling",
    "trigger": "data-handling",
    "operator": "diagnostic",
    "communication": "diagnostic",
    "member": "group",
    "file": "data-writing",
    "input": "data-reading",
    "include": "file",
    "cmip-dataset": "data-writing",
    "cmip": "cmip-dataset",
}
AROUND_ATTRIBUTES = ("data-writing", "cmip-dataset", "file", "include", "field", "diagnostic")


def from_configuration_page():
    """{(element, parent): ({attribute: default}, bold attributes)} of the table in docs/configuration.md."""
    found = {}
    table = (DOCS / "configuration.md").read_text().partition("\n| element |")[2].partition("\n\n")[0]
    for name, attributes in re.findall(r"^\| `( *[\w-]+)` \| (.*?) ?\|", table, re.M):
        depth = len(name) - len(name.strip())
        name = name.strip()
        if name == "include":
            parent = "file" if depth else "io-configuration"
        elif name in STORAGE:
            continue
        else:
            parent = PARENTS.get(name, "io-configuration" if name != "io-configuration" else "")
        defaults, bold = {}, set()
        stored = re.search(r"how (it is|its variables are) stored", attributes) is not None
        attributes = re.sub(r",? and (how .*? stored|its own)", "", attributes)
        for one in filter(None, re.split(r", | or | and ", attributes)):
            is_bold = one.startswith("**")
            word, _, default = one.replace("**", "").partition(" (")
            defaults[word] = default.rstrip(")")
            if is_bold:
                bold.add(word)
        if stored:
            defaults.update(
                dict.fromkeys(STORAGE, ""), shuffle="true", packing="ccsds", audit="false", per="field"
            )
        for around in AROUND_ATTRIBUTES if name == "attribute" else [parent]:
            found[name, around] = defaults, bold
    return found


def test_the_page_of_the_reference_is_up_to_date():
    printed = pileus("help", "configuration", "--markdown")

    assert printed.returncode == 0
    assert PAGE.read_text() == printed.stdout, (
        "run: pileus help configuration --markdown > docs/configuration-reference.md"
    )


def test_the_schema_has_what_the_reference_has():
    reference = from_reference()

    assert len(reference) > 20
    assert from_schema() == reference


def test_the_overview_has_what_the_reference_has():
    overview = from_configuration_page()
    reference = from_reference()

    assert set(overview) == set(reference)
    for place, attributes in reference.items():
        defaults, bold = overview[place]
        assert defaults == {name: one.default for name, one in attributes.items()}, place
        assert bold >= {name for name, one in attributes.items() if one.is_required}, place


# ---- The reader ----


def document(element, parent, start_tags):
    """A document in which elements with these start tags stand one a line, from line 3 on, and what is around
    them."""
    chain = [parent]
    while chain[0] not in ("", "io-configuration"):
        chain.insert(0, PARENTS[chain[0]] if chain[0] in PARENTS else "io-configuration")
    around = "".join(f"<{name}>" for name in chain if name)
    end = "".join(f"</{name}>" for name in reversed(chain) if name)
    return f"{around}\n\n" + "\n".join(start_tags) + f"\n{end}\n"


def test_the_reader_knows_the_attributes_of_the_reference_and_no_others(tmp_path):
    reference = from_reference()
    for (name, parent), attributes in reference.items():
        if parent in ("", "diagnostic"):  # those of rules depend on their names
            continue
        (tmp_path / "io.xml").write_text(document(name, parent, [f'<{name} qqqqqqqqqqqqqqqqqqqq="1"/>']))

        said = pileus("check", "io.xml", cwd=tmp_path).stdout

        known = re.search(
            r'unknown attribute "q+" of .*?; (?:known are (.*)|none is known)$',
            said,
            re.M,
        )
        assert known, (name, said)
        listed = re.split(", | and ", known[1] or "")
        if others := re.fullmatch(r"(\d+) others", listed[-1]):  # of a long list
            listed[-1:] = list(attributes)[-int(others[1]) :]
        assert listed == (list(attributes) or [""]), name


def test_the_reader_knows_the_elements_of_the_reference_and_no_others(tmp_path):
    reference = from_reference()
    for name, parent in reference:
        inside = [child for child, around in reference if around == name]
        if not parent or not inside or (name, parent) == ("include", "io-configuration"):
            continue
        tag = f"<{name}><qqqqqqqqqqqqqqqqqqqq/></{name}>"
        (tmp_path / "io.xml").write_text(document(name, parent, [tag]))

        said = pileus("check", "io.xml", cwd=tmp_path).stdout

        known = re.search(r'unknown element "q+" in .*?; known are (.*)$', said, re.M)
        assert known, (name, said)
        assert re.split(", | and ", known[1]) == inside, name


def from_page_of_operators():
    """{"operator" or "communication": {name: parameters}}."""
    page = (DOCS / "operators.md").read_text()
    rules = {}
    for title, kind in (("Operators", "operator"), ("Communications", "communication")):
        section = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
        rules[kind] = {
            one.partition("\n")[0]: re.findall(r"^\| `(\w+)` \|", one, re.M)
            for one in section.split("\n### ")[1:]
        }
    return rules


def test_the_schema_lets_rules_have_the_parameters_of_the_page_of_operators():
    elements = [one for one in schema_document().iter(f"{XS}element")]

    for kind, rules in from_page_of_operators().items():
        element = next(one for one in elements if one.get("name") == kind)
        attributes = {one.get("name"): one for one in element.iter(f"{XS}attribute")}
        assert [word.get("value") for word in attributes["name"].iter(f"{XS}enumeration")] == list(rules)
        assert set(attributes) == {"name", "result"}.union(*rules.values())


def test_the_reader_lets_each_rule_have_the_parameters_of_the_page_of_operators(
    tmp_path,
):
    for kind, rules in from_page_of_operators().items():
        for name, parameters in rules.items():
            tag = f'<{kind} name="{name}" qqqqqqqqqqqqqqqqqqqq="1"/>'
            (tmp_path / "io.xml").write_text(document(kind, "diagnostic", [tag]))

            said = pileus("check", "io.xml", cwd=tmp_path).stdout

            known = re.search(r'unknown attribute "q+" of .*?; known are (.*)$', said, re.M)
            assert re.split(", | and ", known[1]) == ["name", "result", *parameters], name


# ---- Configurations ----


def library():
    """The operators of examples/operator."""
    path = BIN.parent / "lib" / "libcolumn_integral.so"
    if not path.is_file():
        pytest.skip(f"no library {path}: build it, or set PILEUS_BUILD")
    return path


@pytest.mark.parametrize("configuration", from_files() + from_pages(), ids=str)
def test_good_configurations_are_right_for_the_schema(configuration):
    more = []
    if "operator-library" in configuration.text:
        more = ["--operator-library", library()]
    rules = etree.XMLSchema(schema_document(*more))

    rules.assertValid(etree.fromstring(configuration.text.encode()))


GOOD = (Path(__file__).parent / "configurations" / "listings.xml").read_text()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("<field ", "<feild "),
        ("collective=", "colective="),
        ('name="arithmetic"', 'name="arithmetc"'),
        ('operator="sum"', 'operator="summ"'),
        ('collective="true"', 'collective="True"'),
        ('time_manipulation="averaged"', 'time_manipulation="average"'),
        ('write_time_frequency="', 'write_time_frequency="often'),
        ('result="VWP_mean_g"', ""),
    ],
)
def test_what_is_misspelt_is_wrong_for_the_schema(schema, right, wrong):
    assert right in GOOD
    assert schema.validate(etree.fromstring(GOOD.encode()))
    assert not schema.validate(etree.fromstring(GOOD.replace(right, wrong, 1).encode()))


# ---- Values ----

VALUES = (
    """a A true false True 1 0 007 -1 +1 1.5 1e3 1e-3 .5 5. 10min 0.5 KiB 1KB 1KiB z,y,x z,,x , a::b a:: ::a
a.b-c_d é .hidden a/b.nc f.nc standard gregorian lunar 365_day 2000-01-01 TERM
SIGTERM KILL auto 3 sum mean averaged
none X up io netcdf4 9 10 52 53 nan inf 0x10 1_000 4,5 4,5,""".split()
    + [
        *(
            "",
            " ",
            "1 s",
            "10 min",
            "1 month",
            "2 years",
            "0.5 month",
            "0 month",
            "-1 s",
            "1 KiB",
            "1.5 KiB",
        ),
        *(
            "z, y ,x",
            " z ",
            "a b",
            "2000-01-01 00:00:00",
            "TERM USR1",
            "TERM  USR1",
            "1 day",
            "1 S",
        ),
    ]
)
# Right for a pattern, wrong for the reader.
LENIENT = [
    "z,z",
    "0 s",
    "0",
    "0.0",
    "-0.0",
    "2000-13-01",
    "2000-01-01 25",
    "1e400",
    "1e400 d",
    "TERM TERM",
]
LENIENT += [
    "99999999999999999999",
    "{x}",
    "a{x}b",
    "{x:1}",
    "9000000000 GiB",
    "a,b,c,d,e,f,g,h,i,j",
]


def value_lines(said, attribute):
    return {int(line) for line in re.findall(rf'^io\.xml:(\d+):\d+: error: {attribute}="', said, re.M)}


@pytest.mark.parametrize("place", [place for place in from_schema() if place[1]], ids="_in_".join)
def test_the_schema_refuses_the_values_that_the_reader_refuses(schema, place, tmp_path):
    name, parent = place
    values = VALUES + LENIENT
    for attribute in from_schema()[place]:
        if parent == "diagnostic" and attribute == "name":
            continue
        tags = [f"<{name} {attribute}={quoteattr(value)}/>" for value in values]
        text = document(name, parent, tags)
        (tmp_path / "io.xml").write_text(text)

        refused = value_lines(pileus("check", "--set", "x=1", "io.xml", cwd=tmp_path).stdout, attribute)
        schema.validate(etree.fromstring(text.encode()))
        wrong = {one.line for one in schema.error_log if f"attribute '{attribute}'" in one.message}
        wrong -= {one.line for one in schema.error_log if f"'{attribute}' is required" in one.message}

        by_line = dict(enumerate(values, start=3))
        assert {by_line[line] for line in wrong - refused} == set(), attribute
        assert {by_line[line] for line in refused - wrong} <= set(LENIENT), attribute


# ---- pileus help ----


def test_help_tells_of_one_operator():
    said = pileus("help", "operator", "arithmetic")

    assert said.returncode == 0
    assert said.stdout.startswith("operator\n  arithmetic\n    Computes an equation")
    equation = said.stdout.partition("    equation (expression; required): ")[2]
    assert equation.startswith("numbers, fields, {options}, + - * / % ^ and ( ), and the functions sqrt(a), ")
    assert "where(condition, a, b)" in equation and "max(a, b, ...)" in equation
    assert "localreduce" not in said.stdout


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("cov", "reduction of expressions\n  cov[y,x](a, b)\n    the covariance of the population\n"),
        ("sqrt", "function of equations and expressions\n  sqrt(a)\n    the square root\n"),
    ],
)
def test_help_tells_of_a_function_or_reduction(word, told):
    said = pileus("help", "operator", word)

    assert said.returncode == 0
    assert said.stdout == told


def test_typing_errors_and_the_oracle_of_random_runs_know_each_function_and_reduction():
    functions, reductions = pileus("help", "expression").stdout.split("\nReductions", 1)
    words_of = re.compile(r"^  (\w+)[(\[]", re.M)

    assert {*words_of.findall(functions), *words_of.findall(reductions)} == {*FUNCTIONS}
    others = {"any", "all", "cov", "zonal", "histogram"}
    assert {*words_of.findall(reductions)} == {one.word for one in REDUCTIONS} | others


def test_the_guide_and_the_oracle_of_random_runs_know_each_time_manipulation():
    said = pileus("help", "operators").stdout
    listed = said.partition("\nTime manipulations\n")[2].partition("\nReductions")[0]
    page = (DOCS / "configuration.md").read_text()
    table = page.partition("| time_manipulation |")[2].partition("\n\n")[0]
    rows = [row.partition("|")[0] for row in table.replace("\n| ", "\n").splitlines()[2:]]

    words = re.findall(r"^  (\w+)$", listed, re.M)
    assert len(words) > 7
    assert {*words} == {*MANIPULATIONS, "covariance", "correlation", "weighted_mean", "time_spectrum"}
    assert sorted(words) == sorted(re.findall(r"`(\w+)`", " ".join(rows)))


def test_help_lists_functions_and_reductions_as_the_overview_does():
    said = pileus("help", "expression")
    page = (DOCS / "configuration.md").read_text()
    overview = page.partition("| written | means |")[2].partition("\n\n")[0]
    first = ("| `sqrt", "| `sum", "| `zonal", "| `histogram")
    rows = [row for row in overview.splitlines() if row.startswith(first)]

    words = set(re.findall(r"^  (\w+)[(\[]", said.stdout, re.M))
    named = set(re.findall(r"[a-z_][a-z_0-9]{2,}", " ".join(re.findall(r"`(.*?)`", " ".join(rows)))))
    assert said.returncode == 0
    assert words == named - {"condition", "edges", "weight", "mass"}


def test_help_tells_of_an_element_wherever_it_may_stand():
    said = pileus("help", "element", "include")

    assert said.returncode == 0
    assert "<include> in <io-configuration>\n" in said.stdout
    assert "<include> in <file>\n" in said.stdout
    assert "  shuffle (true, false or bits; true): " in said.stdout


@pytest.mark.parametrize(
    ("what", "misspelt", "meant"),
    [("operator", "filtre", "filter"), ("element", "feild", "field")],
)
def test_help_suggests_what_was_meant(what, misspelt, meant):
    said = pileus("help", what, misspelt)

    assert said.returncode == 1
    assert said.stdout == ""
    assert f'"{misspelt}"; did you mean "{meant}"?' in said.stderr


def test_a_library_that_is_not_there_is_said_so():
    said = pileus("schema", "--operator-library", "nowhere.so")

    assert said.returncode == 2
    assert "nowhere.so is not there" in said.stderr

"""The pages about the source say what is there, and in short sentences."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [DOCS / name for name in ("architecture.md", "follow-one-value.md", "glossary.md",
                                  "threads-and-frames.md")]
MOST_WORDS = 35
CODE = re.compile(r"`([^`]+)`")


def rows_of(text):
    """The cells of each row of the tables in a text, without heads and rules."""
    lines = text.splitlines()
    rows = []
    for above, line in zip(["", *lines], lines, strict=False):
        is_rule = re.fullmatch(r"\|[-| ]+\|", line)
        if is_rule and rows:
            rows.pop()  # the head
        elif line.startswith("|") and not is_rule:
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        assert not is_rule or above.startswith("|"), f"a rule without a head: {line}"
    return rows


def section(page, heading):
    """The text below a heading of the second level."""
    text = (DOCS / page).read_text().partition(f"\n## {heading}\n")[2]
    assert text, f"{page} has no section {heading}"
    return text.partition("\n## ")[0]


def steps():
    """The file and the functions of each row of the way of a value."""
    rows = rows_of((DOCS / "follow-one-value.md").read_text())
    return [(CODE.findall(where)[0], CODE.findall(functions)) for where, functions, _ in rows]


@pytest.mark.parametrize("where, functions", steps(), ids=lambda value: str(value))
def test_functions_on_the_way_of_a_value_are_in_their_files(where, functions):
    source = (ROOT / where).read_text()

    assert functions
    for function in functions:
        assert re.search(rf"(?<![\w:]){re.escape(function)}\(", source), f"{where} has no {function}"


def test_every_path_on_a_page_exists():
    for page in PAGES:
        for code in CODE.findall(page.read_text()):
            if re.match(r"(src|cmake|include|apps|tests|docs)/", code):
                assert (ROOT / code).exists(), f"{page.name}: there is no {code}"


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
            assert (DOCS / target).exists(), f"{page.name}: there is no {target}"


def test_every_room_of_the_rules_is_in_the_architecture():
    rules = (ROOT / "cmake" / "rooms.txt").read_text()
    rooms = set(re.findall(r"^room (\S+):", rules, re.M)) - {"apps", "include"}

    assert {CODE.findall(room)[0] for room, *_ in rows_of(section("architecture.md", "Rooms"))} == rooms


def test_decisions_that_the_source_cites_are_in_the_architecture():
    page = (DOCS / "architecture.md").read_text()
    decided = set(re.findall(r"^\*\*(D\d+)\.", page, re.M))
    # limbs.cpp cites steps of Knuth's algorithm D.
    sources = [path for path in (ROOT / "src").rglob("*.[ch]*") if path.name != "limbs.cpp"]
    cited = {name for path in sources for name in re.findall(r"\bD\d+\b", path.read_text())}

    assert cited and cited <= decided
    for name in decided:
        text = re.split(r"\n\*\*D\d+\.|\n## ", page.partition(f"\n**{name}.")[2])[0]
        assert re.search(r"^\*(Built|Not built)", text, re.M), f"{name} does not say whether it is built"


def enumerators(path, name):
    """The enumerators of an enum class in a header."""
    body = re.search(rf"enum class {name} [^{{]*{{(.*?)}};", (ROOT / path).read_text(), re.S)[1]
    return set(re.findall(r"^\s*(\w+)\s*(?:=|,|///|$)", re.sub(r"//.*", "", body), re.M))


@pytest.mark.parametrize("heading, path, name", [
    ("Frames between a model rank and its server", "src/client/frames.h", "FrameKind"),
    ("Frames between servers", "src/messaging/frames.h", "ServerFrame"),
])
def test_the_tables_have_every_kind_of_frame(heading, path, name):
    rows = rows_of(section("threads-and-frames.md", heading))

    assert len(rows) == len(enumerators(path, name)), "each kind once"
    assert {CODE.findall(frame)[0] for frame, *_ in rows} == enumerators(path, name)


def test_the_frames_that_pass_others_are_named():
    source = (ROOT / "src" / "messaging" / "frames.h").read_text()
    urgent = re.search(r"bool is_urgent\(.*?return true;", source, re.S)[0]
    text = section("threads-and-frames.md", "Frames between servers")
    said = re.search(r"Some frames are urgent: (.*?)\. They", text, re.S)[1]

    assert set(CODE.findall(said)) == set(re.findall(r"case ServerFrame::(\w+):", urgent))


def test_fields_of_frames_with_a_fixed_layout_are_named():
    header = (ROOT / "src" / "client" / "frames.h").read_text()
    rows = {CODE.findall(frame)[0]: set(CODE.findall(fields))
            for frame, _, fields, _ in
            rows_of(section("threads-and-frames.md", "Frames between a model rank and its server"))}
    structs = {"clock": ["ClockFrame"], "parcel": ["ParcelHeader", "FieldEntry"], "finish": ["FinishFrame"],
               "marker": ["MarkerFrame"]}

    for frame, names in structs.items():
        members = set()
        for name in names:
            body = re.search(rf"struct {name} {{(.*?)}};", header, re.S)[1]
            members |= set(re.findall(r"^  [\w:]+ (\w+)(?: = [^;]+)?;", body, re.M))
        assert rows[frame] == members - {"kind", "unused"}


def test_every_strand_of_the_source_is_in_the_table():
    declared = set()
    for path in (ROOT / "src").rglob("*.h"):
        if path.parent.name in ("testing", "exec"):
            continue
        for name in re.findall(r"^\s+(?:Strand|std::unique_ptr<Strand>) (\w+);", path.read_text(), re.M):
            declared.add((name, path.relative_to(ROOT).as_posix()))

    rows = rows_of(section("threads-and-frames.md", "Strands"))
    assert {(CODE.findall(row[0])[0], CODE.findall(row[-1])[0]) for row in rows} == declared


def sentences(page):
    """The sentences of the text and of the cells of tables, without code blocks and headings."""
    text = re.sub(r"```.*?```|<!--.*?-->", "", page.read_text(), flags=re.S)
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", text))
    for paragraph in re.split(r"\n\s*\n|\n(?=[-|#*\d])|\|", text):
        yield from re.split(r"(?<=[.!?])\s", " ".join(paragraph.split()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_sentences_have_at_most_35_words(page):
    long = [sentence for sentence in sentences(page) if len(sentence.split()) > MOST_WORDS]

    assert not long

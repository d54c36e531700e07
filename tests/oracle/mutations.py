"""Good configurations with one mistake each, and where and how it has to be reported.

What is a mistake follows from the XML schema: a typing error in a text is none, in a word it is one. A name
is wrong where it is used, or, where it is defined, at the places that use it.
"""

import random
import re
import string
from dataclasses import dataclass
from xml.sax.saxutils import unescape

TAG = re.compile(
    r"<!--.*?-->|<\?.*?\?>|<(/?)([\w-]+)((?:\s+[\w:]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>", re.S
)
ATTRIBUTE = re.compile(r"([\w:]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
XS = "{http://www.w3.org/2001/XMLSchema}"
NUMBERS = {"positive", "count", "level", "bits", "number"}
QUANTITIES = {"duration", "duration_or_0", "wall_time", "bytes"}
LETTERS = string.ascii_lowercase + "_"


@dataclass(frozen=True)
class Attribute:
    """Of a start tag; ``at`` and ``value_at`` are offsets in the text."""

    name: str
    value: str
    at: int
    value_at: int


@dataclass(frozen=True)
class Tag:
    """A start tag; ``end`` is behind it, ``close`` where its end tag begins, or nowhere."""

    name: str
    parent: str
    at: int
    end: int
    close: int | None
    attributes: tuple


@dataclass(frozen=True)
class Mutation:
    """A configuration with a mistake that is reported in one of the lines, or by naming it in words; with one
    of the suggestions, if there are any."""

    what: str
    text: str
    lines: frozenset
    suggestions: frozenset = frozenset()

    def __str__(self):
        return self.what


def tags_of(text):
    """All start tags in their order."""
    tags, around = [], []
    for match in TAG.finditer(text):
        if match[2] is None:
            continue
        if match[1]:
            index = around.pop()
            tags[index] = Tag(**{**tags[index].__dict__, "close": match.start()})
            continue
        attributes = []
        for one in ATTRIBUTE.finditer(match[3]):
            group = 2 if one[2] is not None else 3
            begin = match.start(3)
            attributes.append(Attribute(one[1], one[group], begin + one.start(), begin + one.start(group)))
        parent = tags[around[-1]].name if around else ""
        tags.append(Tag(match[2], parent, match.start(), match.end(), None, tuple(attributes)))
        if not match[4]:
            around.append(len(tags) - 1)
    return tags


class Language:
    """What the schema says: which elements and attributes there are, and of what kind their values are."""

    def __init__(self, schema):
        self.children, self.attributes, self.required, self.kinds, self.words = {}, {}, {}, {}, {}
        self._walk(schema.find(f"{XS}element"), "")

    def _walk(self, element, parent):
        place = element.get("name"), parent
        self.children.setdefault(parent, []).append(place[0])
        self.attributes[place], self.required[place] = [], []
        for one in element.findall(f"{XS}complexType/{XS}attribute"):
            name = one.get("name")
            self.attributes[place].append(name)
            if one.get("use") == "required":
                self.required[place].append(name)
            self.kinds[*place, name] = one.get("type") or "word"
            self.words[*place, name] = [word.get("value") for word in one.iter(f"{XS}enumeration")]
        for child in element.findall(f"{XS}complexType/{XS}choice/{XS}element"):
            self._walk(child, place[0])


def edits(a, b):
    """Insertions, deletions, replacements and swaps of neighbours that make ``b`` of ``a``."""
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(rows[-1][j - 1] + (x != y), rows[-1][j] + 1, row[-1] + 1))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[-1] = min(row[-1], rows[-2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


class Mutator:
    """Makes mutations of one configuration after the other."""

    def __init__(self, language, seed):
        self.language = language
        self.random = random.Random(seed)

    def some(self, configurations, count):
        """``count`` mutations, all ways in turn."""
        ways = [
            *(self.element, self.attribute, self.word, self.number, self.quantity, self.reference),
            *(
                self.attribute,
                self.word,
                self.definition,
                self.equation,
                self.name_in_equation,
                self.reference,
            ),
            *(self.missing_attribute, self.second_attribute, self.second_element, self.misplaced_element),
            *(
                self.stray_text,
                self.missing_end,
                self.missing_quote,
                self.stray_ampersand,
                self.endless_comment,
            ),
            *(self.element, self.missing_definition, self.function),
        ]
        made, seen = [], set()
        for turn in range(100 * count):
            if len(made) == count:
                return made
            configuration = self.random.choice(configurations)
            mutation = ways[turn % len(ways)](configuration.text, tags_of(configuration.text))
            if mutation is None or mutation.text in seen:
                continue
            seen.add(mutation.text)
            what = f"{len(made):03} {mutation.what} in {configuration}"
            made.append(Mutation(what, mutation.text, mutation.lines, mutation.suggestions))
        raise AssertionError(f"only {len(made)} mutations could be made")

    # ---- Pieces ----

    def _typo(self, word):
        """One edit away from the word."""
        at = self.random.randrange(len(word))
        letter = self.random.choice(LETTERS)
        kind = self.random.randrange(4)
        if kind == 0 and len(word) > 2:
            return word[:at] + word[at + 1 :]
        if kind == 1:
            return word[:at] + letter + word[at:]
        if kind == 2 and at + 1 < len(word):
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        return word[:at] + letter + word[at + 1 :]

    def _wrong(self, word, known):
        """A typing error that is no other word, and what may be suggested for it; or nothing."""
        if not word or "{" in word:
            return None
        wrong = self._typo(word)
        if wrong.lower() in {one.lower() for one in known} | {word.lower()}:
            return None
        if not re.fullmatch(r"[A-Za-z_][\w.-]*", wrong):
            return None
        # Of a word of two letters nothing is left to know it by.
        if not set(wrong) & set(word) or len(word) < 2:
            return wrong, frozenset()
        return wrong, frozenset(one for one in {*known, word} if edits(wrong, one) == 1)

    def _attributes(self, tags, wanted):
        """Those of the wanted kinds."""
        return [
            (tag, one)
            for tag in tags
            for one in tag.attributes
            if self.language.kinds.get((tag.name, tag.parent, one.name)) in wanted
        ]

    def _replaced(self, what, text, attribute, value, suggestions=frozenset()):
        end = attribute.value_at + len(attribute.value)
        first, last = line_of(text, attribute.value_at), line_of(text, end)
        changed = text[: attribute.value_at] + value + text[end:]
        return Mutation(what, changed, frozenset(range(first, last + 1)), suggestions)

    def _pick(self, items):
        return self.random.choice(items) if items else None

    # ---- Names of elements and attributes ----

    def element(self, text, tags):
        tag = self._pick([one for one in tags if one.parent])
        found = self._wrong(tag.name, self.language.children[tag.parent])
        if found is None:
            return None
        wrong, suggestions = found
        changed = text[: tag.at + 1] + wrong + text[tag.at + 1 + len(tag.name) :]
        if tag.close is not None:
            close = tag.close + len(wrong) - len(tag.name) + 2
            changed = changed[:close] + wrong + changed[close + len(tag.name) :]
        return Mutation(f"<{wrong}>", changed, frozenset([line_of(text, tag.at)]), suggestions)

    def attribute(self, text, tags):
        tag = self._pick([one for one in tags if one.attributes])
        one = self._pick(tag.attributes)
        found = self._wrong(one.name, self.language.attributes[tag.name, tag.parent])
        if found is None:
            return None
        wrong, suggestions = found
        changed = text[: one.at] + wrong + text[one.at + len(one.name) :]
        return Mutation(f"{wrong}=", changed, frozenset([line_of(text, one.at)]), suggestions)

    # ---- Values ----

    def word(self, text, tags):
        choice = self._pick(self._attributes(tags, {"word", "boolean", "calendar"}))
        if choice is None:
            return None
        tag, one = choice
        words = self.language.words[tag.name, tag.parent, one.name] or ["true", "false"]
        found = self._wrong(one.value, words)
        if found is None or self.language.kinds[tag.name, tag.parent, one.name] == "calendar":
            return None
        wrong, suggestions = found
        return self._replaced(f'{one.name}="{wrong}"', text, one, wrong, suggestions)

    def number(self, text, tags):
        choice = self._pick(self._attributes(tags, NUMBERS))
        if choice is None or "{" in choice[1].value:
            return None
        one = choice[1]
        at = self.random.randrange(len(one.value) + 1)
        wrong = one.value[:at] + self.random.choice("xl,-+ o") + one.value[at:]
        if wrong.strip() == one.value or re.fullmatch(r"-?\d+(\.\d*)?", wrong):
            return None
        return self._replaced(f'{one.name}="{wrong}"', text, one, wrong)

    def quantity(self, text, tags):
        choice = self._pick(self._attributes(tags, QUANTITIES))
        if choice is None or "{" in choice[1].value:
            return None
        one = choice[1]
        number, unit = re.fullmatch(r"(.*?) ?([A-Za-z]*)", one.value).groups()
        if len(unit) > 1 and self.random.randrange(4):
            wrong = self._typo(unit)
            if (
                wrong == unit
                or not wrong.isalpha()
                or wrong in "s min h d month months year years KiB MiB GiB".split()
            ):
                return None
            known = "s min h d month months year years KiB MiB GiB".split()
            meant = frozenset(f"{number} {word}" for word in known if edits(wrong, word) == 1)
            return self._replaced(
                f'{one.name}="{number} {wrong}"', text, one, f"{number} {wrong}", meant | {one.value}
            )
        if not float(number or 0):
            return None
        wrong = self.random.choice(["x", "-", "1,", "+"]) + one.value
        return self._replaced(f'{one.name}="{wrong}"', text, one, wrong)

    # ---- Names of fields, diagnostics, results and groups ----

    @staticmethod
    def _names(tags):
        """All that are defined."""
        defining = {"field": "name", "diagnostic": "field", "group": "name", "operator": "result"}
        defining["communication"] = "result"
        return {one.value for tag in tags for one in tag.attributes if defining.get(tag.name) == one.name}

    def reference(self, text, tags):
        choice = self._pick(self._attributes(tags, {"reference"}))
        if choice is None:
            return None
        tag, one = choice
        found = self._wrong(one.value, self._names(tags))
        if found is None or "namespace" in text:
            return None
        wrong, suggestions = found
        # Of what may stand there only.
        if tag.name == "include":
            groups = {two.value for other in tags if other.name == "group" for two in other.attributes[:1]}
            suggestions &= groups if one.name == "group" else self._names(tags) - groups
        # Several names may be one edit away: any of them will do.
        meant = suggestions if one.value in suggestions else frozenset()
        return self._replaced(f'{one.name}="{wrong}"', text, one, wrong, meant)

    def definition(self, text, tags):
        tag = self._pick([one for one in tags if one.name in ("field", "diagnostic", "group")])
        if tag is None or "namespace" in text or "include file" in text:
            return None
        one = next((two for two in tag.attributes if two.name in ("name", "field")), None)
        found = self._wrong(one.value, self._names(tags))
        uses = [match.start() for match in re.finditer(rf"(?<![\w.-]){re.escape(one.value)}(?![\w.-])", text)]
        if found is None or len(uses) < 2:
            return None
        wrong, _ = found
        lines = frozenset(line_of(text, use) for use in uses)
        mutation = self._replaced(f'{tag.name} {one.name}="{wrong}"', text, one, wrong)
        near = {other for other in self._names(tags) if edits(one.value, other) == 1}
        alike = frozenset([wrong, one.value, *near]) if set(wrong) & set(one.value) else frozenset()
        return Mutation(mutation.what, mutation.text, lines, alike)

    def missing_definition(self, text, tags):
        fields = [one for one in tags if one.name == "field" and one.close is None]
        tag = self._pick(fields)
        if tag is None or "namespace" in text or sum(one.name == "field" for one in tags) < 2:
            return None
        name = next(one.value for one in tag.attributes if one.name == "name")
        changed = text[: tag.at] + text[tag.end :]
        uses = re.finditer(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", changed)
        lines = frozenset(line_of(changed, use.start()) for use in uses)
        return Mutation(f"no field {name}", changed, lines) if lines else None

    # ---- Equations ----

    def equation(self, text, tags):
        choice = self._pick(self._attributes(tags, {"expression"}))
        if choice is None:
            return None
        one = choice[1]
        wrongs = [one.value + " +", "(" + one.value, one.value + ")", "$" + one.value, one.value + " 2 x"]
        wrong = self.random.choice(wrongs)
        return self._replaced(f'{one.name}="{wrong}"', text, one, wrong)

    def name_in_equation(self, text, tags):
        choice = self._pick(self._attributes(tags, {"expression"}))
        if choice is None or "namespace" in text:
            return None
        one = choice[1]
        names = [
            match
            for match in re.finditer(
                r"[A-Za-z_]\w*", re.sub(r"\{.*?\}|&\w+;", lambda m: " " * len(m[0]), one.value)
            )
            if match[0] in self._names(tags)
        ]
        name = self._pick(names)
        found = name and self._wrong(
            name[0], self._names(tags) | {"and", "or", "not", "lt", "le", "gt", "ge"}
        )
        if not found:
            return None
        wrong, suggestions = found
        value = one.value[: name.start()] + wrong + one.value[name.end() :]
        return self._replaced(f'{one.name}="{unescape(value)}"', text, one, value, suggestions & {name[0]})

    def function(self, text, tags):
        choice = self._pick(
            [
                one
                for one in self._attributes(tags, {"expression"})
                if re.search(r"[a-z]\w*[\[(]", one[1].value)
            ]
        )
        if choice is None:
            return None
        one = choice[1]
        name = self._pick(list(re.finditer(r"[a-z]\w*(?=[\[(])", one.value)))
        known = "sum mean min max var std count any all cov sqrt exp log abs sin cos where and or not".split()
        found = self._wrong(name[0], [*known, *self._names(tags)])
        if found is None:
            return None
        wrong, suggestions = found
        value = one.value[: name.start()] + wrong + one.value[name.end() :]
        return self._replaced(f'{one.name}="{unescape(value)}"', text, one, value, suggestions & {*known})

    # ---- Structure ----

    def missing_attribute(self, text, tags):
        choices = [
            (tag, one)
            for tag in tags
            for one in tag.attributes
            if one.name in self.language.required[tag.name, tag.parent]
        ]
        tag, one = self._pick(choices)
        end = one.value_at + len(one.value) + 1
        changed = text[: one.at] + text[end:]
        return Mutation(f"{tag.name} without {one.name}", changed, frozenset([line_of(text, tag.at)]))

    def second_attribute(self, text, tags):
        tag = self._pick([one for one in tags if one.attributes])
        one = self._pick(tag.attributes)
        end = one.value_at + len(one.value) + 1
        changed = f'{text[:end]} {one.name}="{one.value}"{text[end:]}'
        lines = range(line_of(text, tag.at), line_of(text, tag.end) + 1)
        return Mutation(f"{tag.name} with {one.name} twice", changed, frozenset(lines))

    def second_element(self, text, tags):
        unique = ("field", "diagnostic", "group", "file", "dimension", "member", "data-definition")
        tag = self._pick([one for one in tags if one.name in unique])
        if tag is None:
            return None
        end = tag.end if tag.close is None else text.index(">", tag.close) + 1
        changed = text[:end] + "\n" + text[tag.at : end] + text[end:]
        lines = frozenset([line_of(text, end) + 1])
        return Mutation(f"a second {tag.name}", changed, lines)

    def misplaced_element(self, text, tags):
        tag = self._pick([one for one in tags if one.close is not None])
        stray = self._pick(
            ["member", "file", "field", "diagnostic", "operator", "thread_pool", "data-writing"]
        )
        if stray in self.language.children.get(tag.name, []):
            return None
        changed = text[: tag.end] + f"\n<{stray}/>" + text[tag.end :]
        return Mutation(f"<{stray}> in <{tag.name}>", changed, frozenset([line_of(text, tag.end) + 1]))

    def stray_text(self, text, tags):
        tag = self._pick(tags[1:])
        changed = text[: tag.at] + "and " + text[tag.at :]
        return Mutation(f"text before <{tag.name}>", changed, frozenset([line_of(text, tag.at)]))

    def missing_end(self, text, tags):
        tag = self._pick([one for one in tags if one.close is not None])
        changed = text[: tag.close] + text[text.index(">", tag.close) + 1 :]
        return Mutation(f"<{tag.name}> without an end", changed, frozenset([line_of(text, tag.at)]))

    def missing_quote(self, text, tags):
        tag = self._pick([one for one in tags if one.attributes])
        one = self._pick(tag.attributes)
        at = one.value_at + len(one.value) if self.random.randrange(2) else one.value_at - 1
        what = f"{one.name}={'' if at < one.value_at else 'quote'}{one.value}"
        return Mutation(what, text[:at] + text[at + 1 :], frozenset([line_of(text, at)]))

    def stray_ampersand(self, text, tags):
        one = self._pick([one for tag in tags for one in tag.attributes])
        return self._replaced(f'{one.name}="{one.value} & "', text, one, one.value + " & ")

    def endless_comment(self, text, tags):
        tag = self._pick(tags[1:])
        if "<!--" in text[tag.at :]:
            return None
        changed = text[: tag.at] + "<!-- " + text[tag.at :]
        return Mutation(f"<!-- before <{tag.name}>", changed, frozenset([line_of(text, tag.at)]))


def line_of(text, at):
    return text.count("\n", 0, at) + 1

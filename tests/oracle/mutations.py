"""Good configurations with one mistake each, and where and how it has to be reported.

What is a mistake follows from the XML schema: a typing error in a text is none, in a word it is one. A name
is wrong where it is used, or, where it is defined, at the places that use it. An expression may stand in an
attribute or inside of its element, where it counts as an attribute without a name.
"""

import random
import re
import string
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape, unescape

from oracle.start_tags import column_of, line_of, tags_of

FUNCTIONS = "sum mean min max var std rms count any all cov sqrt exp log abs sin cos where".split()
WORDS_BETWEEN = "and or not lt le gt ge eq ne".split()
XS = "{http://www.w3.org/2001/XMLSchema}"
NUMBERS = {"positive", "count", "level", "bits", "number"}
QUANTITIES = {"duration", "duration_or_0", "wall_time", "bytes"}
LETTERS = string.ascii_lowercase + "_"


@dataclass(frozen=True)
class Mutation:
    """A configuration with a mistake that is reported in one of the lines, or by naming it in words; in the
    column if there is one, and with one of the suggestions, if there are any."""

    what: str
    text: str
    lines: frozenset
    suggestions: frozenset = frozenset()
    column: int | None = None
    of: object = None  # the configuration without it

    def __str__(self):
        return self.what


class Language:
    """The rules of the schema: which elements and attributes there are, and of what kind their values are."""

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
        if element.find(f"{XS}complexType[@mixed='true']") is not None:
            self.kinds[*place, ""] = "expression"
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

    def ways(self):
        """The ways of making a mistake; more frequent ones stand there more than once."""
        values = [self.word, self.number, self.quantity, self.reference, self.dimension]
        expressions = [self.equation, self.name_in_equation, self.function, self.dimension_in_expression]
        structure = [
            *(self.missing_attribute, self.second_attribute, self.second_element, self.misplaced_element),
            *(self.stray_text, self.missing_end, self.missing_quote, self.missing_bracket),
            *(self.missing_equals_sign, self.stray_ampersand, self.stray_bracket, self.endless_comment),
            *(self.dashes_in_comment, self.broken_comment, self.broken_text, self.expression_and_text),
        ]
        names = [self.element, self.attribute, self.definition, self.missing_definition]
        return [*names, *values, *expressions, *names, *structure, *values, *expressions, *names[:2]]

    def some(self, configurations, count):
        """``count`` mutations, all ways in turn."""
        made, seen = [], set()
        ways = self.ways()
        for turn in range(10 * count):
            way = ways[turn % len(ways)]
            for _ in range(10):  # few configurations have expressions
                configuration = self.random.choice(configurations)
                mutation = self.made_of(way, configuration)
                if mutation is not None and mutation.text not in seen:
                    seen.add(mutation.text)
                    what = f"{len(made):03} {mutation.what} in {configuration}"
                    made.append(replace(mutation, what=what, of=configuration))
                    break
            if len(made) == count:
                return made
        raise AssertionError(f"only {len(made)} mutations could be made")

    def made_of(self, way, configuration):
        """One mistake in a configuration, or nothing where there is no place for it."""
        return way(configuration.text, tags_of(configuration.text))

    # ---- Pieces ----

    def _are_plain(self, text):
        """Tell whether names are written as they are suggested."""
        return "namespace" not in text

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
        # A word of two letters would have nothing left to know it by.
        if not set(wrong) & set(word) or len(word) < 2:
            return wrong, frozenset()
        return wrong, frozenset(one for one in {*known, word} if edits(wrong, one) == 1)

    def _attributes(self, tags, wanted):
        """The names of the wanted kinds."""
        return [
            (tag, one)
            for tag in tags
            for one in tag.attributes
            if self.language.kinds.get((tag.name, tag.parent, one.name)) in wanted
        ]

    def _replaced(self, what, text, attribute, value, suggestions=frozenset(), column=None):
        end = attribute.value_at + len(attribute.value)
        first, last = line_of(text, attribute.value_at), line_of(text, end)
        changed = text[: attribute.value_at] + value + text[end:]
        return Mutation(what, changed, frozenset(range(first, last + 1)), suggestions, column)

    def _replaced_inside(self, text, attribute, match, wrong, suggestions):
        """A word of a value, which is reported where it stands."""
        value = attribute.value[: match.start()] + wrong + attribute.value[match.end() :]
        at = attribute.value_at + match.start()
        what = f'{attribute.name or "text"}="{unescape(value)}"'
        mutation = self._replaced(what, text, attribute, value, suggestions, column_of(text, at))
        return replace(mutation, lines=frozenset([line_of(text, at)]))

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
        lines = frozenset([line_of(text, tag.at)])
        return Mutation(f"<{wrong}>", changed, lines, suggestions, column_of(text, tag.at))

    def attribute(self, text, tags):
        tag = self._pick([one for one in tags if one.written])
        one = self._pick(tag.written)
        found = self._wrong(one.name, self.language.attributes[tag.name, tag.parent])
        if found is None:
            return None
        wrong, suggestions = found
        changed = text[: one.at] + wrong + text[one.at + len(one.name) :]
        lines = frozenset([line_of(text, one.at)])
        return Mutation(f"{wrong}=", changed, lines, suggestions, column_of(text, one.at))

    # ---- Values ----

    def word(self, text, tags):
        choice = self._pick(self._attributes(tags, {"word", "boolean", "calendar"}))
        if choice is None:
            return None
        tag, one = choice
        words = self.language.words[tag.name, tag.parent, one.name] or ["true", "false"]
        if one.value not in words:
            return None
        found = self._wrong(one.value, words)
        if found is None or self.language.kinds[tag.name, tag.parent, one.name] == "calendar":
            return None
        wrong, suggestions = found
        return self._replaced(
            f'{one.name}="{wrong}"', text, one, wrong, suggestions, column_of(text, one.value_at)
        )

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

    def _names(self, tags):
        """All names that are defined."""
        defining = {"field": "name", "diagnostic": "field", "group": "name", "operator": "result"}
        defining["communication"] = "result"
        return {one.value for tag in tags for one in tag.attributes if defining.get(tag.name) == one.name}

    def reference(self, text, tags):
        choice = self._pick(self._attributes(tags, {"reference"}))
        if choice is None:
            return None
        tag, one = choice
        found = self._wrong(one.value, self._names(tags))
        if found is None or not self._are_plain(text):
            return None
        wrong, suggestions = found
        # Only what may stand there is drawn.
        if tag.name == "include":
            groups = {two.value for other in tags if other.name == "group" for two in other.attributes[:1]}
            suggestions &= groups if one.name == "group" else self._names(tags) - groups
        # Several names may be one edit away: any of them will do.
        meant = suggestions if one.value in suggestions else frozenset()
        return self._replaced(f'{one.name}="{wrong}"', text, one, wrong, meant, column_of(text, one.value_at))

    def definition(self, text, tags):
        tag = self._pick([one for one in tags if one.name in ("field", "diagnostic", "group")])
        if tag is None or not self._are_plain(text) or "include file" in text:
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
        if tag is None or not self._are_plain(text) or sum(one.name == "field" for one in tags) < 2:
            return None
        name = next(one.value for one in tag.attributes if one.name == "name")
        changed = text[: tag.at] + text[tag.end :]
        uses = re.finditer(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", changed)
        lines = frozenset(line_of(changed, use.start()) for use in uses)
        return Mutation(f"no field {name}", changed, lines) if lines else None

    # ---- Expressions, in attributes and as text ----

    def equation(self, text, tags):
        choice = self._pick(self._attributes(tags, {"expression"}))
        if choice is None:
            return None
        one = choice[1]
        wrongs = [one.value + " +", "(" + one.value, one.value + ")", "$" + one.value, one.value + " 2 x"]
        wrong = self.random.choice(wrongs)
        return self._replaced(f'{one.name or "text"}="{wrong}"', text, one, wrong)

    def _in_expression(self, tags, pattern, known=None):
        """An expression, and a match in it, of a word among the known ones if there are any."""
        choices = [
            (one, match)
            for _, one in self._attributes(tags, {"expression"})
            for match in re.finditer(
                pattern, re.sub(r"\{.*?\}|&\w+;", lambda piece: " " * len(piece[0]), one.value)
            )
            if known is None or match[0] in known
        ]
        return self._pick(choices)

    def name_in_equation(self, text, tags):
        known = self._names(tags)
        choice = self._in_expression(tags, r"(?<!:)\b[A-Za-z_]\w*(?![\w:]*[\[(:])", known)
        if choice is None or not self._are_plain(text):
            return None
        one, name = choice
        found = self._wrong(name[0], known | {*WORDS_BETWEEN})
        if not found:
            return None
        return self._replaced_inside(text, one, name, found[0], self._if_meant(name[0], found[1] & known))

    def function(self, text, tags):
        choice = self._in_expression(tags, r"\b[a-z]\w*(?=[\[(])", {*FUNCTIONS})
        if choice is None:
            return None
        one, name = choice
        found = self._wrong(name[0], {*FUNCTIONS, *WORDS_BETWEEN, *self._names(tags)})
        if found is None:
            return None
        meant = self._if_meant(name[0], found[1] & {*FUNCTIONS})
        return self._replaced_inside(text, one, name, found[0], meant)

    @staticmethod
    def _if_meant(word, suggestions):
        """Any word that is just as near will do. Nothing has to be suggested where the word is not near."""
        return suggestions if word in suggestions else frozenset()

    def _dimensions(self, tags):
        """All names that fields use."""
        lists = (one.value for tag in tags for one in tag.written if one.name == "size")
        return {word.strip() for all in lists for word in all.split(",")}

    def dimension_in_expression(self, text, tags):
        known = self._dimensions(tags)
        choice = self._in_expression(tags, r"(?<=[\[,])\w+(?=[\],])", known)
        if choice is None:
            return None
        one, name = choice
        found = self._wrong(name[0], known)
        if found is None:
            return None
        return self._replaced_inside(text, one, name, found[0], self._if_meant(name[0], found[1]))

    def dimension(self, text, tags):
        """A mutation of a rule."""
        known = self._dimensions(tags)
        choices = [
            (one, match)
            for tag in tags
            for one in tag.written
            if tag.parent == "diagnostic" and one.name in ("dimension", "dimensions")
            for match in re.finditer(r"\w+", one.value)
        ]
        if not choices:
            return None
        one, name = self._pick(choices)
        found = self._wrong(name[0], known)
        if found is None:
            return None
        return self._replaced_inside(text, one, name, found[0], self._if_meant(name[0], found[1]))

    # ---- Structure ----

    def missing_attribute(self, text, tags):
        choices = [
            (tag, one)
            for tag in tags
            for one in tag.attributes
            if one.name in self.language.required[tag.name, tag.parent]
        ]
        tag, one = self._pick(choices)
        changed = text[: one.at] + text[one.end :]
        return Mutation(f"{tag.name} without {one.name}", changed, frozenset([line_of(text, tag.at)]))

    def second_attribute(self, text, tags):
        tag = self._pick([one for one in tags if one.written])
        one = self._pick(tag.written)
        changed = f'{text[: one.end]} {one.name}="{one.value}"{text[one.end :]}'
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
        tag = self._pick([one for one in tags if one.written])
        one = self._pick(tag.written)
        at = one.value_at + len(one.value) if self.random.randrange(2) else one.value_at - 1
        what = f"{one.name}={'' if at < one.value_at else 'quote'}{one.value}"
        return Mutation(what, text[:at] + text[at + 1 :], frozenset([line_of(text, at)]))

    def stray_ampersand(self, text, tags):
        one = self._pick([one for tag in tags for one in tag.attributes if one.is_markup])
        stray = self._pick([" & ", "&", "&lt", "&gl;"])
        return self._replaced(f'{one.name}="{one.value}{stray}"', text, one, one.value + stray)

    def endless_comment(self, text, tags):
        tag = self._pick(tags[1:])
        if "<!--" in text[tag.at :]:
            return None
        changed = text[: tag.at] + "<!-- " + text[tag.at :]
        return Mutation(f"<!-- before <{tag.name}>", changed, frozenset([line_of(text, tag.at)]))

    def missing_bracket(self, text, tags):
        """The end of a start tag is the end of its line; what follows makes it wrong."""
        tag = self._pick([one for one in tags if one.written])
        at = text.rindex("<", 0, tag.end) if tag.end == len(text) else tag.end
        behind = tag.written[-1].end
        changed = text[:behind] + text[at:]
        lines = range(line_of(text, tag.at), line_of(text, behind) + 1)
        return Mutation(f"<{tag.name}> without its >", changed, frozenset(lines))

    def missing_equals_sign(self, text, tags):
        tag = self._pick([one for one in tags if one.written])
        one = self._pick(tag.written)
        changed = text[: one.at + len(one.name)] + " " + text[one.value_at - one.is_quoted :]
        return Mutation(f"{one.name} without =", changed, frozenset([line_of(text, one.at)]))

    def stray_bracket(self, text, tags):
        tag = self._pick(tags[1:])
        changed = text[: tag.at] + "<" + text[tag.at :]
        return Mutation(f"<<{tag.name}>", changed, frozenset([line_of(text, tag.at)]))

    @staticmethod
    def _comments(text):
        return [match for match in re.finditer(r"<!--.*?-->", text, re.S) if len(match[0]) > 12]

    def dashes_in_comment(self, text, tags):
        comment = self._pick(self._comments(text))
        if comment is None:
            return None
        at = self.random.randrange(comment.start() + 5, comment.end() - 4)
        changed = text[:at] + "x--x" + text[at:]
        return Mutation("-- in a comment", changed, frozenset([line_of(text, at)]))

    def broken_comment(self, text, tags):
        comment = self._pick(self._comments(text))
        if comment is None:
            return None
        begin = self._pick(["<!-", "<--", "<!", "<! --"])
        changed = text[: comment.start()] + begin + text[comment.start() + 4 :]
        return Mutation(f"{begin} begins a comment", changed, frozenset([line_of(text, comment.start())]))

    def broken_text(self, text, tags):
        """A mutation of an expression in CDATA, or of one that should be."""
        choice = self._pick([one for tag in tags for one in tag.attributes if not one.name])
        if choice is None:
            return None
        before, value, behind = text[: choice.at], choice.value, text[choice.end :]
        lines = frozenset(range(line_of(text, choice.at), line_of(text, choice.end) + 1))
        if choice.is_markup:
            wrong = self._pick([f"{value} < 2", f"<!CDATA[{value}]]>", f"<[CDATA[{value}]]>", f"{value}]]>"])
        else:
            wrong = self._pick(
                [f"<![CDTA[{value}]]>", f"<![CDATA[{value}", f"<![CDATA[{value}]>", value + " <"]
            )
        return Mutation(f"text {wrong}", before + wrong + behind, lines)

    def expression_and_text(self, text, tags):
        """Which of them counts?"""
        choices = [(tag, one) for tag in tags for one in tag.attributes if not one.name]
        if not choices:
            return None
        tag, one = self._pick(choices)
        second = f' expression="{escape(one.value) if not one.is_markup else one.value}"'
        changed = text[: tag.end - 1] + second + text[tag.end - 1 :]
        lines = frozenset(range(line_of(text, tag.at), line_of(text, one.end) + 1))
        return Mutation(f"<{tag.name}> with two expressions", changed, lines)

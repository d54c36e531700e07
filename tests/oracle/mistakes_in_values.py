"""Mistakes in names of elements and attributes, in values, and in names that are used or defined."""

import re

from oracle.mistakes import Mistakes, Mutation, edits
from oracle.start_tags import column_of, line_of

NUMBERS = {"positive", "count", "level", "bits", "number"}
QUANTITIES = {"duration", "duration_or_0", "wall_time", "bytes"}


class MistakesInValues(Mistakes):
    """Each makes a mutation, or nothing where it finds no place for it."""

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

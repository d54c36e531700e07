"""What all mistakes in configurations are made with: typing errors, and places in the text."""

import random
import re
import string
from dataclasses import dataclass, replace
from xml.sax.saxutils import unescape

from oracle.start_tags import column_of, line_of

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


class Mistakes:
    """Makes mistakes at random; its heirs know where."""

    def __init__(self, language, seed):
        self.language = language
        self.random = random.Random(seed)

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

    def _names(self, tags):
        """All names that are defined."""
        defining = {"field": "name", "diagnostic": "field", "group": "name", "operator": "result"}
        defining["communication"] = "result"
        return {one.value for tag in tags for one in tag.attributes if defining.get(tag.name) == one.name}

    def _dimensions(self, tags):
        """All names that fields use."""
        lists = (one.value for tag in tags for one in tag.written if one.name == "size")
        return {word.strip() for all in lists for word in all.split(",")}

    @staticmethod
    def _if_meant(word, suggestions):
        """Any word that is just as near will do. Nothing has to be suggested where the word is not near."""
        return suggestions if word in suggestions else frozenset()

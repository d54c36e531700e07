"""Mistakes in expressions, which stand in attributes or as text."""

import re
from xml.sax.saxutils import escape

from oracle.mistakes import Mistakes, Mutation
from oracle.start_tags import line_of

FUNCTIONS = "sum mean min max var std rms count any all cov zonal histogram".split()
FUNCTIONS += "sqrt exp log abs sin cos where".split()
FUNCTIONS += "tan asin acos atan atan2 sinh cosh tanh log10 log2 floor ceil round sign mod hypot".split()
WORDS_BETWEEN = "and or not lt le gt ge eq ne".split()


class MistakesInExpressions(Mistakes):
    """Each makes a mutation, or nothing where it finds no place for it."""

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
        found = self._wrong(name[0], known | {*WORDS_BETWEEN} | self._dimensions(tags))
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

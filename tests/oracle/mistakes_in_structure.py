"""Mistakes in the structure of a configuration: elements, attributes, quotes, brackets and comments."""

import re

from oracle.mistakes import Mistakes, Mutation
from oracle.start_tags import line_of


class MistakesInStructure(Mistakes):
    """Each makes a mutation, or nothing where it finds no place for it."""

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

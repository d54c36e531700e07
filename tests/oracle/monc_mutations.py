"""Files in MONC's dialect with one mistake each: those of strict XML that are one there too, and its own."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from oracle.mistakes import Mutation
from oracle.mutations import Mutator
from oracle.start_tags import column_of, line_of, tags_of

FOLDER = Path(__file__).resolve().parents[1] / "monc"
ROOT = "io-configuration"
LEAVES = frozenset({"field", "member", "operator", "communication", "include", "thread_pool"})
OPTIONS = {
    **{"every": 5, "mm": 60, "write_every": 600, "x_size": 64, "y_size": 32, "offset": 0.5},
    "q_field_names": "vapour,rain_mass",
}


@dataclass(frozen=True)
class MoncFile:
    """One of the files that make a configuration, which begins with ``main``."""

    main: str
    path: str
    text: str
    others: tuple = ()  # texts of those that are read with it

    def __str__(self):
        return self.path


def own_files():
    """The documents of the tests."""
    texts = {str(path.relative_to(FOLDER)): path.read_text() for path in sorted(FOLDER.glob("*/*.xml"))}
    files = []
    for main, text in texts.items():
        if not main.startswith("case/"):
            continue
        parts = [main, *re.findall(r'^#include "(.*)"', text, re.M)]
        for path in parts:
            others = tuple(texts[other] for other in parts if other != path)
            files.append(MoncFile(main, path, texts[path], others))
    return files


class MoncMutator(Mutator):
    """Changes that do not matter to MONC are no mistakes: "&", a missing end of what holds nothing."""

    def __init__(self, language, seed):
        super().__init__(language, seed)
        self.others = []

    def ways(self):
        names = [self.element, self.attribute, self.reference, self.missing_definition]
        values = [self.word, self.number, self.quantity, self.dimension, self.equation, self.name_in_equation]
        structure = [
            *(self.missing_attribute, self.second_attribute, self.second_element, self.misplaced_element),
            *(
                self.stray_text,
                self.missing_end,
                self.missing_quote,
                self.missing_bracket,
                self.stray_bracket,
            ),
            *(self.missing_equals_sign, self.include, self.path_of_include, self.comment_line),
        ]
        return [*names, *values, *names, *structure, *values]

    def made_of(self, way, configuration):
        self.others = [tag for text in configuration.others for tag in tags_of(text, LEAVES)]
        # No file needs a root; what stands beside it would stand in it.
        tags = [
            one if one.parent or one.name == ROOT else replace(one, parent=ROOT)
            for one in tags_of(configuration.text, LEAVES)
        ]
        return way(configuration.text, tags)

    def _names(self, tags):
        return super()._names([*tags, *self.others])

    def _dimensions(self, tags):
        return super()._dimensions([*tags, *self.others])

    def _are_plain(self, text):
        return True  # a name has one namespace at most here, and is suggested with it or without

    def second_element(self, text, tags):
        """Something in it may be what is said to be there twice."""
        made = super().second_element(text, tags)
        if made is None:
            return None
        first = min(made.lines)
        added = made.text.count("\n") - text.count("\n")
        return replace(made, lines=frozenset(range(first, first + added)))

    def missing_end(self, text, tags):
        return super().missing_end(text, [one for one in tags if self.language.children.get(one.name)])

    def missing_quote(self, text, tags):
        kept = [
            replace(tag, attributes=tuple(one for one in tag.attributes if one.is_quoted)) for tag in tags
        ]
        return super().missing_quote(text, kept)

    def include(self, text, tags):
        match = self._pick(list(re.finditer(r"^#include", text, re.M)))
        if match is None:
            return None
        wrong = "#" + self._typo("include")
        if "#include" in wrong:
            return None
        changed = text[: match.start()] + wrong + text[match.end() :]
        return Mutation(wrong, changed, frozenset([line_of(text, match.start())]), frozenset(["#include"]))

    def path_of_include(self, text, tags):
        match = self._pick(list(re.finditer(r'^#include "(.*)"', text, re.M)))
        if match is None:
            return None
        wrong = self._typo(match[1])
        changed = text[: match.start(1)] + wrong + text[match.end(1) :]
        lines = frozenset([line_of(text, match.start())])
        if wrong == match[1]:
            return None
        return Mutation(f"#include {wrong}", changed, lines, column=column_of(text, match.start(1)))

    def comment_line(self, text, tags):
        """The element without what makes it one."""
        match = self._pick(list(re.finditer(r"^(!|//) (?=[a-z])", text, re.M)))
        if match is None:
            return None
        changed = text[: match.start()] + text[match.end() :]
        return Mutation("no comment", changed, frozenset([line_of(text, match.start())]))

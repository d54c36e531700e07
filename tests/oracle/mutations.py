"""Good configurations with one mistake each, and where and how it has to be reported.

What is a mistake follows from the XML schema: a typing error in a text is none, in a word it is one. A name
is wrong where it is used, or, where it is defined, at the places that use it. An expression may stand in an
attribute or inside of its element, where it counts as an attribute without a name.
"""

from dataclasses import replace

from oracle.mistakes_in_expressions import MistakesInExpressions
from oracle.mistakes_in_structure import MistakesInStructure
from oracle.mistakes_in_values import MistakesInValues
from oracle.start_tags import tags_of


class Mutator(MistakesInValues, MistakesInExpressions, MistakesInStructure):
    """Makes mutations of one configuration after the other."""

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

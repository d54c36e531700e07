"""Diagnostics made by rules, drawn at random, each with what NumPy and fractions make of it."""

from fractions import Fraction
from xml.sax.saxutils import quoteattr

import numpy as np

from oracle import named
from oracle.named import Named
from oracle.random_expressions import REDUCTIONS, Drawn, Draws, Exact, dimensions_of


def operator(name, result, **attributes):
    said = " ".join(f"{key}={quoteattr(str(value))}" for key, value in attributes.items())
    return f'<operator name="{name}" {said} result="{result}"/>'


def communication(name, how, field, result):
    return f'<communication name="{name}" operator="{how}" field="{field}" result="{result}"/>'


class Rules:
    """Draws of the fields of one grid."""

    def __init__(self, random, grid, names):
        self.random, self.draws = random, Draws(random, grid, names)

    def diagnostic(self, name):
        """Its element, and its value."""
        draw = self.random.choice(
            [self.reduction, self.deviation, self.filtered, self.slice, self.departure, self.coarse]
        )
        elements, value = draw(name)
        return f'<diagnostic field="{name}">{"".join(elements)}</diagnostic>', value

    def reduction(self, name):
        value = self.draws.volume()
        over = self.random.sample(sorted(value.dimensions), self.random.randint(1, 3))
        reduction = self.random.choice(REDUCTIONS)
        how = reduction.rule_word
        local = {"operator": how, "dimensions": ",".join(over), "field": value.text}
        elements = [
            operator("localreduce", f"{name}_here", **local),
            communication("reduction", how, f"{name}_here", f"{name}_all"),
            operator("arithmetic", name, equation=f"{name}_all*3/7"),
        ]
        accuracy = "bits" if reduction.kind == "sum" else "close"
        left = value.dimensions - set(over)
        return elements, Drawn(
            "", lambda of: three_sevenths(reduction.of(value.of(of), over)), left, accuracy, reduction.kind
        )

    def deviation(self, name):
        value = self.draws.volume()
        level = [d for d in dimensions_of(value.text) if d[0] != "z"]
        local = {"operator": "mean", "dimensions": ",".join(level), "field": value.text}
        elements = [
            operator("localreduce", f"{name}_here", **local),
            communication("allreduction", "mean", f"{name}_here", f"{name}_mean"),
            operator("arithmetic", name, equation=f"{value.text} - {name}_mean"),
        ]

        def deviations(of):
            return value.of(of) - named.mean(value.of(of), level)

        return elements, Drawn("", deviations, value.dimensions, "bits", "spread")

    def filtered(self, name):
        value, condition = self.draws.volume(), self.draws.condition(1)
        elements = [
            operator("filter", f"{name}_kept", field=value.text, condition=condition.text),
            operator("localreduce", f"{name}_here", operator="sum", field=f"{name}_kept"),
            communication("reduction", "sum", f"{name}_here", name),
        ]
        accuracy = "bits" if condition.accuracy == "bits" and condition.is_spread else None

        def sums(of):
            return named.total(value.of(of), None, condition.of(of))

        return elements, Drawn("", sums, frozenset(), accuracy, "moment")

    def slice(self, name):
        value = self.draws.volume()
        names = dimensions_of(value.text)
        dimension, index = self.random.choice(names), self.random.randint(0, 4)
        left = [d for d in names if d != dimension]

        def taken(of):
            return Named(np.take(value.of(of).values, index, names.index(dimension)), left)

        element = operator("field_slicer", name, field=value.text, dimension=dimension, index=index)
        return [element], Drawn("", taken, frozenset(left), "bits", "spread")

    def departure(self, name):
        """The departure of a field from a slice, which few ranks have."""
        elements, taken = self.slice(f"{name}_at")
        value = self.draws.volume()
        elements.append(operator("arithmetic", name, equation=f"{value.text} - {name}_at"))
        return elements, Drawn("", lambda of: value.of(of) - taken.of(of), value.dimensions, "bits", "spread")

    def coarse(self, name):
        value = self.draws.volume()
        names = dimensions_of(value.text)
        dimension, period = self.random.choice(names), self.random.choice([2, 3])
        index = tuple(slice(None, None, period if d == dimension else 1) for d in names)
        left = [f"{d}_every_{period}" if d == dimension else d for d in names]

        def taken(of):
            return Named(value.of(of).values[index], left)

        element = operator("field_coarsener", name, field=value.text, dimension=dimension, period=period)
        return [element], Drawn("", taken, frozenset(left), "bits", "spread")


def three_sevenths(value):
    if isinstance(value, Exact):
        return value.times(Fraction(3, 7))
    return value * 3.0 / 7.0

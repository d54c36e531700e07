"""Expressions drawn at random, each with what NumPy and fractions make of it.

A drawn value has its text and a function of the fields of one step. Sums, means and second moments stay
fractions when they are multiplied or divided by constants, as in Pileus, and are rounded when anything
else is done with them. What a condition may leave empty is always the outermost operation, so that all values
inside are there.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from oracle import named
from oracle.named import Named

GRIDS = {
    "centre": ("x", "y", "z"),
    "x_face": ("x_face", "y", "z"),
    "y_face": ("x", "y_face", "z"),
    "z_face": ("x", "y", "z_face"),
}
VOLUMES = {name: "centre" for name in ("u_centre", "v_centre", "w_centre", "theta", "qv", "ql", "p")}
VOLUMES |= {"u": "x_face", "v": "y_face", "w": "z_face"}
PLANES = ("vwp", "lwp")
SCALARS = ("dt", "cfl")
CLOCK = ("model_time", "step_length")
NUMBERS = ("2", "0.5", "3", "7", "1e-3", "300", "0.1")


def dimensions_of(name):
    """The dimensions of a field, fastest first as NumPy reads it from a file without order=."""
    if name in SCALARS or name in CLOCK:
        return ()
    if name not in VOLUMES and name not in PLANES:
        return (name,)  # coordinates
    return ("x", "y") if name in PLANES else GRIDS[VOLUMES[name]]


class NothingBefore(Exception):
    """A lag goes back beyond the first sample."""


class Exact:
    """Fractions with named dimensions: what a reduction is before it is rounded. NaN stands for no value."""

    def __init__(self, values, dimensions):
        self.values, self.dimensions = np.asarray(values, dtype=object), tuple(dimensions)

    def times(self, factor):
        scaled = [one if one != one else one * factor for one in self.values.ravel()]
        values = np.empty(self.values.shape, dtype=object)
        values.ravel()[...] = scaled if scaled else 0
        return Exact(values, self.dimensions)

    def rounded(self):
        values = np.array([float(one) for one in self.values.ravel()])
        return Named(values.reshape(self.values.shape), self.dimensions)


def rounded(value):
    return value.rounded() if isinstance(value, Exact) else value


@dataclass(frozen=True)
class Drawn:
    """`accuracy`: "bits" if the doubles are known to the bit, "close" if only nearly, None if not at all."""

    text: str
    of: object  # of a function from names to Named
    dimensions: frozenset
    accuracy: str = "bits"
    # spread (lies on the model ranks), sum (exact until it is rounded), moment, extreme or computed.
    kind: str = "computed"
    binds: int = 9  # as an operand: 9 never needs parentheses

    @property
    def is_spread(self):
        return self.kind == "spread"


def worst(*accuracies):
    return next((one for one in (None, "close") if one in accuracies), "bits")


def fits(name, grid):
    """Tell whether the field meets none of another grid in the same direction."""
    return VOLUMES.get(name) == grid or (name in PLANES and grid in ("centre", "z_face"))


class Draws:
    """Draws values of the fields of one grid, with one random sequence."""

    def __init__(self, random, grid, names, changing=()):
        """`changing`: those that come in each sample, and have been others before."""
        self.random, self.grid, self.changing = random, grid, set(changing)
        self.names = [name for name in names if dimensions_of(name) and fits(name, grid)]
        self.names += [name for name in names if name in SCALARS]

    def one_of(self, *choices):
        return self.random.choice(choices)

    def field(self):
        name = self.random.choice(self.names)
        dimensions = frozenset(dimensions_of(name))
        return Drawn(name, lambda of: of(name), dimensions, kind="spread" if dimensions else "computed")

    def volume(self):
        name = self.random.choice([one for one in self.names if one in VOLUMES])
        return Drawn(name, lambda of: of(name), frozenset(dimensions_of(name)), kind="spread")

    def value(self, depth):
        """Any value: a field, an operation, a reduction."""
        if depth <= 0:
            return self.field()
        draw = self.one_of(
            *(self.field, self.binary, self.binary, self.scaled, self.function, self.selection, self.reduced),
            *(self.placed, self.timed, self.lagged),
        )
        return draw() if draw == self.field else draw(depth)

    def spread(self, depth):
        """A value that lies on the model ranks: reductions take it."""
        for _ in range(20):
            value = self.value(depth)
            if value.is_spread:
                return value
        return self.volume()

    def joined(self, left, right, function, text, binds):
        return Drawn(
            text,
            lambda of: function(rounded(left.of(of)), rounded(right.of(of))),
            left.dimensions | right.dimensions,
            worst(left.accuracy, right.accuracy),
            "spread" if left.is_spread or right.is_spread else "computed",
            binds,
        )

    def binary(self, depth):
        left, right = self.value(depth - 1), self.value(depth - 1)
        sign = self.one_of("+", "-", "*")
        function = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}[sign]
        binds = 2 if sign == "*" else 1
        text = f"{within(left, binds)} {sign} {within(right, binds + 1)}"
        return self.joined(left, right, function, text, binds)

    def placed(self, depth):
        """A value with the coordinates of one of its dimensions, and of nothing that it lacks."""
        value = self.spread(depth - 1)
        if not value.dimensions:
            return value
        name = self.random.choice(sorted(value.dimensions))
        coordinates = Drawn(name, lambda of: of(name), frozenset({name}))
        condition = f"where({name} > 500, {value.text}, {name})"
        chosen = self.joined(value, coordinates, lambda a, b: named.where(b > 500, a, b), condition, 9)
        product = self.joined(value, coordinates, lambda a, b: a * b, f"{within(value, 2)} * {name}", 2)
        return self.one_of(chosen, product)

    def timed(self, depth):
        """A value with what the clock says."""
        value, name = self.spread(depth - 1), self.random.choice(CLOCK)
        text = f"{within(value, 2)} * {name}"
        return self.joined(value, Drawn(name, lambda of: of(name), frozenset()), lambda a, b: a * b, text, 2)

    def lagged(self, depth):
        """What a value was some samples before, or how fast it has changed since."""
        value, back = self.value(depth - 1), self.random.choice((1, 1, 2, 3))
        if self.changing.isdisjoint(re.findall(r"\w+", value.text)):
            return value
        if self.one_of(True, False):
            text = f"lag({value.text}, {back} step{'s' if back > 1 else ''})"
            dimensions, accuracy = value.dimensions, value.accuracy
            return Drawn(text, lambda of: value.of(of.before(back)), dimensions, accuracy, value.kind)

        def rate(of):
            then = of.before(1)
            passed = of("model_time") - then("model_time")
            return (rounded(value.of(of)) - rounded(value.of(then))) / passed

        kind = "spread" if value.is_spread else "computed"
        return Drawn(f"ddt({value.text})", rate, value.dimensions, value.accuracy, kind)

    def scaled(self, depth):
        """A value times a constant, which leaves sums exact."""
        value, number = self.value(depth - 1), self.random.choice(NUMBERS)
        factor = Fraction(float(number))
        text, factor, function = self.one_of(
            (f"{within(value, 2)} * {number}", factor, lambda a: a * float(number)),
            (f"{number} * {within(value, 3)}", factor, lambda a: float(number) * a),
            (f"{within(value, 2)} / {number}", 1 / factor, lambda a: a / float(number)),
            (f"-{within(value, 3)}", Fraction(-1), lambda a: -a),
        )

        def of(fields):
            inner = value.of(fields)
            return inner.times(factor) if isinstance(inner, Exact) else function(inner)

        # Several factors of an extreme may be rounded together.
        accuracy = worst(value.accuracy, "close" if value.kind in ("extreme", "moment") else "bits")
        binds = 0 if text.startswith("-") else 2
        return Drawn(text, of, value.dimensions, accuracy, value.kind, binds)

    def function(self, depth):
        value = self.value(depth - 1)
        text, function, accuracy = self.one_of(
            ("abs({})", named.absolute, "bits"),
            ("sqrt(abs({}))", lambda a: named.sqrt(named.absolute(a)), "bits"),
            ("sin({})", named.sin, "close"),
            ("atan2({0}, abs({0}) + 2)", lambda a: named.arctan2(a, named.absolute(a) + 2), "close"),
            ("tanh({})", named.tanh, "close"),
            ("asin(({0}) / (abs({0}) + 1))", lambda a: named.arcsin(a / (named.absolute(a) + 1)), "close"),
            ("log10(abs({}) + 1)", lambda a: named.log10(named.absolute(a) + 1), "close"),
            ("hypot({}, 3)", lambda a: named.hypot(a, 3), "close"),
            ("floor(({}) * 8)", lambda a: named.floor(a * 8), "bits"),
            ("round(({}) / 0.25)", lambda a: named.nearest(a / 0.25), "bits"),
            ("sign({})", named.sign, "bits"),
            ("mod({}, 0.7)", lambda a: a % 0.7, "bits"),
            ("log(abs({}) + 1)", lambda a: named.log(named.absolute(a) + 1), "close"),
            ("({})^2", lambda a: named.power(a, 2), "close"),
            ("({}) % 0.7", lambda a: a % 0.7, "bits"),
            ("1 / (abs({}) + 0.5)", lambda a: 1 / (named.absolute(a) + 0.5), "bits"),
        )
        return Drawn(
            text.format(value.text),
            lambda of: function(rounded(value.of(of))),
            value.dimensions,
            worst(value.accuracy, accuracy),
            value.kind if value.is_spread else "computed",
            0 if text.startswith(("-", "1", "(")) else 9,
        )

    def condition(self, depth):
        left, right = self.value(depth - 1), self.value(depth - 1)
        sign, function = self.one_of((">", lambda a, b: a > b), ("<=", lambda a, b: a <= b))
        return self.joined(left, right, function, f"{within(left, 1)} {sign} {within(right, 1)}", 0)

    def selection(self, depth):
        if self.one_of(True, False):
            left, right = self.value(depth - 1), self.value(depth - 1)
            name = self.one_of("min", "max")
            function = named.minimum if name == "min" else named.maximum
            return self.joined(left, right, function, f"{name}({left.text}, {right.text})", 9)
        condition, left, right = self.condition(depth), self.value(depth - 1), self.value(depth - 1)
        chosen = self.joined(left, right, lambda a, b: (a, b), "", 9)
        return Drawn(
            f"where({condition.text}, {left.text}, {right.text})",
            lambda of: named.where(condition.of(of), rounded(left.of(of)), rounded(right.of(of))),
            condition.dimensions | chosen.dimensions,
            None if condition.accuracy != "bits" else chosen.accuracy,
            "spread" if condition.is_spread or chosen.is_spread else "computed",
        )

    def over(self, dimensions):
        """Some of the dimensions, and how they are written in brackets."""
        if self.random.random() < 0.25:
            return sorted(dimensions), ""
        some = self.random.sample(sorted(dimensions), self.random.randint(1, len(dimensions)))
        return some, f"[{','.join(some)}]"

    def reduced(self, depth):
        """A reduction of a value that is spread, without a condition."""
        value = self.spread(depth - 1)
        over, brackets = self.over(value.dimensions)
        reduction = self.one_of(*(one for one in REDUCTIONS for _ in range(one.how_often)))
        return Drawn(
            f"{reduction.word}{brackets}({value.text})",
            lambda of: reduction.of(rounded(value.of(of)), over),
            value.dimensions - set(over),
            value.accuracy,
            reduction.kind,
        )

    def truth(self, depth):
        """A reduction that tells whether a condition holds anywhere or everywhere, or how often."""
        condition = self.condition(depth)
        if not condition.is_spread or condition.accuracy != "bits":
            return self.reduced(depth)
        over, brackets = self.over(condition.dimensions)
        name, function = self.one_of(("any", named.some), ("all", named.every), ("count", named.count))
        return Drawn(
            f"{name}{brackets}({condition.text})",
            lambda of: function(condition.of(of), over),
            condition.dimensions - set(over),
            "bits",
            "extreme",
        )

    def covariance(self, depth):
        one, other = self.spread(depth - 1), self.spread(depth - 1)
        dimensions = one.dimensions | other.dimensions
        over, brackets = self.over(dimensions)
        return Drawn(
            f"cov{brackets}({one.text}, {other.text})",
            lambda of: named.covariance(rounded(one.of(of)), rounded(other.of(of)), over),
            dimensions - set(over),
            worst(one.accuracy, other.accuracy),
            "moment",
        )

    def weighted(self, depth):
        """A reduction with weights, which have no dimension that the value lacks."""
        value, weight = self.spread(depth - 1), self.spread(depth - 1)
        if not weight.dimensions <= value.dimensions:
            value, weight = weight, value
        if not weight.dimensions <= value.dimensions:
            weight = value
        over, brackets = self.over(value.dimensions)
        kind = self.one_of("sum", "mean", "mean", "var")
        return Drawn(
            f"{kind}{brackets}({value.text}, weight={weight.text})",
            lambda of: named.weighted(kind, rounded(value.of(of)), rounded(weight.of(of)), over),
            value.dimensions - set(over),
            worst(value.accuracy, weight.accuracy),
            "moment",
        )

    def restricted(self, depth):
        """A reduction behind a condition. Where that holds nowhere there may be no value."""
        value, condition = self.spread(depth - 1), self.condition(depth - 1)
        over, brackets = self.over(value.dimensions)
        name, function = self.one_of(
            ("sum", named.total), ("mean", named.mean), ("max", named.largest), ("var", named.variance)
        )
        accuracy = worst(value.accuracy, "bits" if condition.accuracy == "bits" else None)
        if not condition.dimensions <= value.dimensions and not brackets:
            accuracy = None
        return Drawn(
            f"{name}{brackets}({value.text} | {condition.text})",
            lambda of: function(rounded(value.of(of)), over, condition.of(of)),
            (value.dimensions | condition.dimensions) - set(over),
            accuracy,
            "moment",
        )

    def diagnostic(self, depth):
        """A value that is written: anything but a field alone."""
        draw = self.one_of(
            self.binary,
            self.function,
            self.scaled,
            self.reduced,
            self.reduced,
            self.placed,
            self.timed,
            self.lagged,
            self.covariance,
            self.weighted,
            self.restricted,
            self.truth,
        )
        return draw(depth)


def within(value, binds):
    return value.text if value.binds > binds or value.binds == 9 else f"({value.text})"


def exact(of_column):
    """A reduction that gives fractions."""

    def reduce(one, over):
        over = tuple(over)
        axes = [one.dimensions.index(d) for d in over]
        values = np.moveaxis(one.values, axes, range(len(over)))
        shape = values.shape[len(over) :]
        values = values.reshape(-1, *shape)
        result = np.empty(shape, dtype=object)
        for place in np.ndindex(*shape):
            result[place] = Fraction(of_column(values[(slice(None), *place)]))
        return Exact(result, [d for d in one.dimensions if d not in over])

    return reduce


@dataclass(frozen=True)
class Reduction:
    """What a reduction of numbers makes of them, given the dimensions."""

    word: str  # in expressions
    rule_word: str
    of: object
    kind: str  # as of Drawn
    how_often: int = 1  # it is drawn


# All but any and all, which take conditions, and cov, which takes pairs.
REDUCTIONS = (
    Reduction("sum", "sum", exact(named.exact_total), "sum"),
    Reduction("mean", "mean", exact(named.exact_mean), "sum", 2),
    Reduction("min", "min", named.smallest, "extreme"),
    Reduction("max", "max", named.largest, "extreme"),
    Reduction("var", "variance", exact(named.exact_variance), "moment"),
    Reduction("std", "standard_deviation", named.deviation, "moment"),
    Reduction("rms", "root_mean_square", named.root_mean_square, "moment"),
    Reduction("count", "count", exact(len), "sum"),
)

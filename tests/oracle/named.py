"""Arrays with named dimensions, exactly reduced: what expressions mean, by NumPy and fractions."""

from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np

from oracle.exact import SMALLEST, whole

# The order of the dimensions in files without order=.
ORDER = ("bin", "x", "x_face", "y", "y_face", "z", "z_face")


class Named:
    """A double-precision array whose dimensions match others' by name."""

    def __init__(self, values, dimensions):
        self.values, self.dimensions = (
            np.asarray(values, dtype=float),
            tuple(dimensions),
        )
        assert self.values.ndim == len(self.dimensions)

    def spread(self, dimensions):
        """The array with all of `dimensions`, of size 1 where it lacks one."""
        shape = [
            self.values.shape[self.dimensions.index(d)] if d in self.dimensions else 1 for d in dimensions
        ]
        return self.values.reshape(shape)


def aligned(function, *operands):
    """The function of NumPy, element by element."""
    operands = [one if isinstance(one, Named) else Named(one, ()) for one in operands]
    dimensions = [d for d in ORDER if any(d in one.dimensions for one in operands)]
    with np.errstate(all="ignore"):
        return Named(function(*(one.spread(dimensions) for one in operands)), dimensions)


def _operator(function):
    return lambda left, right: aligned(function, left, right)


def _reflected(function):
    return lambda right, left: aligned(function, left, right)


for _name, _function in {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "mod": np.mod,
}.items():
    setattr(Named, f"__{_name}__", _operator(_function))
    setattr(Named, f"__r{_name}__", _reflected(_function))
for _name, _function in {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "and": lambda a, b: (a != 0) & (b != 0),
    "or": lambda a, b: (a != 0) | (b != 0),
}.items():
    setattr(Named, f"__{_name}__", _operator(_function))
Named.__neg__ = lambda one: aligned(np.negative, one)
Named.__invert__ = lambda one: aligned(lambda a: a == 0, one)


def equal(left, right):
    return aligned(np.equal, left, right)


def precisely(function):
    """A function of NumPy in extended precision, rounded once more: mostly the nearest double."""
    return lambda *operands: aligned(
        lambda *arrays: function(*(a.astype(np.longdouble) for a in arrays)).astype(float),
        *operands,
    )


sqrt, absolute = (lambda one: aligned(np.sqrt, one)), (lambda one: aligned(np.abs, one))
exp, log, sin, cos, power = map(precisely, (np.exp, np.log, np.sin, np.cos, np.power))
tan, arcsin, arccos, arctan = map(precisely, (np.tan, np.arcsin, np.arccos, np.arctan))
sinh, cosh, tanh, log10, log2 = map(precisely, (np.sinh, np.cosh, np.tanh, np.log10, np.log2))
arctan2, hypot = map(precisely, (np.arctan2, np.hypot))


def floor(one):
    return aligned(np.floor, one)


def ceil(one):
    return aligned(np.ceil, one)


def nearest(one):
    return aligned(np.round, one)


def sign(one):
    return aligned(np.sign, one)


def where(condition, one, other):
    return aligned(lambda c, a, b: np.where(c != 0, a, b), condition, one, other)


def minimum(one, other):
    return aligned(np.minimum, one, other)


def maximum(one, other):
    return aligned(np.maximum, one, other)


def _reduced(function, of_nothing=np.nan):
    """A reduction of the values that a condition leaves; NaN stands for no value."""

    def reduce(one, over=None, where=None):
        over = one.dimensions if over is None else tuple(over)
        if where is not None:
            # An array that lacks a dimension is the same along it.
            kept = aligned(lambda a, b: (b != 0) + 0 * a, one, where)
            one = aligned(lambda a, b: a + 0 * b, one, kept)
            counts = kept.values
        else:
            counts = np.ones_like(one.values)
        axes = [one.dimensions.index(d) for d in over]
        left = [d for d in one.dimensions if d not in over]
        last = len(over)
        values = np.moveaxis(one.values, axes, range(last))
        counts = np.moveaxis(counts, axes, range(last))
        shape = values.shape[last:]
        values, counts = values.reshape(-1, *shape), counts.reshape(-1, *shape)
        result = np.empty(shape)
        for place in np.ndindex(*shape):
            column = values[(slice(None), *place)][counts[(slice(None), *place)] != 0]
            result[place] = function(column) if len(column) else of_nothing
        return Named(result, left)

    return reduce


def exact_total(column):
    return Fraction(sum(whole(value) for value in column), SMALLEST)


def exact_mean(column):
    return exact_total(column) / len(column)


def exact_variance(column):
    n = len(column)
    squares = sum(Fraction(float(value)) ** 2 for value in column)
    return (n * squares - exact_total(column) ** 2) / n**2


def exact_mean_square(column):
    return sum(Fraction(float(value)) ** 2 for value in column) / Fraction(len(column))


total = _reduced(lambda column: float(exact_total(column)), of_nothing=0)
mean = _reduced(lambda column: float(exact_mean(column)))
smallest, largest = _reduced(np.min), _reduced(np.max)
some = _reduced(lambda column: float(np.any(column != 0)))
every = _reduced(lambda column: float(np.all(column != 0)))
count = _reduced(lambda column: float(np.count_nonzero(column)), of_nothing=0)
variance = _reduced(lambda column: float(exact_variance(column)))
root_mean_square = _reduced(lambda column: nearest_root(exact_mean_square(column)))
deviation = _reduced(lambda column: nearest_root(exact_variance(column)))


def nearest_root(square):
    """The square root of a fraction, rounded once."""
    if square == 0:
        return 0.0
    getcontext().prec = 60
    return float((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())


def covariance(one, other, over, where=None):
    """The exact covariance of pairs; an array that lacks a dimension counts again along it."""
    one, other = (
        aligned(lambda a, b: a + 0 * b, one, other),
        aligned(lambda a, b: 0 * a + b, one, other),
    )
    pairs = Named(np.empty(one.values.shape), one.dimensions)
    index = np.arange(one.values.size, dtype=float).reshape(one.values.shape)
    pairs.values = index

    def of_places(column):
        places = column.astype(int)
        x, y = one.values.flat[places], other.values.flat[places]
        n = len(places)
        products = sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(x, y, strict=True))
        return float((n * products - exact_total(x) * exact_total(y)) / n**2)

    return _reduced(of_places)(pairs, over, where)


def weighted(kind, one, weight, over, where=None, other=None):
    """An exact "sum", "mean", "var", "std", "rms" or "cov" with weights; those that are zero do not count."""
    arrays = [one, one if other is None else other, weight]
    dimensions = one.dimensions
    x, y, w = (aligned(lambda a, b: 0 * b + a, array, one).values.ravel() for array in arrays)
    places = Named(np.arange(one.values.size, dtype=float).reshape(one.values.shape), dimensions)

    def of_places(column):
        triples = [
            [Fraction(float(values[i])) for values in (x, y, w)]
            for i in column.astype(int)
            if w[i] != 0
        ]
        total = sum(c for _, _, c in triples)
        products = sum(c * a for a, _, c in triples)
        if kind == "sum":
            return float(products)
        if total == 0:
            return np.nan
        if kind == "mean":
            return float(products / total)
        squares = sum(c * a * b for a, b, c in triples) / total
        if kind == "rms":
            return nearest_root(squares)
        moment = squares - products * sum(c * b for _, b, c in triples) / total**2
        return nearest_root(moment) if kind == "std" else float(moment)

    return _reduced(of_places, 0.0 if kind == "sum" else np.nan)(places, over, where)


def mean_times(one, over, factor):
    """A mean that is multiplied by a constant is rounded once, behind it."""
    axes = [one.dimensions.index(d) for d in over]
    values = np.moveaxis(one.values, axes, range(len(over)))
    values = values.reshape(-1, *values.shape[len(over) :])
    result = np.empty(values.shape[1:])
    for place in np.ndindex(*result.shape):
        column = values[(slice(None), *place)]
        result[place] = float(exact_total(column) / len(column) * Fraction(factor))
    return Named(result, [d for d in one.dimensions if d not in over])

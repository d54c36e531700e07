"""Exact sums of doubles, as fractions."""

from fractions import Fraction

import numpy as np

SMALLEST = 1 << 1074  # every double is a whole multiple of 1 / SMALLEST


def whole(value):
    """The double in units of 1 / SMALLEST."""
    numerator, denominator = float(value).as_integer_ratio()
    return numerator * (SMALLEST // denominator)


def exact_sum(values):
    """The sum of an array, without rounding."""
    return Fraction(sum(whole(value) for value in np.ravel(values)), SMALLEST)


def along(axis, values, function):
    """The function of each stretch of the array that remains when only `axis` is left, as an object array."""
    rows = np.moveaxis(values, axis, 0).reshape(values.shape[axis], -1)
    return np.array([function(row) for row in rows], dtype=object)


def rounded(fractions):
    """The nearest doubles, ties to even."""
    return np.vectorize(float, otypes=[float])(fractions)


def weighted_mean(values, weights):
    """round(Σ w·x / Σ w) for each element of the arrays (or fractions), with one rounding to double."""
    total = sum(Fraction(weight) for weight in weights)
    weights = [Fraction(weight) for weight in weights]
    exact = np.array([np.asarray(value).tolist() for value in values], dtype=object)  # Python's own numbers

    def mean(samples):
        parts = zip(weights, samples, strict=True)
        return float(sum(weight * Fraction(sample) for weight, sample in parts) / total)

    columns = exact.reshape(len(weights), -1).T
    return np.array([mean(column) for column in columns]).reshape(exact.shape[1:])

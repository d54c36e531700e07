"""What time manipulations make of samples, by NumPy and fractions: a line for each."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from oracle.named import nearest_root

SMALLEST = 5e-324


@dataclass
class Counted:
    """The samples that count in a record, as doubles and as fractions.

    Each has its weight and the time when what it stands for in the period ends, in s. `before` is the sample
    that ended the period before, or else the first of this one.
    """

    doubles: list
    exact: list
    weights: list
    ends: list
    before: np.ndarray

    def power(self, n, about=0):
        """The weighted mean of the n-th powers of the deviations from a value."""
        powers = (w * (x - about) ** n for w, x in zip(self.weights, self.exact, strict=True))
        return sum(powers) / sum(self.weights)

    def moment(self, n):
        return self.power(n, about=self.power(1))

    def change(self):
        return self.exact[-1] - self.before


def each(function, type=float):
    """The function, element by element."""
    return np.vectorize(function, otypes=[type])


rounded, roots = each(float), each(nearest_root)


@each
def skewness(second, third):
    size = nearest_root(third**2 / second**3) if second else np.nan
    return -size if third < 0 else size


@each
def kurtosis(second, fourth):
    return float(fourth / second**2) if second else np.nan


def longest_run(of):
    run = longest = each(lambda _: Fraction(0), object)(of.doubles[0])
    for weight, value in zip(of.weights, of.doubles, strict=True):
        run = np.where(value != 0, run + weight, Fraction(0))
        longest = np.maximum(longest, run)
    return rounded(longest)


def times(of, index_of):
    """When the extreme is reached first. -0 is below +0, and not for NumPy."""
    ordered = [np.where((one == 0) & np.signbit(one), -SMALLEST, one) for one in of.doubles]
    return np.asarray(of.ends)[index_of(np.array(ordered), axis=0)]


@dataclass(frozen=True)
class Made:
    """How a record is made.

    `of`: "rounded" samples; "sums" of them as they are; "powers" too, which are rounded once where servers
    have the samples, and in each step on model ranks; "close" where the last bits are not known. `jumps`:
    samples that differ by their last bits may give records that have nothing in common.
    """

    record: Callable
    of: str = "rounded"
    jumps: bool = False


def percentile(percent):
    """Each sample counts once."""
    return Made(lambda of: np.quantile(of.doubles, percent / 100, axis=0), jumps=True)


MANIPULATIONS = {
    "none": Made(lambda of: of.doubles[0]),
    "instantaneous": Made(lambda of: of.doubles[0]),
    "averaged": Made(lambda of: rounded(of.power(1)), "sums"),
    "accumulated": Made(lambda of: rounded(of.power(1) * sum(of.weights)), "sums"),
    "minimum": Made(lambda of: np.min(of.doubles, axis=0)),
    "maximum": Made(lambda of: np.max(of.doubles, axis=0)),
    "variance": Made(lambda of: rounded(of.moment(2)), "powers"),
    "root_mean_square": Made(lambda of: roots(of.power(2)), "powers"),
    "range": Made(lambda of: np.ptp(of.doubles, axis=0)),
    "standard_deviation": Made(lambda of: roots(of.moment(2)), "powers"),
    "first": Made(lambda of: of.doubles[0]),
    "last": Made(lambda of: of.doubles[-1]),
    "skewness": Made(lambda of: skewness(of.moment(2), of.moment(3)), "powers", jumps=True),
    "kurtosis": Made(lambda of: kurtosis(of.moment(2), of.moment(4)), "powers", jumps=True),
    "longest_run": Made(longest_run, jumps=True),
    "difference": Made(lambda of: rounded(of.change()), "sums"),
    "tendency": Made(lambda of: rounded(of.change() / sum(of.weights)), "close"),
    "time_of_minimum": Made(lambda of: times(of, np.argmin), jumps=True),
    "time_of_maximum": Made(lambda of: times(of, np.argmax), jumps=True),
    "median": percentile(50),
    **{f"percentile_{percent:02}": percentile(percent) for percent in (1, 5, 10, 25, 75, 90, 95, 99)},
}

#!/usr/bin/env python3
"""Write testdata/functions.txt: declared functions of arguments of many kinds, by decimal arithmetic.

Usage: generate_cases.py FILE [--cases N] [--seed S]

Each line is the word of a function, its arguments and the double that is nearest to its value, all numbers as
hexadecimal floats. There are N lines of each function. Standard library only; series with 100 digits, after
tangents have brought their arguments into the circle with 420, are the oracle.
"""

import argparse
import decimal
import math
import pathlib
import random
import sys
from decimal import Decimal

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "math"))
import generate_cases as ours  # noqa: E402

DIGITS = 100


def arc_tangent(x):
    """Halves the angle until the series needs few terms."""
    doublings = 0
    while abs(x) > Decimal("0.01"):
        x = x / (1 + (1 + x * x).sqrt())
        doublings += 1
    term, total, square, k = x, x, -x * x, 1
    while abs(term) > abs(total) * Decimal(10) ** -(DIGITS + 5) and term != 0:
        term, k = term * square, k + 2
        total += term / k
    return total * 2**doublings


def angle_of_point(y, x):
    if x == 0:
        return (ours.PI / 2).copy_sign(y)
    angle = arc_tangent(y / x)
    return angle if x > 0 else angle + ours.PI.copy_sign(y)


def arc_sine(x):
    return (ours.PI / 2).copy_sign(x) if abs(x) == 1 else arc_tangent(x / ((1 - x) * (1 + x)).sqrt())


def hyperbolic(x, sign):
    """e^x + sign · e^-x, halved; near 0 by the series, where digits cancel."""
    if abs(x) > Decimal("0.01") or sign > 0:
        return (x.exp() + sign * (-x).exp()) / 2
    term, total = x, x
    for k in range(3, 60, 2):
        term *= x * x / (k * (k - 1))
        total += term
    return total


def tangent(x):
    return ours.circular(x, False) / ours.circular(x, True)


FUNCTIONS = {
    "tan": tangent,
    "asin": arc_sine,
    "acos": lambda x: ours.PI / 2 - arc_sine(x),
    "atan": arc_tangent,
    "atan2": angle_of_point,
    "sinh": lambda x: hyperbolic(x, -1),
    "cosh": lambda x: hyperbolic(x, 1),
    "tanh": lambda x: hyperbolic(x, -1) / hyperbolic(x, 1),
    "log10": lambda x: x.log10(),
    "log2": lambda x: x.ln() / Decimal(2).ln(),
    "hypot": lambda a, b: (a * a + b * b).sqrt(),
}
OF_TWO = ("atan2", "hypot")


def argument(rng, word):
    kind = rng.randrange(6)
    if word in ("asin", "acos"):
        near_end = 1 - math.ldexp(rng.random(), -rng.randint(1, 50))
        x = rng.choice([rng.uniform(-1, 1), near_end, -near_end, ours.near(rng, -20, 20), 0.5, 1.0, -1.0])
        return x if abs(x) <= 1 else argument(rng, word)
    if kind == 0 and word not in ("sinh", "cosh", "tanh"):
        x = ours.any_finite(rng)
    elif kind == 1:
        x = math.ldexp(rng.getrandbits(rng.randint(1, 52)), -1074)
    elif kind == 2:
        x = ours.near(rng, -20, 30)
    elif kind == 3 and word == "tan":
        x = float(ours.PI / 4 * rng.getrandbits(rng.randint(1, 60)))
    elif kind == 4:
        x = rng.uniform(-1, 1) * rng.choice([1, 10, 700])
    else:
        x = float(rng.randint(-1000, 1000)) / rng.choice([2, 64, 128, 1000])
    return x if x != 0 and (word not in ("sinh", "cosh", "tanh") or abs(x) < 711) else argument(rng, word)


def case(rng, word):
    if word in OF_TWO:
        first = argument(rng, word)
        arguments = [first, rng.choice([argument(rng, word), first * rng.uniform(0.1, 10), 1.0])]
    else:
        x = argument(rng, word)
        arguments = [abs(x) if word.startswith("log") else x]
    if not all(math.isfinite(one) and one != 0 for one in arguments):
        return case(rng, word)
    return [*arguments, float(FUNCTIONS[word](*map(Decimal, arguments)))]


def main():
    keep_lines = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=keep_lines)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20240229)
    arguments = parser.parse_args()
    # The range is as wide as squares of the largest and the smallest doubles need, and wider.
    decimal.setcontext(decimal.Context(prec=DIGITS + 40, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN))
    with open(arguments.file, "w", encoding="ascii") as out:
        for word in FUNCTIONS:
            rng = random.Random(f"{word} {arguments.seed}")
            for _ in range(arguments.cases):
                out.write(" ".join([word, *(value.hex() for value in case(rng, word))]) + "\n")


if __name__ == "__main__":
    main()

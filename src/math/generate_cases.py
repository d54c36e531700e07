#!/usr/bin/env python3
"""Write the expected values of testdata/: exact sums, quotients and weighted means, by Python's integers.

Usage: generate_cases.py DIRECTORY [--cases N] [--seed S]

Each line is one case of hexadecimal floats; the last one is the result, correctly rounded:
  sums.txt            addends… result
  quotients.txt       two numerators whose sum is divided, two denominators whose product divides, result
  weighted_means.txt  (weight sum count divisor)… result, for values sum / count / divisor
  powers.txt          base exponent result
  moments.txt         (x y)… variance of x, its square root, covariance of x and y
  weighted.txt        (x y weight)… sum, mean, variance, its root, root mean square and covariance of x
  exponentials.txt    argument result; likewise logarithms.txt, sines.txt and cosines.txt
Standard library only. Python divides integers with correct rounding, which is the oracle; that of powers and
functions is its decimal arithmetic with 80 digits, after sines and cosines have brought their arguments
into the circle with 420.
"""

import argparse
import decimal
import math
import pathlib
import random
import struct
import sys
from fractions import Fraction


def rounded(exact):
    """The double nearest to a Fraction, ties to even, infinite beyond the range."""
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def any_finite(rng):
    """A finite double with random bits: every exponent is equally likely, subnormals and zeros included."""
    while True:
        bits = rng.getrandbits(64)
        if rng.random() < 0.1:
            bits &= 0x800FFFFFFFFFFFFF  # subnormal
        value = struct.unpack("<d", struct.pack("<Q", bits))[0]
        if math.isfinite(value):
            return value


def near(rng, exponent, spread=40):
    return math.ldexp(rng.uniform(-1, 1), exponent + rng.randint(-spread, spread))


def addends(rng):
    """Values of one of several kinds that are hard to add."""
    count = rng.choice([0, 1, 2, 3, 5, 10, 33, 50])
    kind = rng.randrange(7)
    if kind == 0:
        values = [any_finite(rng) for _ in range(count)]
    elif kind == 1:
        values = [near(rng, 0) for _ in range(count)]
    elif kind == 2:  # cancels but for a little
        half = [any_finite(rng) for _ in range(count // 2)]
        values = half + [-v for v in half] + [near(rng, rng.randint(-1000, 900))]
    elif kind == 3:  # subnormals
        values = [near(rng, -1060, 20) for _ in range(count)]
    elif kind == 4:  # around the largest double
        largest = sys.float_info.max
        values = [rng.choice([1, 1, -1]) * largest / rng.choice([1, 2, 2**53]) for _ in range(count)]
    elif kind == 5:  # ties, broken by something far below
        exponent = rng.randint(-900, 900)
        values = [math.ldexp(2**52 + rng.getrandbits(52), exponent), math.ldexp(1, exponent - 1)]
        if rng.random() < 0.7:
            below = math.ldexp(1, rng.choice([-1074, exponent - 60, exponent - 200]))
            values.append(rng.choice([1, -1]) * below)
        values = [v for v in values if math.isfinite(v)]
    else:
        values = [rng.choice([0.0, -0.0, 5e-324, -5e-324, 1.0, sys.float_info.min]) for _ in range(count)]
    rng.shuffle(values)
    return values


def sum_case(rng):
    values = addends(rng)
    kind = rng.random()
    if kind < 0.1:
        inf, nan = math.inf, math.nan
        values += rng.choice([[inf], [-inf], [nan], [inf, -inf], [nan, inf]])
        rng.shuffle(values)
        infinities = {v for v in values if math.isinf(v)}
        has_nan = any(math.isnan(v) for v in values) or len(infinities) == 2
        return values + [math.nan if has_nan else infinities.pop()]
    return values + [rounded(sum(map(Fraction, values), Fraction(0)))]


def quotient_case(rng):
    draw = rng.choice([
        any_finite,
        lambda r: near(r, 0),
        lambda r: float(r.randint(-1000, 1000)),
        lambda r: math.ldexp(r.randint(-2**53, 2**53), r.randint(-1074, 900)),
    ])
    a, b, c, d = (draw(rng) for _ in range(4))
    if rng.random() < 0.25:  # half way between two doubles, or a little beside, also of the subnormals
        exponent = rng.randint(-1100, 800)
        c, d = float(rng.randint(1, 1000)), math.ldexp(1, -exponent // 2)
        half_way = (2**53 + 2 * rng.getrandbits(50) + 1) * Fraction(c) * Fraction(d)
        a = float(half_way)
        b = rng.choice([0, 0, 1, -1]) * math.ldexp(d, -60) + float(half_way - Fraction(a))
    numerator, denominator = Fraction(a) + Fraction(b), Fraction(c) * Fraction(d)
    if denominator == 0:
        result = math.nan if numerator == 0 else (math.inf if numerator > 0 else -math.inf)
    else:
        result = rounded(numerator / denominator)
    return [a, b, c, d, result]


def weighted_mean_case(rng):
    case, top, bottom = [], Fraction(0), Fraction(0)
    wild = rng.random() < 0.8
    divisors = [1.0, float(rng.randint(1, 1000)), near(rng, 0, 3) or 1.0]
    for _ in range(rng.choice([1, 2, 3, 10, 20])):
        weight = abs(any_finite(rng)) if wild else rng.choice([0.1, 1.0, rng.uniform(0, 10)])
        total = any_finite(rng) if wild else near(rng, 0)
        count, divisor = rng.choice([1, 7, 4096, rng.randint(1, 10**6)]), rng.choice(divisors)
        case += [weight, total, float(count), divisor]
        top += Fraction(weight) * Fraction(total) / (count * Fraction(divisor))
        bottom += Fraction(weight)
    return case + [rounded(top / bottom) if bottom else math.nan]


def root(exact):
    """The double nearest to the square root of a Fraction that is not negative."""
    shift = 0  # until an integer holds 64 bits and more of the root
    while exact and exact * 4**shift < 2**130:
        shift += 64
    square = exact * 4**shift
    whole = math.isqrt(math.floor(square))
    has_more = whole * whole != square
    return rounded(Fraction(2 * whole + has_more, 2 * 2**shift))


def moments_case(rng):
    x = addends(rng)
    kind = rng.random()
    if kind < 0.3:  # a large mean takes most bits away
        offset = near(rng, rng.randint(-500, 500), 0)
        x = [offset + near(rng, math.frexp(offset)[1] - 40, 8) for _ in x]
    elif kind < 0.4:
        x = [near(rng, rng.choice([-540, -500, 490, 510]), 10) for _ in x]  # products at the ends of doubles
    y = [near(rng, rng.choice([0, -600, 600]), 400) for _ in x] if rng.random() < 0.7 else x
    case = [value for pair in zip(x, y, strict=True) for value in pair]
    if not x:
        return case + [math.nan] * 3
    exact_x, exact_y = [Fraction(value) for value in x], [Fraction(value) for value in y]
    mean_x, mean_y = sum(exact_x) / len(x), sum(exact_y) / len(y)
    variance = sum((value - mean_x) ** 2 for value in exact_x) / len(x)
    covariance = sum((a - mean_x) * (b - mean_y) for a, b in zip(exact_x, exact_y, strict=True)) / len(x)
    return case + [rounded(variance), root(variance), rounded(covariance)]


def weighted_case(rng):
    kind = rng.random()
    spread = 400 if kind < 0.2 else 30
    x = [near(rng, 0, spread) for _ in range(rng.randint(1, 14))]
    if 0.2 < kind < 0.35:  # a large mean takes most bits away
        x = [near(rng, 200, 0) + near(rng, 160, 8) for _ in x]
    elif 0.35 < kind < 0.5:  # products beyond what two doubles hold
        x = [any_finite(rng) for _ in x]
    y = [near(rng, rng.choice([0, -300, 300]), 200) for _ in x]
    w = [abs(near(rng, rng.choice([0, 30]), spread)) or 1.0 for _ in x]
    if 0.5 < kind < 0.6:
        w = [any_finite(rng) or 1.0 for _ in x]  # negative ones, too
    case = [value for triple in zip(x, y, w, strict=True) for value in triple]
    x, y, w = ([Fraction(value) for value in values] for values in (x, y, w))
    total = sum(w)
    if total == 0:
        return weighted_case(rng)

    def mean(values):
        return sum(a * b for a, b in zip(w, values, strict=True)) / total

    mean_x, mean_y = mean(x), mean(y)
    variance = mean([(value - mean_x) ** 2 for value in x])
    square = mean([value**2 for value in x])
    covariance = mean([(a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)])
    roots = [root(value) if value >= 0 else math.nan for value in (variance, square)]
    return case + [rounded(mean_x * total), rounded(mean_x), rounded(variance), *roots, rounded(covariance)]


def units_beside_half_way(exact):
    """How far a power is from the middle of two doubles, in units of the last place."""
    value = float(exact)
    distance = abs(exact - decimal.Decimal(value)) / decimal.Decimal(math.ulp(value))
    return abs(distance - decimal.Decimal("0.5"))


def hard_power_case(rng):
    """A result so near the middle of two doubles that 64 bits are not enough to see on which side."""
    while True:
        base, exponent = rng.uniform(0.5, 2), rng.choice([3, 900]) * rng.uniform(-1, 1)
        exact = decimal.Decimal(base) ** decimal.Decimal(exponent)
        if units_beside_half_way(exact) < decimal.Decimal(2) ** -11:
            return [base, exponent, float(exact)]


def power_case(rng):
    kind = rng.randrange(9)
    if kind == 8 and rng.random() < 0.8:
        return hard_power_case(rng)
    if kind == 0:
        base, exponent = abs(any_finite(rng)), rng.uniform(-1.2, 1.2)
    elif kind == 1:
        base, exponent = rng.uniform(0.5, 2), rng.uniform(-1100, 1100)
    elif kind == 2:  # near one
        base, exponent = 1 + rng.choice([-1, 1]) * 2.0 ** rng.uniform(-52, -5), near(rng, 20, 15)
    elif kind == 3:
        base, exponent = abs(near(rng, 0, 30)), float(rng.randint(-20, 20))
    elif kind == 4:  # results are doubles, or half way between two
        base, exponent = float(rng.randint(1, 2 ** rng.randint(1, 30))), float(rng.randint(2, 4))
    elif kind == 5:  # around the smallest and the largest result
        base = rng.uniform(1.1, 10)
        logarithm = rng.choice([-1074, -1070, -1040, -1022, 1023.9])
        exponent = logarithm / math.log2(base) * (1 + rng.uniform(-1, 1) / 1000)
    elif kind == 6:  # pressures and temperatures
        base = rng.uniform(1e4, 1.1e5) / 1e5
        exponent = rng.choice([0.2854, 1 / 0.2854, 287.05 / 1005, 1.5, -0.5])
    else:
        base, exponent = -float(rng.randint(1, 1000)), float(rng.randint(-9, 9))
    if base == 0:
        return power_case(rng)
    exact = decimal.Decimal(base) ** decimal.Decimal(exponent)
    return [base, exponent, float(exact)]


def digits(precision):
    return decimal.localcontext(decimal.Context(prec=precision, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN))


def arc_tangent_of_inverse(n):
    term = total = decimal.Decimal(1) / n
    for k in range(3, 2000, 2):
        term /= -n * n
        total += term / k
    return total


def machin_pi():
    with digits(440):
        return 4 * (4 * arc_tangent_of_inverse(5) - arc_tangent_of_inverse(239))


PI = machin_pi()


def series_of_sine(x, is_cosine):
    """Taylor's series, for |x| < 7, with far more terms than 80 digits need."""
    term = total = decimal.Decimal(1) if is_cosine else x
    for k in range(2 if is_cosine else 3, 200, 2):
        term *= -x * x / (k * (k - 1))
        total += term
    return total


def circular(x, is_cosine):
    with digits(420):
        rest = decimal.Decimal(x) % (2 * PI)
    with digits(100):
        return series_of_sine(+rest, is_cosine)


FUNCTIONS = {
    "exponentials.txt": lambda x: decimal.Decimal(x).exp(),
    "logarithms.txt": lambda x: decimal.Decimal(x).ln(),
    "sines.txt": lambda x: circular(x, False),
    "cosines.txt": lambda x: circular(x, True),
}

# The double that lies nearest to a multiple of π/2 is among them.
KNOWN_HARD = {
    "sines.txt": [math.ldexp(6381956970095103, 797), 1e22, sys.float_info.max],
    "cosines.txt": [math.ldexp(6381956970095103, 797), 1e22, sys.float_info.max],
}


def argument(rng, name):
    kind = rng.randrange(6)
    is_logarithm, is_exponential = name == "logarithms.txt", name == "exponentials.txt"
    if kind == 0:
        x = any_finite(rng)
    elif kind == 1:  # subnormal
        x = math.ldexp(rng.getrandbits(rng.randint(1, 52)), -1074)
    elif kind == 2:
        x = 1 + near(rng, -20, 30) if is_logarithm else near(rng, -20, 30)
    elif kind == 3:  # around the smallest and the largest result, or a multiple of π / 2
        edge = rng.choice([-745.13, -740, -709, -708.4, 709.78]) if is_exponential else 0
        x = edge + rng.uniform(-0.02, 0.02) if edge else float(PI / 2 * rng.getrandbits(rng.randint(1, 60)))
    elif kind == 4:
        x = rng.uniform(-1, 1) * rng.choice([1, 10, 700, 1e6])
    else:
        x = float(rng.randint(-1000, 1000)) / rng.choice([1, 2, 64, 128])
    if is_logarithm:
        x = abs(x)
    return x if x != 0 and (not is_exponential or abs(x) < 1000) else argument(rng, name)


def function_case(rng, name):
    if KNOWN_HARD.get(name):
        x = KNOWN_HARD[name].pop()
        return [x, float(FUNCTIONS[name](x))]
    is_hard = rng.random() < 0.15  # so near the middle of two doubles that 64 bits do not show the side
    while True:
        x = rng.uniform(0.01, 30) if is_hard else argument(rng, name)
        exact = FUNCTIONS[name](x)
        if not is_hard or units_beside_half_way(exact) < decimal.Decimal(2) ** -11:
            return [x, float(exact)]


def main():
    keep_lines = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=keep_lines)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20240229)
    arguments = parser.parse_args()
    decimal.setcontext(decimal.Context(prec=80, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN))
    files = {"sums.txt": sum_case, "quotients.txt": quotient_case, "weighted_means.txt": weighted_mean_case,
             "powers.txt": power_case, "moments.txt": moments_case, "weighted.txt": weighted_case}
    for name in FUNCTIONS:
        files[name] = lambda rng, name=name: function_case(rng, name)
    for name, make_case in files.items():
        rng = random.Random(f"{name} {arguments.seed}")
        with open(arguments.directory / name, "w", encoding="ascii") as out:
            for _ in range(arguments.cases):
                out.write(" ".join(value.hex() for value in make_case(rng)) + "\n")


if __name__ == "__main__":
    main()

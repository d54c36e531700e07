#!/usr/bin/env python3
"""Measures expressions: nanoseconds an element for mean[y,x](w*theta) and for one of ten operations.

Times are processor times, so that other programs count little. They are compared with loops written by hand
(naive sums, -O3, for any processor and for AVX2) and with NumPy. All ways take turns in one run, and ratios
are those of neighbours in one turn. "exact mean of a field" and "blocks alone" measure the exact sum and the
evaluation on their own. "in two passes" makes an array as large as the field in between. "to an array" only
makes that array, and is compared with loops by hand that do the same.
"""

import ctypes
import time

import numpy as np
from figures import BUILD, Figures, read_settings

EXPRESSIONS = {
    "product": lambda w, theta, p: w * theta,
    "ten": lambda w, theta, p: (np.sqrt(np.abs(w * theta - p)) / (theta + 300)
                                + np.where(p > 0, w, theta) * 0.5),
}
TITLES = {"product": "mean[y,x](w*theta)",
          "ten": "mean[y,x](sqrt(abs(w*theta - p))/(theta + 300) + where(p > 0, w, theta)*0.5)"}
LOOPS = ["loop", "loop avx2"]
ARRAYS = ["loop to an array", "loop avx2 to an array", "to an array"]
OWN = ["fused", "in two passes", "exact mean of a field", "blocks alone"]
LEVELS = 64


def library():
    """Loads the library of the ways in C++, which time themselves."""
    loops = ctypes.CDLL(str(BUILD / "bench" / "models" / "libexpressions_loops.so"))
    loops.bench_expression_ns.restype = ctypes.c_double
    return loops


def has_avx2():
    """Tell whether this processor can run the second loop."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        return " avx2 " in info.read()


def one(way, loops, expression, order, fields, times):
    """Runs one way once and returns nanoseconds an element, and the means."""
    columns = fields[0].size // LEVELS
    if way == "numpy":
        begin = time.thread_time()
        for _ in range(times):
            means = EXPRESSIONS[expression](*fields).mean(axis=0 if order == "fastest" else 1)
        return (time.thread_time() - begin) * 1e9 / times / fields[0].size, means
    means = np.zeros(LEVELS)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in [*fields, means]]
    spent = loops.bench_expression_ns(way.encode(), expression.encode(), order.encode(), *pointers[:3],
                                      ctypes.c_size_t(columns), ctypes.c_size_t(LEVELS), times, pointers[3])
    return spent / times / fields[0].size, means


def measure(figures, title, repeats, ways, *arguments):
    """Runs all ways in turn; adds times and ratios. The results agree, those of exact ones to the bit."""
    samples = {way: [] for way in ways}
    for _ in range(repeats):
        results = {}
        for way in ways:
            spent, results[way] = one(way, *arguments)
            samples[way].append(spent)
        for way in ("numpy", *(w for w in ways if w in LOOPS)):
            np.testing.assert_allclose(results[way], results["fused"], rtol=1e-9, atol=1e-9)
        assert np.array_equal(results["fused"], results["in two passes"])
    for way in ways:
        figures.add(f"{title}: {way}", "ns/element", samples[way])
    for base in ways:
        if base in ARRAYS[:-1]:
            figures.add(f"{title}: to an array over {base}", "1",
                        [a / b for a, b in zip(samples["to an array"], samples[base], strict=True)])
        elif base not in [*OWN, *ARRAYS]:
            figures.add(f"{title}: fused over {base}", "1",
                        [a / b for a, b in zip(samples["fused"], samples[base], strict=True)])


def main():
    """Measures both expressions in both orders, and reports."""
    settings = read_settings(__doc__, repeats=21)
    repeats = 1 if settings.quick else settings.repeats
    side = 32 if settings.quick else 256
    loops = library()
    ways = [way for way in [*LOOPS, "numpy", *OWN, *ARRAYS] if "avx2" not in way or has_avx2()]
    figures = Figures("expressions", settings)
    random = np.random.default_rng(5)
    for order in ("fastest", "slowest"):
        shape = (side * side, LEVELS) if order == "fastest" else (LEVELS, side * side)
        fields = [random.normal(middle, spread, shape) for middle, spread in ((0, 1), (300, 5), (0, 1))]
        for expression, title in TITLES.items():
            measure(figures, f"{side}x{side}x{LEVELS}, z {order}, {title}", repeats, ways, loops, expression,
                    order, fields, 1)
    figures.report()


if __name__ == "__main__":
    main()

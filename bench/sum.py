#!/usr/bin/env python3
"""The costs of an exact sum: nanoseconds an element, beside a naive loop, -O3 -ffast-math and NumPy.

Exact variances stand beside exact sums, and plain loops of one pass over Σx and Σx².

Of whole arrays, and of each level with z fastest and slowest; time of the processor. All ways take turns in
one run; ratios are of neighbours in one turn. "read" reads the array as fast as the processor can: the
memory's speed. The JSON has the ratios of the widest set of instructions under names of their own.
"""

import ctypes
import re
import time

import numpy as np
from figures import BUILD, Figures, read_settings

SIZES = [60, 4096, 65536, 1 << 20, 1 << 26]  # the last is 512 MiB, beyond any cache
LEVELS = 60
KERNELS = ["portable", "avx2", "avx512"]


def library():
    """The loops in C++, which time themselves."""
    loops = ctypes.CDLL(str(BUILD / "bench" / "models" / "libsum_loops.so"))
    loops.bench_sum_ns.restype = loops.bench_levels_ns.restype = ctypes.c_double
    return loops


def ways(loops):
    """The names of the ways to sum: the exact one with each kernel that this processor can run."""
    kernels = [name for name in KERNELS if loops.bench_use_kernel(name.encode())]
    sums = ["read", "naive", "fast-math", "numpy"] + [f"exact {name}" for name in kernels]
    return sums + ["naive-variance", "fast-math-variance"] + [f"variance {name}" for name in kernels]


def pointer(array):
    """The arguments that ctypes takes."""
    return ctypes.c_void_p(array.ctypes.data)


def seconds_of_numpy(values, axis, times):
    """NumPy's own sum."""
    begin = time.thread_time()
    for _ in range(times):
        result = values.sum(axis=axis)
    return time.thread_time() - begin, result


def whole(way, loops, values, times):
    """Nanoseconds an element, and the sum."""
    if way == "numpy":
        seconds, result = seconds_of_numpy(values, None, times)
        return seconds * 1e9 / times / values.size, float(result)
    name, _, kernel = way.partition(" ")
    if kernel:
        loops.bench_use_kernel(kernel.encode())
    result = ctypes.c_double()
    spent = loops.bench_sum_ns(name.encode(), pointer(values), ctypes.c_size_t(values.size), times,
                               ctypes.byref(result))
    return spent / times / values.size, result.value


def by_level(way, loops, order, values, times):
    """Nanoseconds an element, and the sums. `values`: (columns, levels) for z fastest, else transposed."""
    if way == "numpy":
        seconds, sums = seconds_of_numpy(values, 0 if order == "fastest" else 1, times)
        return seconds * 1e9 / times / values.size, sums
    name, _, kernel = way.partition(" ")
    if kernel:
        loops.bench_use_kernel(kernel.encode())
    sums = np.zeros(LEVELS)
    spent = loops.bench_levels_ns(name.encode(), order.encode(), pointer(values),
                                  ctypes.c_size_t(values.size // LEVELS), ctypes.c_size_t(LEVELS), times,
                                  pointer(sums))
    return spent / times / values.size, sums


def measure(figures, title, names, repeats, run, *arguments):
    """Takes turns; adds the times, and the ratios of each exact way to the plain ones."""
    samples = {name: [] for name in names}
    references = {}
    for _ in range(repeats):
        for name in names:
            spent, result = run(name, *arguments)
            samples[name].append(spent)
            what, _, kernel = name.partition(" ")
            if kernel:
                reference = references.setdefault(what, result)
                assert np.array_equal(reference, result), f"{title}: {name} gives another result"
    for name in names:
        figures.add(f"{title}: {name}", "ns/element", samples[name])
    exact = [name for name in names if name.startswith("exact")]
    variances = [name for name in names if name.startswith("variance")]
    pairs = [(one, base) for base in ("naive", "read") if base in names for one in exact]
    pairs += [(one, "naive-variance") for one in variances]
    pairs += list(zip(variances, exact, strict=True))
    for one, base in pairs:
        ratios = [a / b for a, b in zip(samples[one], samples[base], strict=True)]
        what, _, kernel = one.partition(" ")
        key = re.sub(r"\W+", "_", f"{what} {title} over {base.partition(' ')[0]}")
        is_widest = kernel == exact[-1].partition(" ")[2]
        figures.add(f"{title}: {one} over {base}", "1", ratios, key if is_widest else None)


def main():
    """Measures whole arrays and levels of several sizes, and reports."""
    settings = read_settings(__doc__, repeats=21)
    repeats = 1 if settings.quick else settings.repeats
    loops = library()
    names = ways(loops)
    figures = Figures("sum", settings)
    random = np.random.default_rng(4)
    for size in SIZES[:-1] if settings.quick else SIZES:
        values = random.normal(0.0, 1.0, size)
        times = max(1, 400_000 // size)
        measure(figures, f"{size}", names, repeats, whole, loops, values, times)
    levels = [name for name in names if name != "read"]
    for columns in [1024] if settings.quick else [1024, 1 << 20]:
        profile = 10.0 ** np.linspace(2, -6, LEVELS)
        values = random.normal(0.0, 1.0, (columns, LEVELS)) * profile
        times = max(1, 400_000 // values.size)
        for order in ("fastest", "slowest"):
            laid = values if order == "fastest" else np.ascontiguousarray(values.T)
            measure(figures, f"{LEVELS} levels, z {order}, {columns} columns", levels, repeats,
                    by_level, loops, order, laid, times)
    figures.report()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures an array's mean over time in one step: nanoseconds a point, with each set of instructions.

A plain loop that reads and writes the same arrays shows what the memory allows. Both take turns in one run.
Times are processor times.
"""

import ctypes

import numpy as np
from figures import BUILD, Figures, read_settings

SIZES = [2048, 65536, 256 * 256 * 50]
SETS = ["portable", "avx2", "avx512"]
WARM_UP = 2


def main():
    """Measures all sizes with all sets, and reports."""
    settings = read_settings(__doc__, repeats=21)
    steps = WARM_UP + (1 if settings.quick else settings.repeats)
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libaverages_loops.so"))
    figures = Figures("averages", settings)
    for size in SIZES[:1] if settings.quick else SIZES:
        values = 290 + np.random.default_rng(7).normal(0, 5, size)
        for name in SETS:
            average, loop = np.zeros(steps), np.zeros(steps)
            pointers = [ctypes.c_void_p(array.ctypes.data) for array in (values, average, loop)]
            has_run = library.bench_average_ns(name.encode(), pointers[0], ctypes.c_size_t(size),
                                               ctypes.c_int(steps), *pointers[1:])
            if not has_run:
                continue
            figures.add(f"{size} points: average, {name}", "ns/point", list(average[WARM_UP:] / size))
            figures.add(f"{size} points: average, {name}, over the loop", "1",
                        list(average[WARM_UP:] / loop[WARM_UP:]), f"average_over_loop_{size}_{name}")
    figures.report()


if __name__ == "__main__":
    main()

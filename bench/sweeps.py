#!/usr/bin/env python3
"""Measures the means by level of seven fields and of their 28 products, on 64 x 64 x 60 points.

One sweep that makes all of them and the rules one by one take turns in one run. Times are processor times.
"""

import ctypes

import numpy as np
from figures import BUILD, Figures, read_settings

WARM_UP = 2


def main():
    """Measures floats and doubles in both orders, and reports."""
    settings = read_settings(__doc__, repeats=21)
    turns = WARM_UP + (1 if settings.quick else settings.repeats)
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libsweeps_loops.so"))
    figures = Figures("sweeps", settings)
    for kind in "float", "double":
        for order in "slowest", "fastest":
            swept, ruled = np.zeros(turns), np.zeros(turns)
            means = library.bench_sweeps_ns(kind.encode(), order.encode(), ctypes.c_int(turns),
                                            *(ctypes.c_void_p(times.ctypes.data) for times in (swept, ruled)))
            if not means:
                raise SystemExit(f"the means of {kind} with z {order} are no sweep")
            swept, ruled = swept[WARM_UP:], ruled[WARM_UP:]
            what = f"{means} means, {kind}, z {order}"
            figures.add(f"{what}: one sweep", "ms", list(swept / 1e6))
            figures.add(f"{what}: rules one by one", "ms", list(ruled / 1e6))
            figures.add(f"{what}: sweep over rules", "1", list(swept / ruled),
                        f"sweep_over_rules_{kind}_z_{order}")
    figures.report()


if __name__ == "__main__":
    main()

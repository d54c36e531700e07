#!/usr/bin/env python3
"""Measures reductions by level on 64 x 64 x 60 points: means of seven fields and of their 28 products of two.

A second set has all their variances and covariances besides. One sweep that makes all of a set and the rules
one by one take turns in one run. Times are processor times.
"""

import ctypes

import numpy as np
from figures import BUILD, Figures, read_settings

WARM_UP = 2
SETS = {"means": 0, "means and moments": 1}


def main():
    """Measures floats and doubles in both orders, and reports."""
    settings = read_settings(__doc__, repeats=21)
    turns = WARM_UP + (1 if settings.quick else settings.repeats)
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libsweeps_loops.so"))
    figures = Figures("sweeps", settings)
    for what, has_moments in SETS.items():
        for kind in "float", "double":
            for order in "slowest", "fastest":
                swept, ruled = np.zeros(turns), np.zeros(turns)
                results = library.bench_sweeps_ns(
                    kind.encode(), order.encode(), ctypes.c_int(has_moments), ctypes.c_int(turns),
                    *(ctypes.c_void_p(times.ctypes.data) for times in (swept, ruled)))
                if not results:
                    raise SystemExit(f"no sweep makes the {what} of {kind} with z {order}")
                swept, ruled = swept[WARM_UP:], ruled[WARM_UP:]
                name = f"{results} {what}, {kind}, z {order}"
                figures.add(f"{name}: one sweep", "ms", list(swept / 1e6))
                figures.add(f"{name}: rules", "ms", list(ruled / 1e6))
                figures.add(f"{name}: sweep over rules", "1", list(swept / ruled),
                            f"sweep_over_rules_{what.replace(' ', '_')}_{kind}_z_{order}")
    figures.report()


if __name__ == "__main__":
    main()

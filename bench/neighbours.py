#!/usr/bin/env python3
"""Measures the vorticity of a horizontal wind: nanoseconds for an element.

Compared with numpy.gradient of both components. Both take turns. Times are processor times of one thread.
"""

import ctypes

import numpy as np
from figures import BUILD, Figures, read_settings
from turns import take_turns


def main():
    """Measures planes that fit into caches and some that do not, and reports."""
    settings = read_settings(__doc__, repeats=9)
    repeats = 1 if settings.quick else settings.repeats
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libneighbours_operators.so"))
    library.bench_vorticity_ns.restype = ctypes.c_double
    figures = Figures("neighbours", settings)
    for shape in [(2, 20, 24)] if settings.quick else [(1, 128, 128), (8, 500, 800)]:
        u, v = np.random.default_rng(3).normal(size=(2, *shape))

        def ours(shape=shape, u=u, v=v):
            out = np.zeros(shape)
            arrays = [ctypes.c_void_p(one.ctypes.data) for one in (u, v, out)]
            return library.bench_vorticity_ns(*map(ctypes.c_int64, shape[::-1]), *arrays), out

        def theirs(u=u, v=v):
            return np.gradient(v, 100.0, axis=2) - np.gradient(u, 100.0, axis=1)

        def same(made, expected):
            return np.allclose(made, expected, rtol=1e-12, atol=1e-12)

        name = " x ".join(map(str, shape[::-1]))
        take_turns(figures, f"vorticity of {name}", repeats, u.size, ours=ours, other="NumPy", theirs=theirs,
                   same=same)
    figures.report()


if __name__ == "__main__":
    main()

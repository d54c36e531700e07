#!/usr/bin/env python3
"""Measures how long it takes to find the shells around objects, in planes and volumes: nanoseconds for an
element.

Compared with scipy.ndimage.binary_dilation of as many iterations, without the objects. Both take turns. Times
are processor times of one thread.
"""

import ctypes

import numpy as np
from figures import BUILD, Figures, read_settings
from scipy import ndimage
from turns import take_turns

from objects import PLANES, smooth


def main():
    """Measures shells of several widths, and reports."""
    settings = read_settings(__doc__, repeats=7, levels=16)
    repeats, levels = (1, 2) if settings.quick else (settings.repeats, settings.levels)
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libobjects_operators.so"))
    library.bench_shell_ns.restype = ctypes.c_double
    figures = Figures("shells", settings)
    nx, ny = (48, 30) if settings.quick else (400, 250)
    inside = smooth((levels, ny, nx), 3) > 1.5
    field = inside.astype(np.float64)
    for way, dimensions, structure in ("planes", b"y,x", PLANES), ("volume", b"z,y,x", None):
        for within in 1, 3, 10:

            def ours(dimensions=dimensions, within=within):
                out = np.zeros(field.shape)
                sizes = [ctypes.c_int64(n) for n in (nx, ny, levels)]
                arrays = [ctypes.c_void_p(one.ctypes.data) for one in (field, out)]
                return library.bench_shell_ns(dimensions, str(within).encode(), *sizes, *arrays), out

            def theirs(structure=structure, within=within):
                return ndimage.binary_dilation(inside, structure, within) & ~inside

            take_turns(figures, f"{way}, within {within}", repeats, field.size, ours=ours, other="SciPy",
                       theirs=theirs, same=np.array_equal)
    figures.report()


if __name__ == "__main__":
    main()

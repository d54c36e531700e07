#!/usr/bin/env python3
"""Measures how long it takes to label objects in planes and in volumes: nanoseconds for an element.

Each is compared with scipy.ndimage.label, which numbers objects in the order of their first elements. Both
take turns. Times are processor times of one thread.
"""

import ctypes
import time

import numpy as np
from figures import BUILD, Figures, read_settings
from scipy import ndimage

PLANES = np.zeros((3, 3, 3), int)
PLANES[1] = ndimage.generate_binary_structure(2, 1)


def smooth(shape, seed):
    """A field with objects of some ten elements across."""
    field = ndimage.gaussian_filter(np.random.default_rng(seed).normal(size=shape), (1, 4, 4), mode="wrap")
    return field / field.std()


def numbers_of(labels):
    """How many objects there are, and which elements are in the same: labels by first appearance."""
    flat = labels.ravel()
    _, first, inverse = np.unique(flat, return_index=True, return_inverse=True)
    return first[inverse] * (flat > 0)


def main():
    """Measures planes and volumes, dense and sparse, and reports."""
    settings = read_settings(__doc__, repeats=7, levels=16)
    repeats, levels = (1, 2) if settings.quick else (settings.repeats, settings.levels)
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libobjects_operators.so"))
    library.bench_label_ns.restype = ctypes.c_double
    figures = Figures("objects", settings)
    nx, ny = (48, 30) if settings.quick else (800, 500)
    for name, above in ("sparse", 1.5), ("half", 0.0):
        inside = smooth((levels, ny, nx), 3) > above
        field = inside.astype(np.float64)
        for way, dimensions, structure in ("planes", b"y,x", PLANES), ("volume", b"z,y,x", None):
            samples = {"ours": [], "SciPy": [], "ours / SciPy": []}
            for _ in range(repeats):
                start = time.thread_time()
                labels, _ = ndimage.label(inside, structure)
                scipy_ns = (time.thread_time() - start) * 1e9 / field.size
                out = np.zeros(field.shape)
                sizes = [ctypes.c_int64(n) for n in (nx, ny, levels)]
                arrays = [ctypes.c_void_p(one.ctypes.data) for one in (field, out)]
                ours_ns = library.bench_label_ns(dimensions, *sizes, *arrays) / field.size
                for z in range(levels) if way == "planes" else [slice(None)]:
                    assert np.array_equal(numbers_of(out[z]), numbers_of(labels[z]))
                for key, value in zip(samples, (ours_ns, scipy_ns, ours_ns / scipy_ns), strict=True):
                    samples[key].append(value)
            for key, values in samples.items():
                figures.add(f"{name}, {way}, {key}", "1" if "/" in key else "ns", values)
    figures.report()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures regridding by a sparse matrix: nanoseconds for a link and a level, of a million points to 260 000.

The sums of add_links are compared with SciPy's product of a CSR matrix with a dense one, which has the levels
of a point together as add_links has them. All that a server does in a step, which brings the elements
together from a field whose levels lie apart, for 32 model ranks, and writes such a field, is compared with
SciPy's product of the same. All take turns in one run. Times are processor times of one thread.
"""

import ctypes
import time

import numpy as np
import scipy.sparse
from figures import BUILD, Figures, read_settings


def overlaps(fine, coarse):
    """By coarse cell of one dimension: the fine cells that it overlaps, and which part of it each is."""
    rows = []
    for cell in range(coarse):
        first, last = cell * fine / coarse, (cell + 1) * fine / coarse
        cells = np.arange(int(first), min(fine, int(np.ceil(last - 1e-9))))
        parts = np.minimum(cells + 1, last) - np.maximum(cells, first)
        rows.append((cells, parts / parts.sum()))
    return rows


def conservative_of(fine, coarse):
    """The CSR matrix from cells on a plane to coarser ones; so many along x and y each."""
    x_rows, y_rows = (overlaps(*sizes) for sizes in zip(fine, coarse, strict=True))
    begin, place, weight = [0], [], []
    for y_cells, y_parts in y_rows:
        for x_cells, x_parts in x_rows:
            place.append((y_cells[:, None] * fine[0] + x_cells).ravel())
            weight.append((y_parts[:, None] * x_parts).ravel())
            begin.append(begin[-1] + len(place[-1]))
    return np.array(begin, np.int64), np.concatenate(place).astype(np.int32), np.concatenate(weight)


def pointers(*arrays):
    return [ctypes.c_void_p(array.ctypes.data) for array in arrays]


def main():
    """Measures all ways, and reports."""
    settings = read_settings(__doc__, repeats=5, levels=60, ranks=32)
    repeats = 1 if settings.quick else settings.repeats
    fine, coarse = (64, 33) if settings.quick else (1000, 510)
    levels, points, rows = settings.levels, fine * fine, coarse * coarse
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libregrid_loops.so"))
    library.bench_sums_ns.restype = library.bench_whole_ns.restype = ctypes.c_double
    begin, place, weight = conservative_of((fine, fine), (coarse, coarse))
    matrix = scipy.sparse.csr_matrix((weight, place, begin.astype(np.int32)), (rows, points))
    field = np.random.default_rng(7).uniform(200, 300, (levels, points))
    together, floats = np.ascontiguousarray(field.T), field.astype(np.float32)
    sizes = [ctypes.c_size_t(rows), ctypes.c_size_t(levels)]
    per = len(place) * levels
    samples = {}
    for _ in range(repeats):
        start = time.thread_time()
        expected = matrix @ together
        samples.setdefault("SciPy", []).append((time.thread_time() - start) * 1e9 / per)
        start = time.thread_time()
        expected_apart = np.ascontiguousarray((matrix @ field.T).T)
        samples.setdefault("SciPy, levels apart", []).append((time.thread_time() - start) * 1e9 / per)
        made = np.empty((rows, levels))
        spent = library.bench_sums_ns(*sizes, *pointers(begin, place, weight, together, made))
        samples.setdefault("sums", []).append(spent / per)
        assert np.array_equal(made, expected)
        for name, values in (("all, of doubles", field), ("all, of floats", floats)):
            out = np.empty((levels, rows))
            spent = library.bench_whole_ns(*sizes, *pointers(begin, place, weight), ctypes.c_size_t(points),
                                           ctypes.c_bool(values is floats), ctypes.c_size_t(settings.ranks),
                                           *pointers(values, out))
            samples.setdefault(name, []).append(spent / per)
            assert np.allclose(out, expected_apart, rtol=1e-6 if values is floats else 1e-15)
        del made, out, expected, expected_apart
    figures = Figures("regrid", settings)
    for name, times in samples.items():
        figures.add(name, "ns", times)
        if not name.startswith("SciPy"):
            other = "SciPy" if name == "sums" else "SciPy, levels apart"
            ratios = [time / theirs for time, theirs in zip(times, samples[other], strict=True)]
            figures.add(f"{name} / {other}", "1", ratios)
    figures.report()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures spectra along x and by ring of wavenumbers: nanoseconds for an element of planes.

Each is compared with the same of NumPy: numpy.fft.rfft of all rows with the squares of the modes, and
numpy.fft.rfft2 of all planes with the squares added up by numpy.bincount. Both take turns. Times are
processor times of one thread.
"""

import ctypes
import time

import numpy as np
from figures import BUILD, Figures, read_settings


def counts(n):
    """How often a mode of a real line is there among all of them."""
    made = np.full(n // 2 + 1, 2.0)
    made[0] = 1
    if n % 2 == 0:
        made[-1] = 1
    return made


def along_x(field):
    nx = field.shape[-1]
    modes = np.fft.rfft(field)
    return (modes.real**2 + modes.imag**2) * (counts(nx) / nx)


def rings_of(ny, nx):
    """The ring of each mode, and its width."""
    width = 1 / min(ny, nx)
    places = np.hypot(np.fft.fftfreq(ny)[:, None], np.fft.rfftfreq(nx))
    return np.floor(places / width + 0.5).astype(np.int64).ravel(), width


def by_ring(field, ring, width):
    nz, ny, nx = field.shape
    modes = np.fft.rfft2(field)
    power = (modes.real**2 + modes.imag**2) * (counts(nx) / (nx * ny) ** 2 / width)
    return np.array([np.bincount(ring, plane.ravel()) for plane in power])


def main():
    """Measures all sizes, and reports."""
    settings = read_settings(__doc__, repeats=7, levels=8)
    repeats, levels = (1, 2) if settings.quick else (settings.repeats, settings.levels)
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libspectra_operators.so"))
    library.bench_spectrum_ns.restype = ctypes.c_double
    figures = Figures("spectra", settings)
    for nx, ny in [(32, 32)] if settings.quick else [(512, 512), (480, 500), (384, 243), (251, 251)]:
        field = np.random.default_rng(7).uniform(-1, 1, (levels, ny, nx))
        ring, width = rings_of(ny, nx)
        ways = {
            "along x": (b"x", along_x, (levels, ny, nx // 2 + 1)),
            "by ring": (b"y,x", lambda one, r=ring, w=width: by_ring(one, r, w), (levels, ring.max() + 1)),
        }
        samples = {}
        for _ in range(repeats):
            for name, (dimensions, theirs, shape) in ways.items():
                start = time.thread_time()
                expected = theirs(field)
                numpy_ns = (time.thread_time() - start) * 1e9 / field.size
                out = np.zeros(shape)
                sizes = [ctypes.c_int64(n) for n in (nx, ny, levels)]
                arrays = [ctypes.c_void_p(one.ctypes.data) for one in (field, out)]
                ours_ns = library.bench_spectrum_ns(dimensions, *sizes, *arrays) / field.size
                assert np.allclose(out, expected, rtol=1e-9, atol=1e-12 * expected.max())
                samples.setdefault(f"{nx} x {ny}, {name}", []).append(ours_ns)
                samples.setdefault(f"{nx} x {ny}, {name}, NumPy", []).append(numpy_ns)
                samples.setdefault(f"{nx} x {ny}, {name}, ours / NumPy", []).append(ours_ns / numpy_ns)
        for name, values in samples.items():
            figures.add(name, "1" if "/" in name else "ns", values)
    figures.report()


if __name__ == "__main__":
    main()

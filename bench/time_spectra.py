#!/usr/bin/env python3
"""Measures spectra of time series at points, of samples that come step by step: nanoseconds for a sample of a
point.

Compared with scipy.signal.welch, and with numpy.fft.rfft by hand, of series that were collected before. All
take turns. Times are processor times of one thread.
"""

import ctypes

import numpy as np
from figures import BUILD, Figures, read_settings
from scipy import signal
from turns import take_turns


def by_hand(series, segment, taper):
    """The mean over segments of their power spectral densities, as scipy.signal.welch scales it."""
    parts = series.reshape(-1, segment, series.shape[1])
    modes = np.fft.rfft((parts - parts.mean(1, keepdims=True)) * taper[:, None], axis=1)
    power = (modes.real**2 + modes.imag**2).mean(0) * (2 / (taper**2).sum())
    power[0] /= 2
    power[-1] /= 2 if segment % 2 == 0 else 1
    return power


def main():
    """Measures segments of several lengths, and reports."""
    settings = read_settings(__doc__, repeats=7, points=1000)
    repeats, points = (1, 20) if settings.quick else (settings.repeats, settings.points)
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libspectra_operators.so"))
    library.bench_time_spectrum_ns.restype = ctypes.c_double
    figures = Figures("time_spectra", settings)
    for segment, window, name in (64, "none", "boxcar"), (256, "hann", "hann"), (360, "none", "boxcar"):
        samples = 4 * segment
        series = np.random.default_rng(5).normal(280, 3, (samples, points))
        taper = signal.get_window(name, segment)

        def ours(segment=segment, window=window, samples=samples, series=series):
            out = np.zeros((segment // 2 + 1, points))
            sizes = [ctypes.c_int64(n) for n in (points, samples, segment)]
            arrays = [ctypes.c_void_p(one.ctypes.data) for one in (series, out)]
            return library.bench_time_spectrum_ns(*sizes, window.encode(), *arrays), out

        def welch(segment=segment, series=series, taper=taper):
            return signal.welch(series, window=taper, nperseg=segment, noverlap=0, axis=0)[1]

        def hand_made(segment=segment, series=series, taper=taper):
            return by_hand(series, segment, taper)

        def same(made, expected):
            return np.allclose(made, expected, rtol=1e-9, atol=1e-12 * expected.max())

        for other, theirs in ("SciPy", welch), ("NumPy", hand_made):
            take_turns(figures, f"segments of {segment}, window {window}", repeats, series.size, ours=ours,
                       other=other, theirs=theirs, same=same)
    figures.report()


if __name__ == "__main__":
    main()

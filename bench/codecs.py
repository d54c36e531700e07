#!/usr/bin/env python3
"""Measures what codecs cost and save: MB/s, and how many times smaller the numbers become.

A field as of turbulence (random phases, a power spectrum with the slope -11/3 over wavenumbers in space), in
single precision, as it is and rounded to 10 bits, in chunks of 4 MiB. Each codec packs on one thread and on
two, as workers do, and takes turns with the netCDF library, which writes the same numbers in the same chunks
by the same filter into a file in memory, on one thread (netCDF4 for Python). Times are on the wall.
"""

import ctypes
import time

import netCDF4
import numpy as np
from figures import BUILD, Figures, read_settings

WAYS = {
    "deflate 4": ("deflate", 4, "bytes", {"compression": "zlib", "complevel": 4, "shuffle": True}),
    "zstd 3, unsorted": ("zstd", 3, "none", {"compression": "zstd", "complevel": 3}),
    "zstd 3": ("zstd", 3, "bytes", None),  # netCDF4 for Python sorts nothing for it
    "blosc 5": ("blosc", 5, "bytes", {"compression": "blosc_zstd", "complevel": 5, "blosc_shuffle": 1}),
    "blosc 5, bits": ("blosc", 5, "bits", {"compression": "blosc_zstd", "complevel": 5, "blosc_shuffle": 2}),
}
CHUNK = 4 << 20
MEMORY_BLOCKS = 2 << 17  # files in memory end with a whole block


def turbulence(nz, ny, nx):
    """Around 300, with a standard deviation of 1."""
    random = np.random.default_rng(7)
    waves = [np.fft.fftfreq(n) for n in (nz, ny)] + [np.fft.rfftfreq(nx)]
    squares = sum(np.meshgrid(*[one**2 for one in waves], indexing="ij"))
    squares[0, 0, 0] = 1
    modes = random.normal(size=squares.shape) * np.exp(2j * np.pi * random.random(squares.shape))
    field = np.fft.irfftn(modes * squares ** (-11 / 12), (nz, ny, nx), axes=(0, 1, 2))
    return (300 + field / field.std()).astype(np.float32)


def rounded(field, bits):
    numbers = field.view(np.uint32)
    dropped = np.uint32(23 - bits)
    half = (np.uint32(1) << (dropped - np.uint32(1))) - np.uint32(1)
    odd = (numbers >> dropped) & np.uint32(1)
    return ((numbers + half + odd) & ~((np.uint32(1) << dropped) - np.uint32(1))).view(np.float32)


def by_library(field, how):
    """Seconds, and bytes of the file."""
    levels = min(max(1, CHUNK // field[0].nbytes), len(field))
    dataset = netCDF4.Dataset("in_memory.nc", "w", memory=2 * field.nbytes)
    for name, size in zip("zyx", field.shape, strict=True):
        dataset.createDimension(name, size)
    w = dataset.createVariable("w", "f4", ("z", "y", "x"), chunksizes=(levels, *field.shape[1:]), **how)
    start = time.perf_counter()
    w[:] = field
    dataset.sync()
    seconds = time.perf_counter() - start
    return seconds, len(dataset.close())


def main():
    """Measures all codecs, and reports."""
    settings = read_settings(__doc__, repeats=7, levels=64)
    repeats, levels = (1, 4) if settings.quick else (settings.repeats, settings.levels)
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libcodecs_loops.so"))
    library.bench_pack_s.restype = ctypes.c_double
    figures = Figures("codecs", settings)
    field = turbulence(levels, 256, 256)
    samples = {}
    for _ in range(repeats):
        for kind, numbers in {"": field, ", 10 bits": rounded(field, 10)}.items():
            for name, (codec, level, shuffle, how) in WAYS.items():
                what = name + kind
                packed = ctypes.c_int64()

                def ours(threads, of=(codec, level, shuffle), data=numbers, out=packed):
                    return library.bench_pack_s(
                        of[0].encode(),
                        of[1],
                        of[2].encode(),
                        threads,
                        ctypes.c_void_p(data.ctypes.data),
                        ctypes.c_int64(data.nbytes),
                        ctypes.c_int64(4),
                        ctypes.c_int64(CHUNK),
                        ctypes.byref(out),
                    )

                one, library_s = ours(1), None
                if how is not None:
                    library_s, size = by_library(numbers, how)
                    assert 0.95 < size / packed.value < 1.05 + MEMORY_BLOCKS / packed.value, what
                two = ours(2)
                mega = numbers.nbytes / 1e6
                figures_of = {
                    "one worker": ("MB/s", mega / one),
                    "two workers / one": ("1", one / two),
                    "times smaller": ("1", numbers.nbytes / packed.value),
                }
                if library_s is not None:
                    figures_of["the library"] = ("MB/s", mega / library_s)
                    figures_of["one worker / the library"] = ("1", library_s / one)
                    figures_of["two workers / the library"] = ("1", library_s / two)
                for kind_of, (unit, value) in figures_of.items():
                    samples.setdefault((f"{what}: {kind_of}", unit), []).append(value)
    for (name, unit), values in samples.items():
        figures.add(name, unit, values)
    figures.report()


if __name__ == "__main__":
    main()

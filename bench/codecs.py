#!/usr/bin/env python3
"""Measures what codecs cost and save: MB/s, and how many times smaller the numbers become.

A field as of turbulence (random phases, a power spectrum with the slope -11/3 over wavenumbers in space), in
single precision, as it is and rounded to 10 bits, in chunks of 4 MiB. Each codec packs on one thread and on
two, as workers do, and takes turns with the netCDF library, which writes the same numbers in the same chunks
by the same filter into a file in memory, on one thread (netCDF4 for Python). Times are on the wall.

Then programs that people compress with, each on one core, from a file in memory into one in memory, and our
workers in turn with them: nccopy, cdo and grib_set where they are installed, zarr where Python has it. Their
times have reading in them, as ours have not; what they read is not compressed.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

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


def packed_by(library, codec, field):
    """Seconds of two workers, and bytes."""
    name, level, shuffle, _ = WAYS[codec]
    packed = ctypes.c_int64()
    numbers = [ctypes.c_int64(one) for one in (field.nbytes, 4, CHUNK)]
    data = ctypes.c_void_p(field.ctypes.data)
    how = (name.encode(), level, shuffle.encode(), 2)
    return library.bench_pack_s(*how, data, *numbers, ctypes.byref(packed)), packed.value


def stored(path):
    """Bytes of a file, or of all files of a folder."""
    return sum(one.stat().st_size for one in [path, *path.rglob("*")] if one.is_file())


def programs(folder):
    """Commands that compress raw.nc, by what they are called and the codec of ours that they stand beside."""
    raw, grib = folder / "raw.nc", folder / "raw.grb"
    made = {}
    if shutil.which("nccopy"):
        made["nccopy -d 4 -s", "deflate 4"] = ["nccopy", "-d", "4", "-s", raw, folder / "nccopy.nc"]
    if shutil.which("cdo"):
        words = ["cdo", "-s", "-O", "-b", "F32", "-f", "nc4", "-z", "zip_4", "copy", raw, folder / "cdo.nc"]
        made["cdo -b F32 -z zip_4", "deflate 4"] = words
    if shutil.which("cdo") and shutil.which("grib_set"):
        subprocess.run(["cdo", "-s", "-O", "-f", "grb2", "-b", "16", "copy", raw, grib], check=True)
        words = ["grib_set", "-r", "-s", "packingType=grid_ccsds", grib, folder / "ccsds.grb"]
        made["grib_set ccsds, 16 bits", "zstd 3"] = words
    return made


def by_zarr(field, folder):
    """Seconds of one thread, and bytes; None without zarr."""
    try:
        import zarr
    except ImportError:
        return None
    path = folder / "field.zarr"
    shutil.rmtree(path, ignore_errors=True)
    levels = min(max(1, CHUNK // field[0].nbytes), len(field))
    start = time.perf_counter()
    coded = [zarr.codecs.BloscCodec(cname="zstd", clevel=5, shuffle="shuffle")]
    array = zarr.create_array(
        path, shape=field.shape, dtype="f4", chunks=(levels, *field.shape[1:]), compressors=coded
    )
    array[:] = field
    return time.perf_counter() - start, stored(path)


def written_raw(field, path):
    with netCDF4.Dataset(path, "w") as dataset:
        for name, size in zip("zyx", field.shape, strict=True):
            dataset.createDimension(name, size)
        for name in "yx":  # cdo wants coordinates
            of = dataset.createVariable(name, "f8", (name,))
            of.axis, of.units, of[:] = name.upper(), "m", np.arange(dataset.dimensions[name].size)
        dataset.createVariable("w", "f4", ("z", "y", "x"), contiguous=True)[:] = field


def beside_programs(ours, fields, samples):
    """Adds what programs on one core take, and two workers of ours right after each."""
    cores = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = Path(name)
        for kind, field in fields.items():
            written_raw(field, folder / "raw.nc")
            mega = field.nbytes / 1e6
            for (what, codec), words in {**programs(folder), ("zarr", "blosc 5"): None}.items():
                os.sched_setaffinity(0, {min(cores)})
                try:
                    if words is None:
                        done = by_zarr(field, folder)
                        if done is None:
                            continue
                        seconds, size = done
                    else:
                        start = time.perf_counter()
                        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
                        seconds, size = time.perf_counter() - start, stored(Path(words[-1]))
                finally:
                    os.sched_setaffinity(0, cores)
                two, packed = ours(codec, field)
                for of, unit, value in [
                    ("rate", "MB/s", mega / seconds),
                    ("times smaller", "1", field.nbytes / size),
                    (f"two workers of {codec} / it", "1", seconds / two),
                    (f"times smaller by {codec}", "1", field.nbytes / packed),
                ]:
                    samples.setdefault((f"{what}{kind}: {of}", unit), []).append(value)


def audit(library, field, samples):
    """Adds what it takes to compare rounded numbers with those that they were, beside packing them."""
    given, there = field.astype(np.float64), rounded(field, 10)
    loss, packed = ctypes.c_double(), ctypes.c_int64()
    numbers = [ctypes.c_void_p(one.ctypes.data) for one in (given, there)]
    sizes = [ctypes.c_int64(one) for one in (field.size, CHUNK // 4)]
    seconds = library.bench_audit_s(*numbers, *sizes, ctypes.byref(loss))
    whole = 1 - there.astype(np.float64).var() / given.var()
    assert abs(loss.value - whole) < 1e-9, (loss.value, whole)
    samples.setdefault(("audit", "ns/element"), []).append(1e9 * seconds / field.size)
    for codec in ("deflate 4", "zstd 3"):
        name, level, shuffle, _ = WAYS[codec]
        how = (name.encode(), level, shuffle.encode(), 1)
        data = [ctypes.c_int64(one) for one in (there.nbytes, 4, CHUNK)]
        packing = library.bench_pack_s(*how, numbers[1], *data, ctypes.byref(packed))
        samples.setdefault((f"audit / one worker of {codec}, 10 bits", "1"), []).append(seconds / packing)


def main():
    """Measures all codecs, and reports."""
    settings = read_settings(__doc__, repeats=7, levels=64)
    repeats, levels = (1, 4) if settings.quick else (settings.repeats, settings.levels)
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libcodecs_loops.so"))
    for function in (library.bench_pack_s, library.bench_count_pairs_s, library.bench_audit_s):
        function.restype = ctypes.c_double
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
        fields = {"": field, ", 10 bits": rounded(field, 10)}
        beside_programs(lambda codec, data: packed_by(library, codec, data), fields, samples)
        kept = ctypes.c_int64()
        seconds = library.bench_count_pairs_s(
            ctypes.c_void_p(field.ctypes.data),
            ctypes.c_int64(field.nbytes),
            ctypes.c_int64(field.shape[-1]),
            ctypes.byref(kept),
        )
        samples.setdefault(("counting pairs of bits", "ns/element"), []).append(1e9 * seconds / field.size)
        samples.setdefault(("bits with 0.99 of the information", "1"), []).append(kept.value)
        audit(library, field, samples)
    for (name, unit), values in samples.items():
        figures.add(name, unit, values)
    figures.report()


if __name__ == "__main__":
    main()

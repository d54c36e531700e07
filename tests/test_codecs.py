"""Compressed files as readers of others see them, and how far rounded numbers are from what they were."""

import os
import subprocess
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from oracle.configured import file, group, include, write, writing
from oracle.kills import kill_when
from oracle.launch import Layout, environment, model_command, pileus, require_programs, run, run_model

STEPS = 12
OPTIONS = ("--size", "6,14,12", "--steps", STEPS)
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
FIELDS = '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
CODECS = {
    "deflate": 'deflate="4"',
    "zstd": 'zstd="3"',
    "zstd_unsorted": 'zstd="9" shuffle="false"',
    "blosc": 'blosc="5"',
    "blosc_bits": 'blosc="1" shuffle="bits"',
    "blosc_unsorted": 'blosc="9" shuffle="false"',
}
# The largest error of each way of rounding; relative ones are of the number.
ABSOLUTE = {"cm": ('error="absolute 0.5 cm s-1"', 0.005), "plain": ('error="absolute 1e-3"', 1e-3)}
RELATIVE = {
    "some": ('error="relative 1e-3"', 1e-3),
    "single": ('error="relative 1e-5" precision="float"', 1e-5),
}
KINDS = {"none": {"manipulation": "none"}, "means": {"manipulation": "averaged", "every": "7"}}


def configured(directory, before=""):
    files = []
    for kind, how in KINDS.items():
        files.append(file(f"plain_{kind}.nc", include("w", **how)))
        files += [file(f"{name}_{kind}.nc", include("w", **how), more=more) for name, more in CODECS.items()]
        rounded = {**ABSOLUTE, **RELATIVE}
        files += [
            file(f"rounded_{name}_{kind}.nc", include("w", **how), more=f'{more} zstd="1"')
            for name, (more, _) in rounded.items()
        ]
    return write(directory, before, group(FIELDS), writing(*files))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("codecs")
    return run_model(ALONE, configured(directory), directory / "out", *OPTIONS)


def values(path, name="w"):
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_mask(False)
        return dataset[name][:]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("codec", CODECS)
def test_netcdf4_reads_what_each_codec_made(codec, kind, files):
    found = values(files[f"{codec}_{kind}_1000.nc"])

    assert found.size > 1000
    assert np.array_equal(found, values(files[f"plain_{kind}_1000.nc"]))
    with netCDF4.Dataset(files[f"{codec}_{kind}_1000.nc"]) as dataset:
        filters = dataset["w"].filters()
    used = "zlib" if codec == "deflate" else codec.split("_")[0]
    assert filters[used]
    assert filters["shuffle"] == (codec in ("deflate", "zstd"))


def sorted_back(data, size):
    """The elements whose first bytes come first, then the second ones, and so on."""
    return np.frombuffer(data, np.uint8).reshape(size, -1).T.tobytes()


def test_the_frames_of_zstd_are_those_of_its_own_program(files):
    plain = values(files["plain_none_1000.nc"])
    with h5py.File(files["zstd_none_1000.nc"]) as opened:
        chunks = opened["w"].chunks
        assert chunks == (1, *plain.shape[1:])
        for record in range(len(plain)):
            mask, frame = opened["w"].id.read_direct_chunk((record, 0, 0, 0))
            done = subprocess.run(
                ["zstd", "-d", "-c"], input=frame, capture_output=True, timeout=60, check=True
            )
            assert mask == 0
            assert sorted_back(done.stdout, 8) == plain[record].tobytes()


PLUGINS = Path("/usr/lib/x86_64-linux-gnu/hdf5/serial/plugins")


@pytest.mark.skipif(not (PLUGINS / "libH5Zblosc.so").exists(), reason="no hdf5-filter-plugin-blosc-serial")
@pytest.mark.parametrize("codec", [name for name in CODECS if "blosc" in name])
def test_ncdump_reads_blosc_with_the_filter_of_debian(codec, files):
    def dumped(path):
        known = os.environ | {"HDF5_PLUGIN_PATH": str(PLUGINS)}
        done = subprocess.run(
            ["ncdump", "-p", "9,17", "-v", "w", path],
            capture_output=True,
            text=True,
            timeout=60,
            env=known,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout[done.stdout.index("data:") :]

    assert dumped(files[f"{codec}_none_1000.nc"]) == dumped(files["plain_none_1000.nc"])


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_no_further_from_what_they_were_than_was_said(kind, files):
    plain = values(files[f"plain_{kind}_1000.nc"])
    assert np.abs(plain).min() > 0
    for name, (_, most) in ABSOLUTE.items():
        path = files[f"rounded_{name}_{kind}_1000.nc"]
        found = values(path)
        with netCDF4.Dataset(path) as dataset:
            step = dataset["w"].rounded_to_multiples_of
        error = np.abs(found - plain).max()
        assert most / 10 < error <= most
        assert np.frexp(step)[0] == 0.5 and step <= 2 * most < 2 * step
        assert not np.fmod(found, step).any()
    for name, (_, most) in RELATIVE.items():
        path = files[f"rounded_{name}_{kind}_1000.nc"]
        error = (np.abs(values(path) - plain) / np.abs(plain)).max()
        assert most / 10 < error <= most
        with netCDF4.Dataset(path) as dataset:
            w = dataset["w"]
            bits = w._QuantizeBitRoundNumberOfSignificantBits
            assert w.quantization_nsb == bits and w.quantization_maximum_relative_error == 2.0 ** -(bits + 1)
            assert dataset[w.getncattr("quantization")].algorithm == "bitround"
            assert dataset[w.getncattr("quantization")].implementation == "Pileus"
        assert 2.0 ** -(bits + 1) <= most < 2.0**-bits


def test_fewer_bits_make_smaller_files(files):
    def stored(path):
        with h5py.File(path) as opened:
            return opened["w"].id.get_storage_size()

    plain = stored(files["plain_none_1000.nc"])
    assert stored(files["rounded_some_none_1000.nc"]) < stored(files["zstd_none_1000.nc"]) < plain
    assert stored(files["rounded_cm_none_1000.nc"]) < stored(files["zstd_none_1000.nc"])


def wrong_in(published, wanted):
    assert sorted(published) == sorted(wanted)
    return [name for name, path in wanted.items() if path.read_bytes() != published[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_codecs_make_the_same_bytes_in_every_layout(layout, files, tmp_path):
    published = run_model(layout, configured(tmp_path), tmp_path / "out", *OPTIONS)

    assert not wrong_in(published, files)


@pytest.mark.parametrize("first, second", [(0, 1), (1, 3), (3, 0)])
def test_codecs_make_the_same_bytes_after_a_kill(first, second, files, tmp_path):
    path = configured(tmp_path)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(LAYOUTS[first], path, directory, *OPTIONS, "--checkpoint-every", 3)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    done = run(model_command(LAYOUTS[second], path, directory, *OPTIONS, "--continue"), "continued")

    assert done.returncode == 0, done.stderr
    assert not wrong_in({one.name: one for one in directory.glob("*.nc")}, files)


MISTAKES = {
    'deflate="1" zstd="2"': "has both deflate and zstd: give one of them",
    'error="relative 1e-3" significant_bits="8"': "has both error and significant_bits: give one of them",
    'error="absolut 0.1"': 'expected "absolute 0.01 K" or "relative 1e-4"; did you mean "absolute"?',
    'error="0.1"': 'expected "absolute 0.01 K" or "relative 1e-4"',
    'error="absolute"': 'expected "absolute 0.01 K" or "relative 1e-4"',
    'error="absolute -1"': "expected an error from 1e-300 to 1e300",
    'error="relative 1e-3 K"': "a relative error has no units",
    'error="relative 0.5"': "expected a relative error above 0, of at most 0.25",
    'error="absolute 0.1 kg"': 'error in "kg"',
    'zstd="1" shuffle="bits"': "zstd does not sort bits",
    'zstd="10"': "expected a whole number from 0 to 9",
    'zst="1"': 'did you mean "zstd"?',
}


@pytest.mark.parametrize("more", MISTAKES)
def test_mistakes_are_named(more, tmp_path):
    path = write(tmp_path, group(FIELDS), writing(file("w.nc", include("w"), more=more)))
    done = pileus("check", path)

    assert done.returncode == 1
    assert MISTAKES[more] in done.stdout, done.stdout
    assert done.stdout.count("error:") == 1, done.stdout


def test_zero_of_another_codec_undoes_that_of_the_file(tmp_path):
    require_programs()
    inside = include("w", more='deflate="0"')
    path = write(tmp_path, group(FIELDS), writing(file("w.nc", inside, more='zstd="3"')))
    (published,) = run_model(ALONE, path, tmp_path / "out", *OPTIONS).values()

    with h5py.File(published) as opened:
        assert opened["w"].compression is None and opened["w"].id.get_create_plist().get_nfilters() == 0

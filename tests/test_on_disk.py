"""How files lie on the disk: the size of writes changes nothing, alignment the places of large chunks alone,
and stripes are what lfs is told."""

import os

import h5py
import netCDF4
import numpy as np
import pytest
from oracle.configured import file, group, handling, include, write, writing
from oracle.launch import Layout, model_command, pileus, require_programs, run

OPTIONS = ("--size", "12,60,50", "--steps", 6)
LAYOUTS = [Layout(is_alone=True), Layout(3, 2, 2, True), Layout(6, 3)]
FIELDS = '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
KINDS = {"plain": "", "turned": 'order="time,x,y,z" precision="float"', "packed": 'deflate="1"'}


def configured(directory, more, period=1000):
    files = [
        file(f"{name}.nc", include("w", "path"), period=period, more=f"{said} {more}")
        for name, said in KINDS.items()
    ]
    path = handling('<diagnostic field="path" expression="sum[z](w) / 7"/>')
    return write(directory, group(FIELDS), path, writing(*files))


def run_all(layout, path, directory, **changes):
    directory.mkdir()
    done = run(model_command(layout, path, directory, *OPTIONS), str(layout), **changes)
    assert done.returncode == 0, done.stderr
    return {one.name: one for one in directory.glob("*.nc")}, done.stderr


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("plain")
    return run_all(LAYOUTS[0], configured(directory, ""), directory / "out")[0]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("size", ["4 KiB", "5000", "64 MiB"])
def test_the_size_of_writes_changes_no_byte(size, layout, plain, tmp_path):
    found, _ = run_all(layout, configured(tmp_path, f'write_size="{size}"'), tmp_path / "out")
    for name, path in plain.items():
        # The configuration, and its hash, are in the file.
        assert same_but_for_the_configuration(found[name], path), name


def same_but_for_the_configuration(one, other):
    """Values, where they lie, and all attributes but those of the configuration."""
    with h5py.File(one) as a, h5py.File(other) as b:
        if list(a) != list(b):
            return False
        return all(np.array_equal(a[name][()], b[name][()]) and lies(a[name]) == lies(b[name]) for name in a)


def lies(dataset):
    if dataset.chunks is None:
        return dataset.shape
    found = [dataset.id.get_chunk_info(i) for i in range(dataset.id.get_num_chunks())]
    return [(one.chunk_offset, one.size) for one in found]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_files_of_one_size_of_writes_are_the_same_in_every_layout(layout, tmp_path):
    path = configured(tmp_path, 'write_size="20 KiB" align="128 KiB"')
    wanted, _ = run_all(LAYOUTS[1], path, tmp_path / "wanted")
    found, _ = run_all(layout, path, tmp_path / "found")
    assert sorted(found) == sorted(wanted)
    for name, one in wanted.items():
        assert one.read_bytes() == found[name].read_bytes(), name


@pytest.mark.parametrize("align", [4096, 65536, 1 << 18])
def test_large_chunks_begin_at_multiples(align, plain, tmp_path):
    found, _ = run_all(LAYOUTS[1], configured(tmp_path, f'align="{align}"'), tmp_path / "out")
    for name, path in found.items():
        with h5py.File(path) as opened, h5py.File(plain[name]) as before:
            aligned = 0
            for variable in ("w", "path"):
                assert np.array_equal(opened[variable][()], before[variable][()])
                dataset = opened[variable]
                for i in range(dataset.id.get_num_chunks()):
                    chunk = dataset.id.get_chunk_info(i)
                    if chunk.size >= max(align, 65536):
                        assert chunk.byte_offset % align == 0, (name, variable, i)
                        aligned += 1
            assert aligned > 0 or align > 65536 or name.startswith("packed")


def fake_lfs(directory, script):
    """An lfs that writes its arguments into a file before it does what `script` says."""
    folder = directory / "bin"
    folder.mkdir()
    program = folder / "lfs"
    program.write_text(f'#!/bin/sh\necho "$@" >> {directory}/asked\n{script}\n')
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "PILEUS_LUSTRE": "yes"}


def asked(directory):
    path = directory / "asked"
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


STRIPES = 'stripe_count="3" stripe_size="128 KiB"'


def test_stripes_are_said_of_each_file_before_it_is_written(plain, tmp_path):
    # What it makes is empty, and stays the same file.
    script = f'for last; do :; done\n: > "$last"\nls -i "$last" >> {tmp_path}/made'
    changes = fake_lfs(tmp_path, script)
    found, said = run_all(LAYOUTS[1], configured(tmp_path, STRIPES, period=4), tmp_path / "out", **changes)
    assert "lfs" not in said
    lines = asked(tmp_path)
    assert len(lines) == len(found)
    for line in lines:
        assert line[:5] == ["setstripe", "-c", "3", "-S", "131072"] and len(line) == 6
    made = {int(line.split()[0]) for line in (tmp_path / "made").read_text().splitlines()}
    assert made == {path.stat().st_ino for path in found.values()}
    with h5py.File(found["plain_4.nc"]) as opened:
        chunk = opened["w"].id.get_chunk_info(0)
        assert chunk.size < 131072 or chunk.byte_offset % 131072 == 0


def test_all_disks_are_a_count(tmp_path):
    changes = fake_lfs(tmp_path, 'for last; do :; done\n: > "$last"')
    run_all(LAYOUTS[1], configured(tmp_path, 'stripe_count="all"'), tmp_path / "out", **changes)
    assert asked(tmp_path) and all(line[:3] == ["setstripe", "-c", "-1"] for line in asked(tmp_path))


def test_stripes_of_parts_and_of_stores(tmp_path):
    changes = fake_lfs(tmp_path, 'for last; do :; done\n[ -d "$last" ] || : > "$last"')
    files = [
        file("w.nc", include("w"), more=f'{STRIPES} parts="server"'),
        file("w.zarr", include("w"), more=f'{STRIPES} zstd="1"'),
    ]
    (tmp_path / "out").mkdir()
    path = write(tmp_path, group(FIELDS), writing(*files))
    done = run(model_command(Layout(6, 3), path, tmp_path / "out", *OPTIONS), "stripes", **changes)
    assert done.returncode == 0, done.stderr
    names = [line[-1] for line in asked(tmp_path)]
    assert sum(".parts/" in name for name in names) == 3
    assert sum(".zarr" in name for name in names) == 1 and len(names) == 5


@pytest.mark.parametrize(
    "script, why",
    [("exit 3", "it ended with status 3"), ("kill -9 $$", "by a signal"), ("exec sleep 100", "did not end")],
)
def test_an_lfs_that_fails_is_said_once(script, why, plain, tmp_path):
    changes = fake_lfs(tmp_path, script)
    path = configured(tmp_path, 'stripe_count="2"', period=2)
    found, said = run_all(LAYOUTS[0], path, tmp_path / "out", **changes)
    assert len(found) > len(plain)
    assert said.count("lfs setstripe") == 1 and why in said, said
    assert len(asked(tmp_path)) == 1
    with netCDF4.Dataset(found["plain_2.nc"]) as one, netCDF4.Dataset(plain["plain_1000.nc"]) as whole:
        assert np.array_equal(one["w"][:], whole["w"][: len(one["time"])])


def test_without_lustre_nobody_is_asked(tmp_path):
    changes = fake_lfs(tmp_path, "exit 1") | {"PILEUS_LUSTRE": "no"}
    _, said = run_all(LAYOUTS[1], configured(tmp_path, STRIPES), tmp_path / "out", **changes)
    assert not asked(tmp_path) and "lfs" not in said


def test_explain_says_how_files_lie(tmp_path):
    path = configured(tmp_path, f'{STRIPES} write_size="2 MiB" parts="server"')
    directory = tmp_path / "out"
    directory.mkdir()
    model = tmp_path / "model.json"
    command = model_command(LAYOUTS[1], path, directory, *OPTIONS)
    done = run(command, "described run", PILEUS_DESCRIBE_MODEL=str(model))
    assert done.returncode == 0, done.stderr
    told = pileus("explain", path, "--model", model, "--servers", 2, "--steps", 6, "--timestep", 2)
    assert told.returncode == 0, told.stderr
    chosen = ("writes of up to 2 MiB (write_size)", "multiples of 128 KiB (stripe_size)")
    for words in (*chosen, "3 stripes of 128 KiB", "a file of its own"):
        assert words in told.stdout, told.stdout

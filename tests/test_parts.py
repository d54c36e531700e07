"""Files of which each server writes a part of its own: readers find in the file that refers to them what they
would find in one file, in every layout and after kills."""

import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
import xarray
from oracle.configured import file, group, handling, include, write, writing
from oracle.kills import kill_when
from oracle.launch import Layout, environment, model_command, pileus, require_programs, run

STEPS = 14
OPTIONS = ("--size", "6,14,12", "--steps", STEPS)
ALONE = Layout(is_alone=True)
LAYOUTS = [
    ALONE,
    Layout(3, 2, 2, True),
    Layout(4, 3, 1, True),
    Layout(6, 1),
    Layout(5, 3, 2),
    Layout(2, is_uneven=True),
    Layout(6, 3, how="total"),
]
FIELDS = (
    '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
    '<field name="ground" size="y,x" collective="true"/>'
    '<field name="bottom" size="z,y,x" collective="true" static="true"/>'
)
MADE = {
    "path": "sum[z](w) / 7",
    "holes": "where(mod(w, 7) < 2, log(0 - 1 - abs(w)), 270 + 0.37 * w)",
    "profile": "mean[x,y](w)",
}
# name: what is said of it beside parts, and how long a file is
KINDS = {
    "plain": ('precision="double"', 1000),
    "deflated": ('precision="float" deflate="2"', 1000),
    "packed": ('precision="float" zstd="1" shuffle="false"', 5),
    "blosc": ('blosc="1"', 1000),
    "short": ('precision="float"', 4),
}


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def made():
    return handling("".join(f'<diagnostic field="{n}" expression="{escaped(t)}"/>' for n, t in MADE.items()))


def configured(directory, parts="server", more=""):
    mean = include("w", manipulation="averaged", every=3, more='name="w_mean"')
    content = include("w", *MADE) + mean
    files = [
        file(f"{name}.nc", content, period=period, more=f'{said} {more} parts="{parts}"')
        for name, (said, period) in KINDS.items()
    ]
    kept = FIELDS.split("/>")[0] + "/>"
    return write(directory, group(kept), made(), writing(*files), name=f"{parts}.xml")


def read(path):
    """All that readers find in a file: dimensions, attributes, values."""
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_mask(False)
        found = {name: np.ascontiguousarray(dataset[name][:]) for name in dataset.variables}
        said = {
            name: (one.dtype.str, one.dimensions, {key: str(one.getncattr(key)) for key in one.ncattrs()})
            for name, one in dataset.variables.items()
        }
        sizes = {name: (len(one), one.isunlimited()) for name, one in dataset.dimensions.items()}
        return found, said, sizes


def differences(found, wanted):
    wrong = [f"{a} != {b}" for a, b in zip(found[1:], wanted[1:], strict=True) if a != b]
    for name, values in wanted[0].items():
        if name not in found[0] or not np.array_equal(found[0][name], values, equal_nan=True):
            wrong.append(name)
    return wrong + sorted(set(found[0]) - set(wanted[0]))


def run_all(layout, path, directory, *more):
    directory.mkdir(exist_ok=True)
    done = run(model_command(layout, path, directory, *OPTIONS, *more), str(layout))
    assert done.returncode == 0, done.stderr
    return views(directory)


def views(directory):
    return {path.name: path for path in sorted(directory.glob("*.nc"))}


def referred(path):
    """The files that a file refers to, which are all there."""
    found = set()
    with h5py.File(path) as opened:
        for one in opened.values():
            if one.is_virtual:
                found |= {source.file_name for source in one.virtual_sources()}
    assert all((path.parent / name).is_file() for name in found), found
    return {path.parent / name for name in found}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("whole")
    files = run_all(ALONE, configured(directory, "one"), directory / "out")
    assert not list((directory / "out").glob("*.parts"))
    return {name: read(path) for name, path in files.items()}


def wrong_in(files, whole):
    assert sorted(files) == sorted(whole)
    found = {name: differences(read(path), whole[name]) for name, path in files.items()}
    return {name: wrong for name, wrong in found.items() if wrong}


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_readers_find_what_is_in_one_file(layout, whole, tmp_path):
    files = run_all(layout, configured(tmp_path), tmp_path / "out")
    assert not wrong_in(files, whole)
    for name, path in files.items():
        parts = referred(path)
        servers = layout.servers or (1 if layout.is_alone else layout.ranks)
        # One server compresses what is one chunk.
        compresses = not name.startswith(("plain", "short"))
        assert len(parts) == servers or (compresses and 1 <= len(parts) <= servers), name
        assert parts == set((path.parent / f"{path.stem}.parts").iterdir())
    left = [one for one in (tmp_path / "out").iterdir() if one.suffix not in (".nc", ".parts")]
    assert not left


def output_of(*command):
    done = subprocess.run(
        [str(one) for one in command], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def files(whole, tmp_path_factory):
    directory = tmp_path_factory.mktemp("parts")
    return run_all(Layout(4, 3, 1, True), configured(directory), directory / "out")


@pytest.mark.parametrize("name", ["plain_1000.nc", "deflated_1000.nc"])
def test_tools_read_what_is_in_parts(name, whole, files, tmp_path, monkeypatch):
    path, wanted = files[name], whole[name][0]["w"]
    monkeypatch.chdir(tmp_path)  # names of parts count from the file, not from here
    for engine in ("netcdf4", "h5netcdf"):
        with xarray.open_dataset(path, decode_times=False, engine=engine) as dataset:
            assert np.array_equal(dataset["w"].values, wanted)
            assert np.array_equal(dataset["w"][3, 1:4].values, wanted[3, 1:4])
    text = output_of("ncdump", "-v", "w", "-p", "9,17", path)
    numbers = text[text.rindex("w =") + 3 :].split(";")[0]
    assert np.array_equal(np.array(numbers.split(","), wanted.dtype), wanted.ravel())
    copied = tmp_path / "cdo.nc"
    output_of("cdo", "-s", "copy", "-selname,w", path, copied)
    assert np.array_equal(read(copied)[0]["w"], wanted)
    copied = tmp_path / "nco.nc"
    output_of("ncks", "-6", "-v", "w", path, copied)
    assert np.array_equal(read(copied)[0]["w"], wanted)


def test_nccopy_makes_one_file(whole, files, tmp_path):
    for name in ("plain_1000.nc", "packed_5.nc"):
        copied = tmp_path / name
        output_of("nccopy", "-d1", files[name], copied)
        assert not referred(copied)
        assert not differences(read(copied), whole[name])


def test_a_folder_that_is_moved_is_read(whole, files, tmp_path):
    moved = tmp_path / "there"
    moved.mkdir()
    for one in ("plain_1000.nc", "plain_1000.parts"):
        output_of("cp", "-r", files["plain_1000.nc"].parent / one, moved)
    assert not differences(read(moved / "plain_1000.nc"), whole["plain_1000.nc"])


def test_parts_are_files_of_hdf5(files):
    for name in ("plain_1000.nc", "deflated_1000.nc", "blosc_1000.nc"):
        for part in referred(files[name]):
            with h5py.File(part) as opened:
                assert len(opened) > 0
                for dataset in opened.values():
                    assert dataset.shape[0] > 0 and dataset.chunks[0] == 1
                    chunks = [dataset.id.get_chunk_info(i) for i in range(dataset.id.get_num_chunks())]
                    assert [one.chunk_offset[0] for one in chunks] == list(range(dataset.shape[0]))


@pytest.mark.parametrize("first, second, every", [(1, 2, 3), (2, 5, 1), (5, 1, 5), (3, 4, 4), (4, 6, 2)])
def test_readers_find_the_same_after_a_kill(first, second, every, whole, tmp_path):
    path = configured(tmp_path)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(LAYOUTS[first], path, directory, *OPTIONS, "--checkpoint-every", every)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    for early in views(directory).values():
        referred(early)  # what has its name is whole
    done = run(model_command(LAYOUTS[second], path, directory, *OPTIONS, "--continue"), "continued")

    assert done.returncode == 0, done.stderr
    assert not wrong_in(views(directory), whole)
    for one in views(directory).values():
        referred(one)


def test_a_run_that_is_killed_twice_goes_on(whole, tmp_path):
    path = configured(tmp_path)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"
    for number, layout in enumerate(LAYOUTS[1:4]):

        def kept(number=number):
            return len(list(directory.glob("pileus-checkpoints/step-*/manifest"))) > 0 and any(
                one for one in directory.glob(f"*.parts/*-{number}.nc")
            )

        go_on = ["--continue"] if number > 0 else []
        words = model_command(layout, path, directory, *OPTIONS, "--checkpoint-every", 2, *go_on)
        assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    done = run(model_command(LAYOUTS[4], path, directory, *OPTIONS, "--continue"), "continued")

    assert done.returncode == 0, done.stderr
    assert not wrong_in(views(directory), whole)
    for one in views(directory).values():
        referred(one)


def test_a_file_that_is_replaced_takes_its_parts_along(whole, tmp_path):
    path = configured(tmp_path, more='overwrite="true"')
    for layout in (LAYOUTS[1], LAYOUTS[2]):
        files = run_all(layout, path, tmp_path / "out")
        assert not wrong_in(files, whole)
        for one in files.values():
            assert referred(one) == set((one.parent / f"{one.stem}.parts").iterdir())


def test_clean_removes_parts_that_no_file_and_no_checkpoint_needs(tmp_path):
    content = include("w") + include("w", manipulation="averaged", every=3, more='name="w_mean"')
    files = writing(file("w.nc", content, more='parts="server"'))
    path = write(tmp_path, group(FIELDS.split("/>")[0] + "/>"), files)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def begun():
        return list(directory.glob("w_1000.parts/*.nc"))

    words = model_command(LAYOUTS[1], path, directory, *OPTIONS)
    assert kill_when(begun, words, environment(), log) in (None, 0), log.read_text()
    killed = set(begun())
    (view,) = run_all(LAYOUTS[2], path, directory).values()
    needed = referred(view)
    assert killed and not killed & needed
    run_id = next(iter(killed)).name.split(".")[1].split("-")[0]
    torn = directory / f".w_1000.nc.{run_id}-0.part"  # as a kill leaves it while its owner defines it
    torn.write_bytes(b"\211HDF\r\n\032\n" + bytes(100))
    before = set(directory.rglob("*"))
    (directory / "w_1000.parts" / "notes.nc").write_text("of somebody else")

    done = pileus("clean", directory, "--yes", "--idle-hours", 0)

    assert done.returncode == 0, done.stdout + done.stderr
    left = before - set(directory.rglob("*"))
    assert killed | {torn} <= left and not needed & left and view not in left
    assert (directory / "w_1000.parts" / "notes.nc").is_file()
    referred(view)


def test_clean_says_which_parts_are_gone(tmp_path):
    files = writing(*(file(f"{name}.nc", include("w"), more='parts="server"') for name in ("u", "w")))
    path = write(tmp_path, group(FIELDS.split("/>")[0] + "/>"), files)
    views = run_all(LAYOUTS[1], path, tmp_path / "out")
    gone = sorted(referred(views["w_1000.nc"]))[0]
    gone.unlink()

    done = pileus("clean", tmp_path / "out", "--dry-run", "--idle-hours", 0)

    assert f"{views['w_1000.nc']}: lacks w_1000.parts/{gone.name}, and readers find _FillValue" in done.stdout
    assert done.stdout.count("lacks") == 1, done.stdout


def test_clean_keeps_parts_that_a_checkpoint_needs(whole, tmp_path):
    path = configured(tmp_path)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(LAYOUTS[1], path, directory, *OPTIONS, "--checkpoint-every", 4)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    done = pileus("clean", directory, "--yes", "--idle-hours", 0)
    assert done.returncode in (0, 1), done.stderr
    done = run(model_command(LAYOUTS[2], path, directory, *OPTIONS, "--continue"), "continued")
    assert done.returncode == 0, done.stderr
    assert not wrong_in(views(directory), whole)


def test_a_continuation_says_which_part_is_gone(tmp_path):
    path = configured(tmp_path)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(LAYOUTS[1], path, directory, *OPTIONS, "--checkpoint-every", 4)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    gone = sorted(directory.glob("plain_1000.parts/*.nc"))[0]
    gone.unlink()
    done = run(model_command(LAYOUTS[2], path, directory, *OPTIONS, "--continue"), "continued")
    assert done.returncode != 0
    assert f"{gone.name}: could not continue plain_1000.nc" in done.stderr, done.stderr


LARGE = ("--size", "6,700,400", "--steps", 3)


@pytest.mark.parametrize("said", ["", 'deflate="1"', 'precision="float" order="time,z,x,y"'])
def test_several_servers_compress_chunks_of_a_record(said, tmp_path):
    """A record of 13 MB is cut into chunks of at most 4 MiB."""
    paths = {
        parts: write(
            tmp_path,
            group(FIELDS.split("/>")[0] + "/>"),
            writing(file("w.nc", include("w"), more=f'{said} parts="{parts}"')),
            name=f"{parts}.xml",
        )
        for parts in ("one", "server")
    }
    found = {}
    for parts, layout in {"one": ALONE, "server": Layout(6, 3, 2, True)}.items():
        (tmp_path / parts).mkdir()
        done = run(model_command(layout, paths[parts], tmp_path / parts, *LARGE), str(layout))
        assert done.returncode == 0, done.stderr
        found[parts] = read(tmp_path / parts / "w_1000.nc")
    assert not differences(found["server"], found["one"])
    assert len(referred(tmp_path / "server" / "w_1000.nc")) >= 2
    with h5py.File(tmp_path / "server" / "w_1000.nc") as opened:
        assert len(opened["w"].virtual_sources()) >= 3


MISTAKES = {
    'write_size="2 KiB"': "expected 4 KiB to 64 MiB",
    'write_size="1 GiB"': "expected 4 KiB to 64 MiB",
    'write_size="large"': "expected a positive number of bytes",
    'align="3 MiB"': "expected a power of two, such as 2 MiB",
    'align="512"': "expected 4 KiB to 64 MiB",
    'stripe_count="0"': "expected a number of stripes",
    'stripe_count="many"': "expected a number of stripes",
    'stripe_size="100 KiB"': "a stripe of Lustre is a multiple of 64 KiB",
    'stripe_size="4 KiB"': "expected 64 KiB to",
    'parts="servers"': 'did you mean "server"?',
    'parts="server" keep="newest"': "readers would lose the parts",
    'parts="server" zstd="1" write_if="rms 1"': "write_if with parts",
    'parts="server" zstd="1" precision_from="information 0.99"': "precision_from with parts",
    'wirte_size="1 MiB"': 'did you mean "write_size"?',
}


@pytest.mark.parametrize("more", MISTAKES)
def test_mistakes_are_named(more, tmp_path):
    path = write(tmp_path, group(FIELDS), writing(file("w.nc", include("w"), more=more)))
    done = pileus("check", path)

    assert done.returncode == 1
    assert MISTAKES[more] in done.stdout, done.stdout
    assert "1 error\n" in done.stdout, done.stdout


@pytest.mark.parametrize("said", ['parts="server"', 'align="1 MiB"'])
@pytest.mark.parametrize("name", ["w.zarr", "w.grib2"])
def test_other_formats_say_that_they_have_none(said, name, tmp_path):
    path = write(tmp_path, group(FIELDS), writing(file(name, include("w"), more=f'zstd="1" {said}')))
    done = pileus("check", path)
    assert done.returncode == 1
    assert f"has {said}: " in done.stdout, done.stdout

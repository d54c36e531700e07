"""Files that few servers write, each a slab of every record: the bytes are those of one server, which are
those of servers that each write what they have, in every layout, after kills, and where model ranks end."""

import json
import re

import h5py
import numpy as np
import pytest
from oracle.configured import file, group, handling, include, write, writing
from oracle.kills import kill_when
from oracle.launch import Layout, environment, model_command, pileus, require_programs, run
from test_on_disk import lies

STEPS = 14
# A record of w has 328 kB, as much as five slabs; one of doubles.
SIZE = "8,64,80"
OPTIONS = ("--size", SIZE, "--steps", STEPS)
ALONE = Layout(is_alone=True)
LAYOUTS = [
    Layout(2, 2),
    Layout(3, 2, 2, True),
    Layout(4, 3, 1, True),
    Layout(6, 1),
    Layout(6, 4, 2),
    Layout(5, 4, 1, True),
    Layout(1, 1),
    Layout(3),
    Layout(4, is_uneven=True),
    Layout(6, 3, how="total"),
]
FIELDS = (
    '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
    '<field name="path" size="y,x" collective="true"/>'
)
MADE = {
    "half": "w / 2 + 1",
    "holes": "where(mod(w, 7) > 3, log(0 - 1 - abs(w)), 270 + 0.37 * w)",
    "column": "sum[z](w) / 7",
    "profile": "mean[x,y](w)",
}
# What is said of a file, and how long it is.
KINDS = {
    "one.nc": ('writers="1" precision="double"', 1000),
    "two.nc": ('writers="2" precision="float" order="time,z,x,y"', 4),
    "three.nc": ('writers="3" precision="double" order="time,x,y,z" write_size="20 KiB"', 1000),
    "four.nc": ('writers="4" error="absolute 0.01 m s-1"', 1000),
    "many.nc": ('writers="99" align="64 KiB"', 5),
    "auto.nc": ('writers="auto" precision="float"', 1000),
    "store.zarr": ('writers="2" precision="float"', 6),
}


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def configured(directory, writers=None):
    """All kinds of files; `writers`: the same of each."""
    made = handling("".join(f'<diagnostic field="{n}" expression="{escaped(t)}"/>' for n, t in MADE.items()))
    more = include("w", manipulation="averaged", every=3, more='name="w_mean" deflate="1"')
    more += include("column", manipulation="maximum", every=5, more='name="column_max"')
    files = []
    for name, (said, period) in KINDS.items():
        content = include("w", "profile") if name == "four.nc" else include("w", "path", *MADE) + more
        if name.endswith(".zarr"):
            content = content.replace("deflate", "zstd")
        if writers:
            said = re.sub('writers="[^"]*"', f'writers="{writers}"', said)
        files.append(file(name, content, period=period, more=said))
    return write(directory, group(FIELDS), made, writing(*files), name=f"{writers}.xml")


def bytes_of(path):
    if path.is_file():
        return path.read_bytes()
    return {str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()}


def published(directory):
    return {path.name: path for path in sorted(directory.iterdir()) if path.suffix in (".nc", ".zarr")}


def run_all(layout, path, directory, *more, **changes):
    directory.mkdir(exist_ok=True)
    done = run(model_command(layout, path, directory, *OPTIONS, *more), str(layout), **changes)
    assert done.returncode == 0, done.stderr
    return published(directory)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The files of one server."""
    require_programs()
    directory = tmp_path_factory.mktemp("whole")
    return run_all(ALONE, configured(directory), directory / "out")


@pytest.fixture(scope="module")
def expected(whole):
    return {name: bytes_of(path) for name, path in whole.items()}


def wrong_in(files, expected):
    assert sorted(files) == sorted(expected)
    return [name for name, path in files.items() if bytes_of(path) != expected[name]]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_the_bytes_are_those_of_one_server(layout, expected, tmp_path):
    assert len(expected) > len(KINDS)
    files = run_all(layout, configured(tmp_path), tmp_path / "out")
    assert not wrong_in(files, expected)
    left = [one for one in (tmp_path / "out").iterdir() if one.suffix not in (".nc", ".zarr")]
    assert not left


def test_they_are_those_of_servers_that_write_what_they_have(whole, tmp_path):
    files = run_all(LAYOUTS[2], configured(tmp_path, "all"), tmp_path / "out")
    assert sorted(files) == sorted(whole)
    for name, path in files.items():
        if path.suffix == ".zarr":
            continue
        with h5py.File(path) as one, h5py.File(whole[name]) as other:
            assert list(one) == list(other)
            for variable in one:
                # The configuration is in the file too, and its text is another.
                assert one[variable][()].tobytes() == other[variable][()].tobytes(), (name, variable)
                assert lies(one[variable]) == lies(other[variable]), (name, variable)


def test_few_servers_write_and_others_send_to_them(tmp_path):
    """Placements go to those who write."""
    content = include("w", "half")
    counts = {}
    for writers in ("all", 1, 2, 3):
        path = write(tmp_path, group(FIELDS), handling('<diagnostic field="half" expression="w / 2"/>'),
                     writing(file("w.nc", content, more=f'writers="{writers}"')))
        report = tmp_path / f"{writers}.json"
        run_all(Layout(4, 4), path, tmp_path / f"out {writers}", PILEUS_REPORT=str(report))
        servers = json.loads(report.read_text())["servers"]
        counts[writers] = [sum(server["to_servers"].get(kind, {}).get("messages", 0) for server in servers)
                           for kind in ("placement", "part")]
    placements = {writers: placed for writers, (placed, _) in counts.items()}
    assert placements == {"all": 3, 1: 0, 2: 1, 3: 2}, counts
    assert counts["all"][1] == 0 and all(counts[writers][1] > 0 for writers in (1, 2, 3)), counts


@pytest.mark.parametrize("first, second, every", [(1, 2, 3), (2, 4, 1), (4, 3, 5), (8, 5, 4), (5, 7, 2)])
def test_the_bytes_are_the_same_after_a_kill(first, second, every, expected, tmp_path):
    path = configured(tmp_path)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(LAYOUTS[first], path, directory, *OPTIONS, "--checkpoint-every", every)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    done = run(model_command(LAYOUTS[second], path, directory, *OPTIONS, "--continue"), "continued")

    assert done.returncode == 0, done.stderr
    assert not wrong_in(published(directory), expected)


def test_what_a_rank_that_ends_early_lacks_is_filled_alike(tmp_path):
    files = [file(f"{n}.nc", include("w", "path"), more=f'writers="{n}"') for n in ("all", 1, 2, 4)]
    path = write(tmp_path, group(FIELDS), writing(*files))
    found = {}
    for servers in (1, 2, 4):
        directory = tmp_path / str(servers)
        directory.mkdir()
        run(model_command(Layout(4, servers), path, directory, *OPTIONS, "--leave", 5), f"{servers} servers")
        found[servers] = {name: bytes_of(one) for name, one in published(directory).items()}
    assert len(found[1]) == 4
    assert found[1] == found[2] == found[4]
    with h5py.File(tmp_path / "4" / "4_1000.nc") as opened:
        assert "model rank 1" in str(opened.attrs["missing_parts"])
        assert np.any(opened["w"][:] > 9e36)


def explained(tmp_path, more, servers=4, size=SIZE):
    path = write(tmp_path, group(FIELDS), writing(file("w.nc", include("w", "path"), more=more)))
    directory, model = tmp_path / "out", tmp_path / "model.json"
    directory.mkdir(exist_ok=True)
    command = model_command(Layout(4, 2), path, directory, "--size", size, "--steps", 2)
    done = run(command, "described run", PILEUS_DESCRIBE_MODEL=str(model))
    assert done.returncode == 0, done.stderr
    words = ["explain", path, "--model", model, "--servers", servers, "--steps", 4, "--timestep", 2]
    told, as_json = pileus(*words), pileus(*words, "--json")
    assert told.returncode == as_json.returncode == 0, told.stderr + as_json.stderr
    return told.stdout, json.loads(as_json.stdout)


def test_explain_says_who_writes_how_much(tmp_path):
    text, as_json = explained(tmp_path, 'writers="2" precision="double"')
    assert "written by 2 of 4 servers (writers), in slabs of up to 160 KiB" in text, text
    assert "slabs of a record, on their way" in text
    assert [(one["writers"], one["slab_bytes"]) for one in as_json["files"]] == [(2, 160 * 1024)]
    text, _ = explained(tmp_path, 'writers="auto" overwrite="true"')
    assert 'written by 1 of 4 servers (writers="auto")' in text, text
    text, as_json = explained(tmp_path, 'overwrite="true"')
    assert "written by the servers together, each what its model ranks hold, in stretches of" in text, text
    assert [(one["writers"], one["slab_bytes"]) for one in as_json["files"]] == [(4, None)]
    text, as_json = explained(tmp_path, 'overwrite="true" deflate="1"')
    assert "compressed by the servers and written by its owner" in text, text
    assert [(one["writers"], one["slab_bytes"]) for one in as_json["files"]] == [(1, None)]


MISTAKES = {
    'writers="0"': "expected a number of servers",
    'writers="two"': "expected a number of servers",
    'writers="-1"': "expected a number of servers",
    'writers="2" parts="server"': "each server writes a file of its own: remove one of the two",
}


@pytest.mark.parametrize("more", MISTAKES)
def test_mistakes_are_named(more, tmp_path):
    path = write(tmp_path, group(FIELDS), writing(file("w.nc", include("w"), more=more)))
    done = pileus("check", path)

    assert done.returncode == 1
    assert MISTAKES[more] in done.stdout, done.stdout
    assert "1 error\n" in done.stdout, done.stdout


def test_messages_have_one_writer(tmp_path):
    path = write(tmp_path, group(FIELDS), writing(file("w.grib2", include("w"), more='writers="2"')))
    done = pileus("check", path)
    assert done.returncode == 1
    assert 'has writers="2": the owner of a file of format="grib2" writes all of it' in done.stdout


@pytest.mark.parametrize(
    "more, warns",
    [('deflate="1" writers="3"', True), ('deflate="1" writers="auto"', False), ('writers="3"', False)],
)
def test_writers_without_anything_to_write_are_a_warning(more, warns, tmp_path):
    path = write(tmp_path, group(FIELDS), writing(file("w.nc", include("w"), more=more)))
    (tmp_path / "out").mkdir()
    done = run(model_command(Layout(2, 2), path, tmp_path / "out", *OPTIONS), more)
    assert done.returncode == 0, done.stderr
    assert ("nothing for several servers to write" in done.stderr) == warns, done.stderr

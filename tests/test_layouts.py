"""A run has the same bytes, however it is started and spread over ranks, servers and threads.

Each pair of properties is in some layout of the normal run; PILEUS_ALL_LAYOUTS=1 runs every combination.
"""

import itertools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from oracle.launch import (
    ORACLE,
    SAME_PROGRAM,
    TWO_PROGRAMS,
    Layout,
    available_mpis,
    require_programs,
    run_model,
)

MEMORY_DISK = Path("/dev/shm")
RANKS, SERVERS, WORKERS = (1, 2, 3, 4, 6), (1, 2, 3), (1, 4)


def all_layouts():
    """Every way to start with every MPI, number of ranks and servers; workers where they can be chosen."""
    for mpi, ranks, is_uneven in itertools.product(available_mpis(), RANKS, (False, True)):
        yield Layout(ranks, is_uneven=is_uneven, mpi=mpi)
        for servers in SERVERS:
            for workers in WORKERS:
                yield Layout(ranks, servers, workers, is_uneven, mpi=mpi)
            for how in SAME_PROGRAM:
                yield Layout(ranks, servers, is_uneven=is_uneven, how=how, mpi=mpi)


def pairs(layout):
    """The pairs of properties of a layout."""
    how = "attached" if layout.servers == 0 else layout.how
    workers = layout.workers if how == TWO_PROGRAMS else None
    properties = (layout.mpi, layout.ranks, layout.servers, how, layout.is_uneven, workers)
    return set(itertools.combinations(enumerate(properties), 2))


def cover(layouts):
    """Chooses layouts with every pair that occurs in `layouts`, always the one with most new pairs."""
    pairs_of = {layout: pairs(layout) for layout in layouts}
    missing = set().union(*pairs_of.values())
    while missing:
        best = max(pairs_of, key=lambda layout: len(pairs_of[layout] & missing))
        missing -= pairs_of[best]
        yield best


def layouts():
    if os.environ.get("PILEUS_ALL_LAYOUTS") == "1":
        return list(all_layouts())
    return list(cover(all_layouts()))


def test_the_cover_has_every_pair():
    every, covered = list(all_layouts()), list(cover(all_layouts()))

    assert set().union(*map(pairs, covered)) == set().union(*map(pairs, every))
    assert len(covered) < len(every) / 4


@pytest.fixture(scope="module", autouse=True)
def programs():
    require_programs()


@pytest.fixture
def memory_directory():
    """A folder on a file system in memory, where servers write their own parts whatever the disk is."""
    if not os.access(MEMORY_DISK, os.W_OK):
        pytest.skip(f"no {MEMORY_DISK} to write to")
    folder = tempfile.mkdtemp(prefix="pileus-test-", dir=MEMORY_DISK)
    yield Path(folder)
    shutil.rmtree(folder)


def differing_bytes(one, other):
    """How many bytes differ, and where the first one lies."""
    a, b = one.read_bytes(), other.read_bytes()
    places = [i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y]
    return f"sizes {len(a)} and {len(b)}, {len(places)} bytes differ, the first at {places[:1]}"


def assert_same(expected, published, layout):
    """Names layout and file of everything that differs."""
    assert sorted(published) == sorted(expected), f"{layout}: other files"
    wrong = [
        f"{layout}: {name}: {differing_bytes(path, published[name])}"
        for name, path in expected.items()
        if path.read_bytes() != published[name].read_bytes()
    ]
    assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The files that one process without MPI publishes."""
    return run_model(Layout(is_alone=True), ORACLE / "layouts.xml", tmp_path_factory.mktemp("alone"))


def test_one_process_publishes_every_period(expected):
    # 40 steps: 5 lengths of 2.75 s on average, and 9.5 s more in 5 of them: 40 * 2.75 + 5 * 9.5 = 157.5 s.
    names = [f"mixed_{end}.nc" for end in (50, 100, 150, 200)]
    names += [f"averages_{end}.nc" for end in (75, 150, 225)] + ["series_1000.nc"]

    assert sorted(expected) == sorted(names)


@pytest.mark.parametrize("layout", layouts(), ids=str)
def test_every_way_to_start_gives_the_same_files(layout, expected, tmp_path):
    assert_same(expected, run_model(layout, ORACLE / "layouts.xml", tmp_path), layout)


@pytest.mark.parametrize("layout", [Layout(3, 2, 4), Layout(6, 3, 1, True)], ids=str)
def test_servers_that_write_their_own_parts_give_the_same_files(layout, expected, memory_directory):
    assert_same(expected, run_model(layout, ORACLE / "layouts.xml", memory_directory), layout)


def test_an_owner_that_writes_for_all_gives_the_same_files(expected, tmp_path):
    # A ramfs is none of the file systems where servers write their own parts. Only this job sees it.
    layout, disk, copy = Layout(4, 3, 4, True), tmp_path / "disk", tmp_path / "copy"
    disk.mkdir()
    mount = ["unshare", "--mount", "sh", "-c"]
    can_mount = shutil.which("unshare") and subprocess.run(
        [*mount, 'mount -t ramfs none "$0"', disk], capture_output=True, timeout=60
    )
    if not can_mount or can_mount.returncode != 0:
        pytest.skip("this needs the right to mount")
    script = 'mount -t ramfs none "$0" && "$@" && cp -a "$0" "$0/../copy"'

    run_model(layout, ORACLE / "layouts.xml", disk, within=[*mount, script, disk])

    assert_same(expected, {path.name: path for path in copy.iterdir()}, layout)


@pytest.mark.parametrize("layout", [Layout(6, 3, 4), Layout(5, 2, 1, True)], ids=str)
def test_ranks_without_a_part_change_nothing(layout, tmp_path):
    options = ("--size", "3,1,2", "--steps", "12", "--sequence", "spanning")
    expected = run_model(Layout(is_alone=True), ORACLE / "layouts.xml", tmp_path / "alone", *options)
    published = run_model(layout, ORACLE / "layouts.xml", tmp_path / "spread", *options)

    assert_same(expected, published, layout)


@pytest.mark.parametrize("layout", [Layout(4, 2, 4), Layout(3, 3, 1, True)], ids=str)
def test_records_of_many_blocks_are_the_same(layout, memory_directory, tmp_path):
    options = ("--size", "16,40,32", "--steps", "20")
    expected = run_model(Layout(is_alone=True), ORACLE / "layouts.xml", tmp_path, *options)
    assert_same(expected, run_model(layout, ORACLE / "layouts.xml", memory_directory, *options), layout)


def test_records_of_several_chunks_are_the_same(memory_directory, tmp_path):
    layout = Layout(3, 2, 1, True)
    options = ("--size", "16,256,520", "--steps", "3")
    expected = run_model(Layout(is_alone=True), ORACLE / "large.xml", tmp_path, *options)

    assert_same(expected, run_model(layout, ORACLE / "large.xml", memory_directory, *options), layout)

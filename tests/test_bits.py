"""A run of cumulus has the same bits, whatever it is spread over.

Model ranks, servers, workers of each, either MPI, deferral of reductions or not, messages that overtake each
other, memory that ranks share. The normal run has each pair of these in some layout; PILEUS_ALL_BITS=1
(./dev test bits) runs every combination.
"""

import itertools
import os
from dataclasses import astuple, dataclass
from pathlib import Path

import netCDF4
import pytest
from oracle.launch import MPI, available_mpis, bin_of, mpi_command, require_programs, run

CONFIGURATION = Path(__file__).resolve().parent / "bits" / "bits.xml"
GRID = ("--nx", "16", "--ny", "15", "--nz", "12", "--dx", "200", "--dy", "200", "--dz", "120", "--uneven")
STEPS = "16"
RANKS, SERVERS, WORKERS = (1, 2, 3, 4, 6), (1, 2, 3), (1, 4)


@dataclass(frozen=True)
class Run:
    mpi: str = MPI
    ranks: int = 1
    servers: int = 1
    workers: int = 1
    defers: bool = True
    is_shuffled: bool = False
    is_shared: bool = False

    def __str__(self):
        return (
            f"{self.mpi}, {self.ranks} ranks, {self.servers} servers of {self.workers} workers, "
            f"{'deferred' if self.defers else 'at once'}{', shuffled' if self.is_shuffled else ''}"
            f"{', shared memory' if self.is_shared else ''}"
        )


def all_runs():
    properties = (available_mpis(), RANKS, SERVERS, WORKERS, (True, False), (False, True), (False, True))
    return [Run(*values) for values in itertools.product(*properties)]


def pairs(one):
    return set(itertools.combinations(enumerate(astuple(one)), 2))


def cover(runs):
    """Chooses runs with every pair that occurs in `runs`, always the one with most new pairs."""
    pairs_of = {one: pairs(one) for one in runs}
    missing = set().union(*pairs_of.values())
    while missing:
        best = max(pairs_of, key=lambda one: len(pairs_of[one] & missing))
        missing -= pairs_of[best]
        yield best


def runs():
    return all_runs() if os.environ.get("PILEUS_ALL_BITS") == "1" else list(cover(all_runs()))


def test_the_cover_has_every_pair_in_few_runs():
    covered = list(cover(all_runs()))

    assert set().union(*map(pairs, covered)) == set().union(*map(pairs, all_runs()))
    assert len(covered) <= 24


@pytest.fixture(scope="module", autouse=True)
def programs():
    require_programs()
    if not (bin_of(MPI) / "cumulus").is_file():
        pytest.skip("no program cumulus: build it, or set PILEUS_BUILD")


def published(one, directory):
    """The bytes of every file that the run publishes, by name."""
    directory.mkdir()
    programs = bin_of(one.mpi)
    model = [programs / "cumulus", *GRID, "--steps", STEPS, "--quiet", "--output", "pileus"]
    server = [programs / "pileus-server", CONFIGURATION, "--directory", directory, "--workers", one.workers]
    environment = ["env", f"PILEUS_SHARED_MEMORY={'yes' if one.is_shared else 'no'}"]
    environment += [] if one.defers else ["PILEUS_NO_DEFER=1"]
    environment += [f"PILEUS_SHUFFLE={one.ranks}"] if one.is_shuffled else []
    command = mpi_command((one.ranks, model), (one.servers, server), mpi=one.mpi)
    done = run([*environment, *command], str(one))
    assert done.returncode == 0, f"{one}: status {done.returncode}\n{done.stdout}{done.stderr}"
    left = [path.name for path in directory.iterdir() if path.suffix != ".nc"]
    assert not left, f"{one}: left behind {left}"
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The bytes that one rank and one server publish."""
    files = published(Run(), tmp_path_factory.mktemp("bits") / "one")
    series = {name.split("_")[0].removesuffix(".nc") for name in files}
    assert series == {"fields", "means", "profiles", "extremes", "series"}
    return files


@pytest.mark.parametrize("one", runs(), ids=str)
def test_every_run_of_cumulus_gives_the_same_bits(one, expected, tmp_path):
    files = published(one, tmp_path / "files")

    assert sorted(files) == sorted(expected)
    assert [name for name in files if files[name] != expected[name]] == []


def history(path):
    with netCDF4.Dataset(path) as file:
        return file.history


def test_nothing_of_the_layout_is_in_a_file(tmp_path):
    one = Run(ranks=6, servers=3, workers=4)
    published(one, tmp_path / "files")

    for path in (tmp_path / "files").iterdir():
        assert "1970-01-01T00:00:00Z" in history(path)  # SOURCE_DATE_EPOCH
        assert b"rank" not in path.read_bytes()

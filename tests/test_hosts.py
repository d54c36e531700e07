"""Runs on two hosts write the files of a run on one, by MPI alone and with memory shared within each host.

./dev test hosts. tests/oracle/hosts.py makes the hosts.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from oracle import hosts
from oracle.configured import W, file, group, handling, include, write, writing
from oracle.hosts import Hosts, run_on_hosts
from oracle.kills import TIMEOUT_S
from oracle.launch import MODEL, SERVER, Layout, available_mpis, bin_of, require_programs, run_model

CONFIGURATION = Path(__file__).resolve().parent / "kills" / "kills.xml"
OPTIONS = ("--size", "6,17,19", "--steps", "60")
ALPHA, BETA = hosts.NAMES


@dataclass(frozen=True)
class Spread:
    """Where the ranks of a job are. Each has a server on its host if there is one.

    `near`: the ranks of the job that share memory with their server, as it is on their host. `far`: a model
    rank whose server is on another host, and that host; None if there is none.
    """

    places: list  # in the order of ranks: host, program, number of ranks
    near: set
    far: tuple | None = None


SPREADS = {
    "most ranks on the first": Spread(
        [(ALPHA, "model", 3), (ALPHA, "server", 1), (BETA, "model", 1), (BETA, "server", 1)],
        {0, 1, 2, 4},
    ),
    "most ranks on the second": Spread(
        [(ALPHA, "server", 1), (ALPHA, "model", 1), (BETA, "model", 3), (BETA, "server", 1)],
        {1, 2, 3, 4},
    ),
    "all servers on the second": Spread([(ALPHA, "model", 3), (BETA, "server", 2)], set(), (0, BETA)),
}


@pytest.fixture(scope="module", autouse=True)
def needs():
    hosts.require()


@pytest.fixture(scope="module", name="two")
def two_hosts(needs, tmp_path_factory):
    with Hosts(tmp_path_factory.mktemp("hosts")) as two:
        yield two


@pytest.fixture(scope="module")
def expected(needs, tmp_path_factory):
    """The files of a run in one process on one host."""
    require_programs()
    return run_model(Layout(is_alone=True), CONFIGURATION, tmp_path_factory.mktemp("one"), *OPTIONS)


def words_of(program, mpi, directory, options=OPTIONS):
    if program == "model":
        return [bin_of(mpi) / MODEL.name, "--config", CONFIGURATION, "--directory", directory, *options]
    return [bin_of(mpi) / SERVER.name, CONFIGURATION, "--directory", directory]


def assert_same(expected, directory, said):
    published = {path.name: path for path in directory.glob("*.nc")}
    assert sorted(published) == sorted(expected), said
    wrong = [name for name, path in expected.items() if path.read_bytes() != published[name].read_bytes()]
    assert not wrong, f"{wrong} differ\n{said}"


def sharers(said):
    return {int(rank) for rank in re.findall(r"messages of rank (\d+) come through shared memory", said)}


@pytest.mark.parametrize("mpi", available_mpis())
@pytest.mark.parametrize("shared", ["yes", "no"])
@pytest.mark.parametrize("spread", SPREADS.values(), ids=SPREADS)
def test_the_files_are_those_of_a_run_on_one_host(two, expected, tmp_path, mpi, shared, spread):
    """Processes of both hosts could open each other's memory here: MPI's word alone keeps them from it."""
    report = tmp_path / "report.json"
    files = tmp_path / "files"
    files.mkdir()
    far, to = spread.far or (None, BETA)
    before = two.bytes_to(to)

    said = run_on_hosts(
        two,
        [(host, ranks, words_of(program, mpi, files)) for host, program, ranks in spread.places],
        mpi,
        report,
        PILEUS_SHARED_MEMORY=shared,
        PILEUS_LOG="debug",
    )

    assert_same(expected, files, said)
    assert sharers(said) == (spread.near if shared == "yes" else set()), said
    figures = json.loads(report.read_text())
    assert (figures["errors"], len(figures["servers"])) == ([], 2)
    if far is not None:
        assert two.bytes_to(to) - before > figures["model_ranks"][far]["bytes"] > 0
        assert "the server of 3 model ranks is on another node; the first is model rank 0" in said
    else:
        assert "is on another node" not in said


@pytest.mark.parametrize("mpi", available_mpis())
def test_ranks_hand_sums_over_to_servers_of_another_host_alone(two, tmp_path, mpi):
    size = ("--size", "8,40,30", "--steps", "20")
    volume = 8 * 40 * 30 * 8 * 20
    configuration = write(
        tmp_path,
        group(W, 1),
        handling('<diagnostic field="profile" expression="mean[y,x](w)"/>'),
        writing(file("profile.nc", include("profile", manipulation="averaged", every=5), 20)),
    )
    alone = run_model(Layout(is_alone=True), configuration, tmp_path / "one", *size)

    def handed_over(name, places, **variables):
        report, files = tmp_path / f"{name}.json", tmp_path / name
        files.mkdir()
        model = [bin_of(mpi) / MODEL.name, "--config", configuration, "--directory", files, *size]
        server = [bin_of(mpi) / SERVER.name, configuration, "--directory", files]
        programs = [(host, ranks, {"model": model, "server": server}[what]) for host, what, ranks in places]
        said = run_on_hosts(two, programs, mpi, report, **variables)
        assert_same(alone, files, said)
        return [rank["bytes"] for rank in json.loads(report.read_text())["model_ranks"]]

    apart = [(ALPHA, "model", 2), (BETA, "server", 1)]
    assert sum(handed_over("far", apart)) < volume / 7
    assert sum(handed_over("whole", apart, PILEUS_PUSHDOWN="no")) > volume
    near, _, far = handed_over("both", [(ALPHA, "server", 1), (ALPHA, "model", 2), (BETA, "model", 1)])
    assert far < near / 7


@pytest.mark.parametrize("mpi", available_mpis())
def test_servers_per_node_are_so_many_on_each_host(two, expected, tmp_path, mpi):
    report = tmp_path / "report.json"
    files = tmp_path / "files"
    files.mkdir()
    model = [*words_of("model", mpi, files), "--servers-per-node", 1]

    said = run_on_hosts(two, [(ALPHA, 3, model), (BETA, 3, model)], mpi, report)

    assert_same(expected, files, said)
    figures = json.loads(report.read_text())
    assert (len(figures["model_ranks"]), len(figures["servers"])) == (4, 2), said


def test_a_host_has_a_name_and_a_network_of_its_own(two):
    script = """hostname
        ip -json address show dev eth0
        test ! -e /dev/shm/here && touch /dev/shm/here && getent hosts alpha beta"""
    answers = {host: two.ask_on(host, "sh", "-c", script) for host in hosts.NAMES}

    assert [said.split("\n")[0] for said in answers.values()] == [ALPHA, BETA]
    addresses = [json.loads(said.split("\n")[1])[0]["addr_info"][0]["local"] for said in answers.values()]
    assert addresses == ["10.77.0.1", "10.77.0.2"]
    for said in answers.values():
        assert [line.split() for line in said.splitlines()[2:]] == [["10.77.0.1", ALPHA], ["10.77.0.2", BETA]]


MAKER = """import sys, pathlib, subprocess
from oracle.hosts import Hosts
with Hosts(pathlib.Path(sys.argv[1])) as two:
    subprocess.Popen([str(word) for word in two.on("beta", "sleep", "1000")])
    print(two.first, flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_of_hosts_whose_maker_is_killed(tmp_path, number):
    """Neither of their processes nor, with the last of these, of their networks."""
    tests = Path(__file__).resolve().parent
    maker = subprocess.Popen([sys.executable, "-c", MAKER, tmp_path], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True, env=dict(os.environ, PYTHONPATH=str(tests)))
    first = int(maker.stdout.readline())
    there = hosts.all_of(first)
    assert len(there) >= 3, there  # the first, and one for each host

    maker.send_signal(number)
    maker.communicate(timeout=TIMEOUT_S)

    end = time.monotonic() + TIMEOUT_S
    while hosts.are_any_running(there) and time.monotonic() < end:
        time.sleep(0.01)  # the system takes them away
    assert not hosts.are_any_running(there)

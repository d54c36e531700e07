"""Model ranks have servers near them, what is bound where is said, and the files are the same wherever it is.

Ranks are bound with taskset, each by itself. Two sockets are made of two processors by files of our own in
the place of /sys/devices/system, for these processes alone; that needs root.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from oracle.kills import TIMEOUT_S
from oracle.launch import (
    MODEL,
    ORACLE,
    SERVER,
    Layout,
    available_mpis,
    bin_of,
    launcher_of,
    mpi_command,
    require_programs,
    run,
    run_model,
)

CONFIGURATION = ORACLE / "layouts.xml"


def core_of(processor):
    siblings = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
    return siblings.read_text() if siblings.exists() else str(processor)


# Of two cores, as threads of one core are warned of.
PROCESSORS = sorted({core_of(one): one for one in sorted(os.sched_getaffinity(0), reverse=True)}.values())[:2]
WITH_FILES = 'mount --bind "$0" /sys/devices/system && exec "$@"'


@pytest.fixture(scope="module", autouse=True)
def needs():
    require_programs()
    if len(PROCESSORS) < 2 or not shutil.which("taskset"):
        pytest.skip("this needs two processors and taskset")


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return run_model(Layout(is_alone=True), CONFIGURATION, tmp_path_factory.mktemp("alone"))


@pytest.fixture(scope="module")
def two_sockets(tmp_path_factory):
    """Each of the two processors on a socket of its own, as Linux says it."""
    system = tmp_path_factory.mktemp("system")
    files = {"cpu/online": ",".join(map(str, PROCESSORS))}
    for socket, processor in enumerate(PROCESSORS):
        files[f"cpu/cpu{processor}/topology/physical_package_id"] = socket
        files[f"cpu/cpu{processor}/topology/thread_siblings_list"] = processor
        files[f"node/node{socket}/cpulist"] = processor
    for name, text in files.items():
        (system / name).parent.mkdir(parents=True, exist_ok=True)
        (system / name).write_text(f"{text}\n")
    words = ["unshare", "--mount", "sh", "-c", WITH_FILES, system, "true"]
    can_mount = subprocess.run(words, capture_output=True, timeout=TIMEOUT_S, check=False)
    if can_mount.returncode != 0:
        pytest.skip("this needs the right to mount")
    return system


def bound(socket, *words, system=None):
    """The words on the first or the second processor."""
    there = ["unshare", "--mount", "sh", "-c", WITH_FILES, system] if system else []
    return [*there, "taskset", "-c", PROCESSORS[socket], *words]


def model(mpi, directory, *options):
    return [bin_of(mpi) / MODEL.name, "--config", CONFIGURATION, "--directory", directory, *options]


def server(mpi, directory):
    return [bin_of(mpi) / SERVER.name, CONFIGURATION, "--directory", directory]


TAGS = {"openmpi": ("--tag-output", r"\[1,(\d+)\]<std\w+>:"), "mpich": ("-prepend-rank", r"\[(\d+)\] ")}


def outcome(command, expected, directory, mpi):
    """What the log says of the placement, the model ranks of each server, and the warnings of the report.

    All by their ranks in the job. The files must be those of one process. A server names in its log the ranks
    that share memory with it, and the launcher says which rank a line is of.
    """
    option, tag = TAGS[mpi]
    command = [command[0], option, *command[1:]]
    report = directory.parent / "report.json"
    done = run(
        command, "placement", PILEUS_SHARED_MEMORY="yes", PILEUS_LOG="debug", PILEUS_REPORT=str(report)
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert {path.name for path in directory.iterdir()} == set(expected), said
    for name, path in expected.items():
        assert (directory / name).read_bytes() == path.read_bytes(), f"{name}\n{said}"
    served = {}
    for at, rank in re.findall(rf"{tag}.* messages of rank (\d+) come through shared memory", said):
        served.setdefault(int(at), set()).add(int(rank))
    return re.findall(r"placement: .*", said), served, json.loads(report.read_text())["warnings"]


@pytest.fixture
def directory(tmp_path):
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


@pytest.mark.parametrize("mpi", available_mpis())
def test_a_server_on_the_core_of_a_model_rank_is_warned_of(mpi, expected, directory):
    command = mpi_command(
        (1, bound(0, *model(mpi, directory))), (1, bound(0, *server(mpi, directory))), mpi=mpi
    )

    lines, _, warnings = outcome(command, expected, directory, mpi)

    (line,) = lines
    core = PROCESSORS[0]
    assert line.startswith(f"placement: the node of rank 0: 1 model rank on core {core} of socket "), line
    (warning,) = warnings
    assert warning.startswith(f"server 0 and model rank 0 are bound to one core, {core} of the node"), warning


@pytest.mark.parametrize("mpi", available_mpis())
def test_servers_on_cores_of_their_own_and_ranks_that_are_not_bound_are_not_warned_of(
    mpi, expected, directory, tmp_path
):
    command = mpi_command(
        (2, bound(0, *model(mpi, directory))), (1, bound(1, *server(mpi, directory))), mpi=mpi
    )

    _, _, warnings = outcome(command, expected, directory, mpi)

    assert warnings == []
    free = tmp_path / "free"
    free.mkdir()
    command = mpi_command((2, model(mpi, free)), (1, server(mpi, free)), mpi=mpi)
    lines, served, warnings = outcome(command, expected, free, mpi)
    assert (lines, warnings) == ([], [])
    assert served == {2: {0, 1}}


@pytest.mark.parametrize("mpi", available_mpis())
def test_ranks_of_two_programs_have_the_servers_of_their_sockets(mpi, expected, directory, two_sockets):
    """By number, ranks 0 and 1 would have the first server, which is on the other socket."""
    words = model(mpi, directory)
    command = mpi_command(
        (3, bound(0, *words, system=two_sockets)),
        (1, bound(1, *words, system=two_sockets)),
        (1, bound(1, *server(mpi, directory), system=two_sockets)),
        (1, bound(0, *server(mpi, directory), system=two_sockets)),
        mpi=mpi,
    )

    lines, served, _ = outcome(command, expected, directory, mpi)

    assert served == {5: {0, 1, 2}, 4: {3}}
    cores = f"cores {PROCESSORS[0]}{'-' if PROCESSORS[1] == PROCESSORS[0] + 1 else ','}{PROCESSORS[1]}"
    where = f"on {cores} of sockets 0-1"
    assert lines == [f"placement: the node of rank 0: 4 model ranks {where}; 2 servers {where}"]


@pytest.mark.parametrize("mpi", available_mpis())
@pytest.mark.parametrize("option", ["--servers-per-socket", "--servers-per-numa"])
def test_each_socket_or_domain_has_its_server(mpi, option, expected, directory, two_sockets):
    words = model(mpi, directory, option, 1)
    command = mpi_command(
        (2, bound(0, *words, system=two_sockets)),
        (3, bound(1, *words, system=two_sockets)),
        (1, bound(0, *words, system=two_sockets)),
        mpi=mpi,
    )

    _, served, _ = outcome(command, expected, directory, mpi)

    # Socket 0 has ranks 0, 1, 5, and socket 1 has 2, 3, 4.
    assert served == {5: {0, 1}, 4: {2, 3}}


@pytest.mark.parametrize("mpi", available_mpis())
def test_servers_per_node_that_are_all_on_one_socket_are_warned_of(mpi, expected, directory, two_sockets):
    words = model(mpi, directory, "--servers-per-node", 2)
    command = mpi_command(
        (2, bound(0, *words, system=two_sockets)), (3, bound(1, *words, system=two_sockets)), mpi=mpi
    )

    _, _, warnings = outcome(command, expected, directory, mpi)

    assert len(warnings) == 2
    assert "are bound to one core" in warnings[0]
    assert warnings[1].startswith(
        "all 2 servers of the node of rank 0 are on socket 1, its model ranks on sockets 0-1: "
    )


@pytest.mark.parametrize("mpi", available_mpis())
def test_where_no_socket_is_known_a_server_of_each_node_serves_and_that_is_said(
    mpi, expected, directory, two_sockets
):
    """The ranks may use both processors, and so both sockets."""
    there = ["unshare", "--mount", "sh", "-c", WITH_FILES, two_sockets]
    command = mpi_command((3, [*there, *model(mpi, directory, "--servers-per-socket", 1)]), mpi=mpi)

    lines, served, warnings = outcome(command, expected, directory, mpi)

    assert (lines, served) == ([], {2: {0, 1}})
    (warning,) = warnings
    assert warning.startswith("servers for every socket are asked for, but that of 3 ranks is not known, ")


@pytest.mark.parametrize("mpi", available_mpis())
def test_the_launchers_binding_is_found_as_the_recipes_say(mpi, expected, directory):
    """docs/placement.md: one server on each node, on its last core."""
    dash = "--" if mpi == "openmpi" else "-"
    begin = [launcher_of(mpi), f"{dash}map-by", "core", f"{dash}bind-to", "core"]
    command = [*begin, "-n", 2, *model(mpi, directory, "--servers-per-node", 1)]

    (line,), served, warnings = outcome(command, expected, directory, mpi)

    one, other = PROCESSORS
    assert re.fullmatch(
        rf"placement: the node of rank 0: 1 model rank on core {one} of socket \d+.*; "
        rf"1 server on core {other} of socket \d+.*",
        line,
    ), line
    assert (served, warnings) == ({1: {0}}, [])

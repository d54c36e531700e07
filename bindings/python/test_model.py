"""The smoke of examples/ in Python publishes the bytes of that in C, however both are started."""

import ctypes.util
import os
import sys
import sysconfig

import pytest
from oracle.launch import BIN, ROOT, available_mpis, bin_of, launcher_flags, launcher_of, run

pytest.importorskip("mpi4py")
SMOKE = ROOT / "examples" / "smoke"
MODEL = SMOKE / "model.py"
FILES = ["smoke_field_1800.nc", "smoke_field_3600.nc", "smoke_series_3600.nc"]


def of_mpi4py(mpi, folder):
    """What makes the wheel of mpi4py load an MPI of Debian, which has MPICH under a name of its own."""
    if mpi == "openmpi":
        return {"MPI4PY_MPIABI": mpi}
    folder.mkdir()
    (folder / "libmpi.so.12").symlink_to(f"/usr/lib/{sysconfig.get_config_var('MULTIARCH')}/libmpich.so.12")
    return {"MPI4PY_MPIABI": mpi, "LD_LIBRARY_PATH": str(folder)}


def published(folder, command, **more):
    folder.mkdir()
    done = run(["env", "-C", folder, *map(str, command)], " ".join(map(str, command)), **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    if not (BIN / "smoke_c").is_file():
        pytest.skip(f"no program {BIN / 'smoke_c'}: build it, or set PILEUS_BUILD")
    files = published(tmp_path_factory.mktemp("c") / "out", [BIN / "smoke_c", SMOKE / "run.xml"])
    assert sorted(files) == FILES
    return files


@pytest.mark.parametrize("mpi", available_mpis())
@pytest.mark.parametrize("layout", [(1, 0), (2, 0), (4, 0), (1, 1), (3, 1), (2, 2), (4, 2)], ids=str)
def test_it_publishes_the_same_bytes(expected, tmp_path, layout, mpi):
    ranks, servers = layout
    launcher = launcher_of(mpi)
    command = [launcher, *launcher_flags(launcher), "-n", ranks, sys.executable, MODEL]
    command += [SMOKE / "run.xml"] if servers == 0 else ["unread.xml"]
    if servers > 0:
        command += [":", "-n", servers, bin_of(mpi) / "pileus-server", SMOKE / "run.xml"]
    more = {
        "PYTHONPATH": os.environ["PYTHONPATH"],
        "PILEUS_PREFIX": str(bin_of(mpi).parent),
        **of_mpi4py(mpi, tmp_path / mpi),
    }

    assert published(tmp_path / "out", command, **more) == expected


def test_ranks_of_the_model_serve(expected, tmp_path):
    launcher = launcher_of(available_mpis()[0])
    text = (SMOKE / "run.xml").read_text()
    serving = tmp_path / "run.xml"
    servers = '<server-configuration><servers total="2"/></server-configuration>'
    serving.write_text(text.replace("<io-configuration>", "<io-configuration>" + servers))
    command = [launcher, *launcher_flags(launcher), "-n", 5, sys.executable, MODEL, serving]
    files = published(
        tmp_path / "out",
        command,
        PYTHONPATH=os.environ["PYTHONPATH"],
        PILEUS_PREFIX=os.environ["PILEUS_PREFIX"],
    )

    assert sorted(files) == sorted(expected)  # their bytes have another configuration in them


def test_another_mpi_is_refused_in_a_sentence(tmp_path):
    """That of mpi4py is one, that of the libraries another."""
    others = [mpi for mpi in ("openmpi", "mpich") if mpi != available_mpis()[0]]
    program = "from mpi4py import MPI; import pileus; pileus.Run('run.xml', MPI.COMM_WORLD)"
    done = run(
        [sys.executable, "-c", program],
        "another MPI",
        PYTHONPATH=os.environ["PYTHONPATH"],
        PILEUS_PREFIX=os.environ["PILEUS_PREFIX"],
        **of_mpi4py(others[0], tmp_path / others[0]),
    )
    if ctypes.util.find_library("mpich") is None:
        pytest.skip("there is no other MPI")

    assert "this process uses the MPI" in done.stderr and "UsageError" in done.stderr

"""Veros' own averages and snapshots, and those of Pileus in the same run, are the same numbers."""

import os
import sys

import numpy as np
import pytest
from oracle.launch import MPIRUN, ROOT, launcher_flags, run

pytest.importorskip("veros")
xarray = pytest.importorskip("xarray")
HERE = ROOT / "integrations" / "veros"
DAYS = 20  # 40 steps


def output_of(folder, ranks=1, servers=0):
    """Veros itself writes on several ranks only with an h5py that was built with MPI, which no wheel is."""
    outputs = ["veros", "pileus"] if ranks == 1 else ["pileus"]
    command = [
        sys.executable,
        HERE / "acc.py",
        DAYS,
        "--output",
        *outputs,
        "--config",
        HERE / "acc.xml",
    ]
    if ranks + servers > 1:
        pytest.importorskip("mpi4py")
        command = [MPIRUN, *launcher_flags(MPIRUN), "-n", ranks + servers, *command, "--servers", servers]
    path = os.pathsep.join([os.environ["PYTHONPATH"], str(HERE)])
    changes = {"PYTHONPATH": path, "PILEUS_PREFIX": os.environ["PILEUS_PREFIX"], "OMP_NUM_THREADS": "1"}
    done = run(["env", "-C", folder, *map(str, command)], "veros", timeout_s=240, **changes)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def of_veros(folder, kind):
    return xarray.open_dataset(folder / f"acc_basic.{kind}.nc", engine="h5netcdf", decode_times=False)


def of_pileus(folder, kind):
    (path,) = folder.glob(f"{kind}_*.nc")
    return xarray.open_dataset(path, decode_times=False)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return output_of(tmp_path_factory.mktemp("alone"))


def compare(folder):
    theirs, ours = of_veros(folder, "averages"), of_pileus(folder, "means")
    snapshots, shots = of_veros(folder, "snapshot"), of_pileus(folder, "snapshots")
    assert theirs.sizes["Time"] == 4 and snapshots.sizes["Time"] == 2
    for name in ("temp", "salt", "u", "v", "w", "psi"):
        a = ours[name].transpose(ours[name].dims[0], *theirs[name].dims[1:]).to_numpy()
        b = theirs[name].to_numpy()
        b[b == -1e18] = np.nan
        sea = np.isfinite(b)
        assert 0 < sea.mean() <= 1 and np.ptp(b[sea]) > 0
        assert np.abs(a - b)[sea].max() <= 1e-12 * np.abs(b[sea]).max(), name
    for name in ("temp", "salt", "u", "v", "w"):
        a = shots[name].transpose(shots[name].dims[0], *snapshots[name].dims[1:]).to_numpy()
        b = snapshots[name].to_numpy()
        sea = np.isfinite(b) & (b != -1e18)
        assert (a[sea] == b[sea]).all() and sea.any() and np.ptp(b[sea]) > 0, name
    days = shots["temp"].coords[shots["temp"].dims[0]].to_numpy()
    assert days.tolist() == [10 * 86400, 20 * 86400] or days.tolist() == [10, 20]


def test_one_process(alone):
    compare(alone)


@pytest.mark.parametrize("servers", [0, 1])
def test_two_ranks(alone, tmp_path, servers):
    """To the rounding of Veros itself, which adds up in another order there."""
    folder = output_of(tmp_path, 2, servers)
    for kind in ("means", "snapshots"):
        many, one = of_pileus(folder, kind), of_pileus(alone, kind)
        assert many.sizes == one.sizes
        for name in one.data_vars:
            if one[name].ndim > 1:
                a, b = many[name].to_numpy(), one[name].to_numpy()
                assert np.abs(a - b).max() <= 1e-9 * np.abs(b).max(), name


def test_coordinates_and_attributes_are_those_of_veros(alone):
    theirs, ours = of_veros(alone, "snapshot"), of_pileus(alone, "snapshots")

    for dim in ("xt", "yt", "zt", "xu", "yu", "zw"):
        assert (ours[dim].to_numpy() == theirs[dim].to_numpy()).all()
    assert ours["temp"].attrs["units"] == theirs["temp"].attrs["units"]
    assert ours["temp"].attrs["long_name"] == theirs["temp"].attrs["long_name"]


def test_a_variable_that_veros_lacks_is_named(tmp_path):
    (tmp_path / "acc.xml").write_text((HERE / "acc.xml").read_text().replace('"salt"', '"sugar"'))
    command = [sys.executable, HERE / "acc.py", 1, "--output", "pileus", "--config", tmp_path / "acc.xml"]
    path = os.pathsep.join([os.environ["PYTHONPATH"], str(HERE)])
    changes = {"PYTHONPATH": path, "PILEUS_PREFIX": os.environ["PILEUS_PREFIX"]}
    done = run(["env", "-C", tmp_path, *map(str, command)], "veros", **changes)

    assert done.returncode != 0 and "no variable sugar" in done.stderr

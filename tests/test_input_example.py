"""The examples of docs/input.md: a profile in Fortran, and cumulus under large-scale forcing."""

import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, ROOT, SERVER, mpi_command, run

EXAMPLE = ROOT / "examples" / "forcing"
CUMULUS = BIN / "cumulus"
NZ, DZ = 12, 250.0


def require(*programs):
    for program in programs:
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")


CONFIGURATION = """<io-configuration>
  {reading}
  <data-definition name="state" frequency="1"><field name="theta" size="z"/></data-definition>
  <data-writing>
    <file name="theta.nc" write_time_frequency="1 d" write_on_terminate="true">
      <include field="theta" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
"""


@pytest.mark.parametrize("is_brought", [True, False])
def test_the_calls_of_the_page(tmp_path, is_brought):
    program = BIN / "pileus_input_example"
    require(program)
    records = np.arange(9.0).reshape(3, 3) / 7
    with netCDF4.Dataset(tmp_path / "forcing.nc", "w") as file:
        file.createDimension("z", 3)
        file.createDimension("time", None)
        file.createVariable("time", "f8", ("time",)).units = "min"
        file.createVariable("theta_forcing", "f8", ("time", "z")).units = "K h-1"
        file["theta_forcing"][:] = records
        file["time"][:] = [0, 10, 30]
    reading = '<data-reading><input name="theta_forcing" file="forcing.nc"/></data-reading>'
    (tmp_path / "run.xml").write_text(CONFIGURATION.format(reading=reading if is_brought else ""))

    done = run(["env", "-C", tmp_path, program, "run.xml"], "Fortran")

    assert done.returncode == 0, done.stderr
    got = np.array([line.split() for line in done.stdout.splitlines()[:4]], np.float64)
    theta, times, want = np.full(3, 300.0), [0.0, 600.0, 1800.0], []
    for step in range(1, 5):
        at = 300.0 * step
        first = int(np.searchsorted(times, at, side="right")) - 1
        a, b = records[first] / 3600, records[min(first + 1, 2)] / 3600
        tendency = a + (at - times[first]) / (times[first + 1] - times[first]) * (b - a)
        theta = theta + 300 * tendency * is_brought
        want.append(theta)
    assert np.allclose(got, want, rtol=1e-15, atol=0)


def forced(directory, ranks, servers, *options, with_forcing=True):
    require(CUMULUS, SERVER)
    if shutil.which("ncgen") is None:
        pytest.skip("no ncgen")
    directory.mkdir(exist_ok=True)
    text = (EXAMPLE / "cumulus.xml").read_text()
    if not with_forcing:
        begin, end = text.index("<data-reading>"), text.index("</data-reading>")
        text = text[:begin] + text[end + len("</data-reading>") :]
    (directory / "cumulus.xml").write_text(text)
    subprocess.run(["ncgen", "-o", directory / "forcing.nc", EXAMPLE / "forcing.cdl"], check=True)
    shape = ["--nx", 16, "--ny", 16, "--nz", NZ, "--dz", DZ, "--end", 1500, "--quiet", "--hash"]
    model = [CUMULUS, *shape, "--output", "pileus", "--config", "cumulus.xml", *options]
    server = [(servers, [SERVER, "cumulus.xml"])] if servers else []
    done = run(["env", "-C", directory, *mpi_command((ranks, model), *server)], f"{ranks} and {servers}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    return next(line for line in done.stdout.splitlines() if line.startswith("hash"))


def means(directory):
    with netCDF4.Dataset(next(directory.glob("forced_*.nc"))) as file:
        return {name: file[name][:].data for name in ("time", "theta_mean", "qv_mean")}


def test_forcing_changes_the_model_alike_in_every_layout(tmp_path):
    free = forced(tmp_path / "free", 1, 0, with_forcing=False)
    alone = forced(tmp_path / "alone", 1, 0)

    assert alone != free
    for ranks, servers in ((2, 1), (3, 2)):
        assert forced(tmp_path / f"{ranks}_{servers}", ranks, servers) == alone
    without, cooled = means(tmp_path / "free"), means(tmp_path / "alone")
    # A few K a day for 25 minutes, and some g kg-1 a day: of the size that the file says, and downwards.
    change = cooled["theta_mean"][-1].mean() - without["theta_mean"][-1].mean()
    assert -0.2 < change < -0.005
    moistening = cooled["qv_mean"][-1, :3].mean() - without["qv_mean"][-1, :3].mean()
    assert 1e-6 < moistening < 1e-4


def test_a_forced_run_continues_with_the_same_state(tmp_path):
    whole = forced(tmp_path / "whole", 2, 1)
    forced(tmp_path / "parts", 2, 1, "--steps", 200, "--checkpoint-every", 100)

    assert forced(tmp_path / "parts", 3, 1, "--continue", "newest") == whole

"""CAPE and what holds parcels back, against a solution of their own of the same equations (Bolton 1980)."""

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, ROOT, SERVER, mpi_command, run
from scipy.optimize import brentq

CONFIGURATION = """<io-configuration>
  <include file="cumulus_fields.xml"/>
  <data-handling>
    <diagnostic field="p" units="Pa" expression="101325 * (1 - 2.25577e-5 * z)^5.2559 + 0 * theta"/>
    <diagnostic field="t" units="K" expression="theta * (p / 1e5)^0.2857"/>
    <diagnostic field="q" units="kg kg-1" expression="qv / (1 + qv)"/>
    <diagnostic field="warm" units="K" expression="t + 1.5 * cos(x / 700)"/>
    <diagnostic field="cape" expression="cape[z](warm, pressure=p, humidity=q)"/>
    <diagnostic field="cin" expression="cape[z](warm, pressure=p, humidity=q, value=inhibition)"/>
    <diagnostic field="mucape" expression="cape[z](warm, pressure=p, humidity=q, parcel=most_unstable)"/>
    <diagnostic field="mucin"
      expression="cape[z](warm, pressure=p, humidity=q, parcel=most_unstable, value=inhibition)"/>
  </data-handling>
  <data-writing>
    <file name="cape.nc" write_time_frequency="0" write_on_terminate="true">
      <include group="all" time_manipulation="instantaneous" output_frequency="150"/>
    </file>
  </data-writing>
</io-configuration>
"""
NAMES = ("warm", "p", "q", "cape", "cin", "mucape", "mucin")


def published(directory, ranks, servers):
    for program in (BIN / "cumulus", SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(parents=True)
    includes = "".join(
        f'<include field="{name}" time_manipulation="instantaneous" output_frequency="150"/>'
        for name in NAMES
    )
    text = CONFIGURATION.replace(
        '<include group="all" time_manipulation="instantaneous" output_frequency="150"/>', includes
    )
    (directory / "run.xml").write_text(text)
    options = "--nx 12 --ny 8 --nz 40 --end 300 --output pileus --quiet".split()
    common = ["--directory", directory]
    path = f"PILEUS_INCLUDE_PATH={ROOT / 'examples' / 'cookbook'}"
    configuration = directory / "run.xml"
    command = [BIN / "cumulus", *options, *common] + ([] if servers else ["--config", configuration])
    server = [(servers, [SERVER, configuration, *common])] if servers else []
    done = run(["env", path, *mpi_command((ranks, command), *server)], f"{ranks} {servers}")
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = directory.glob("*.nc")
    return file


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1)


def vapour_of_saturation(t):
    return 611.2 * np.exp(17.67 * (t - 273.15) / (t - 29.65))


def kappa(r):
    return 0.2854 * (1 - 0.28 * r)


def theta_e(t, p, r, t_lcl):
    return t * (1e5 / p) ** kappa(r) * np.exp((3.376 / t_lcl - 0.00254) * 1000 * r * (1 + 0.81 * r))


def condensation(t, p, r):
    vapour = p * r / (0.622 + r)
    t_lcl = min(t, 2840 / (3.5 * np.log(t) - np.log(vapour / 100) - 4.805) + 55)
    return t_lcl, p * (t_lcl / t) ** (1 / kappa(r))


def parcel(t0, p0, r0, pressures):
    """Virtual temperatures of the parcel at these pressures."""
    t_lcl, p_lcl = condensation(t0, p0, r0)
    conserved = theta_e(t0, p0, r0, t_lcl)

    def ratio(t, p):
        vapour = vapour_of_saturation(t)
        return 0.622 * vapour / (p - vapour)

    temperatures = []
    for p in pressures:
        if p >= p_lcl:
            t, r = t0 * (p / p0) ** kappa(r0), r0
        else:
            t = brentq(lambda t, p=p: theta_e(t, p, ratio(t, p), t) - conserved, 120, t_lcl + 20, xtol=1e-11)
            r = ratio(t, p)
        temperatures.append(t * (1 + r / 0.622) / (1 + r))
    return np.array(temperatures), p_lcl


def energies(t, p, q, is_most_unstable):
    r = q / (1 - q)
    start = 0
    if is_most_unstable:
        near = p[0] - p <= 30000
        equivalent = [theta_e(*one, condensation(*one)[0]) for one in zip(t, p, r, strict=True)]
        start = int(np.argmax(equivalent * near))
    t, p, r = t[start:], p[start:], r[start:]
    risen, p_lcl = parcel(t[0], p[0], r[0], p[1:])
    buoyancy = np.append(0, risen - (t * (1 + r / 0.622) / (1 + r))[1:])
    depth = -287.04 * np.diff(np.log(p))
    a, b = buoyancy[:-1], buoyancy[1:]
    crosses = a * b < 0
    high = np.maximum(a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        positive = np.where(crosses, high**2 / (2 * abs(a - b)), np.maximum((a + b) / 2, 0))
    negative = positive - (a + b) / 2
    free = (p[1:] < p_lcl) & (positive > 0)
    if not free.any():
        return 0.0, 0.0
    first = int(np.argmax(free))
    return (positive * depth)[free].sum(), -(negative * depth)[: first + 1].sum()


def test_energies_are_those_of_the_equations(written):
    with netCDF4.Dataset(written) as file:
        file.set_auto_mask(False)
        values = {name: file[name][:].astype("f8") for name in NAMES}
        assert file["cape"].dimensions[0] == "time" and "z" not in file["cape"].dimensions
        order = [file["warm"].dimensions.index(name) for name in (*file["cape"].dimensions, "z")]
    t, p, q = (np.moveaxis(values[name], range(4), np.argsort(order)) for name in ("warm", "p", "q"))
    for place in np.ndindex(values["cape"].shape):
        for is_most_unstable, names in ((False, ("cape", "cin")), (True, ("mucape", "mucin"))):
            expected = energies(t[place], p[place], q[place], is_most_unstable)
            found = [values[name][place] for name in names]
            assert np.allclose(found, expected, rtol=1e-7, atol=1e-6), (place, names)
    assert (values["cape"] > 1).any() and (values["cin"] < -1).any()
    assert (values["mucape"] >= values["cape"] - 1e-6).mean() > 0.9


@pytest.mark.parametrize("ranks, servers", [(3, 2), (4, 1), (6, 3), (3, 0)])
def test_every_layout_gives_the_same_bytes(ranks, servers, written, tmp_path):
    assert published(tmp_path / "run", ranks, servers).read_bytes() == written.read_bytes()

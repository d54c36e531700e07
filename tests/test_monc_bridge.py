"""The bridge to MONC, compiled against a stand-in of MONC's interfaces: what its callbacks hand over."""

import re

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, ROOT, mpi_command, run

FORKS = ("leeds", "epcc")
NZ, NY, NX = 4, 6, 5
TIMEOUT_S = 120
# The older fork has decimals in the times of its names.
FILES = {"leeds": "diagnostic_files/out_80.0.nc", "epcc": "diagnostic_files/out_80.nc"}
LATER = {"leeds": "diagnostic_files/out_160.0.nc", "epcc": "diagnostic_files/out_160.nc"}
CHECKPOINT = "checkpoint_files/dump_8.nc"
# In MONC's own dialect, as its users write it.
CONFIGURATION = """<io-configuration>
#include "fields.xml"
<data-handling namespace="sums">
  <diagnostic field="w_mean" type="array" data_type="double" size="zn">
    <operator name="arithmetic" result="w_mean" equation="w_total/30"/>
    <communication name="reduction" operator="sum" result="w_total" field="w_total_local" root="auto"/>
  </diagnostic>
  <diagnostic field="vwp_max" type="scalar" data_type="double">
    <operator name="localreduce" operator="max" result="vwp_max_local" field="vwp"/>
    <communication name="reduction" operator="max" result="vwp_max" field="vwp_max_local" root="auto"/>
  </diagnostic>
  <diagnostic field="conditional" type="array" data_type="double" size="zn,nc,nd">
    <communication name="reduction" operator="sum" result="conditional" field="CondDiags_tot" root="auto"/>
  </diagnostic>
</data-handling>
<group name="all" namespace="3d">
  {members}
</group>
<group name="state" namespace="dump">
  <member name="w"/>
  <member name="timestep"/>
</group>
<group name="means" namespace="sums">
  <member name="w_mean"/>
</group>
<group name="others" namespace="sums">
  <member name="vwp_max"/>
  <member name="conditional"/>
</group>
<data-writing>
  <file name="checkpoint_files/dump.nc" write_timestep_frequency="{dump_frequency}" write_on_terminate="true"
        title="Checkpoint">
    <include group="state" time_manipulation="none"/>
    <include state="io"/>
  </file>
  <file name="diagnostic_files/out.nc" write_time_frequency="80" title="All">
    <include group="all" time_manipulation="instantaneous" output_frequency="{interval}"/>
    <include group="means" time_manipulation="averaged" output_frequency="{interval}"/>
    <include group="others" time_manipulation="instantaneous" output_frequency="{interval}"/>
  </file>
</data-writing>
</io-configuration>
"""
DEFINITIONS = """<data-definition name="fields" frequency="{sampling_frequency}" namespace="3d">
  <field name="w" type="array" data_type="double" size="z,y,x" collective=true optional=true/>
  <field name="u" type="array" data_type="double" size="zn,y,x" collective=true optional=true/>
  <field name="u_nogal" type="array" data_type="double" size="zn,y,x" collective=true optional=true/>
  <field name="q" type="array" data_type="double" size="zn,y,x,qfields" collective=true optional=true/>
  <field name="tracer" type="array" data_type="double" size="z,y,x,tfields" collective=true optional=true/>
  <field name="th" type="array" data_type="double" size="zn,y,x" collective=true optional=true/>
  <field name="vwp" type="array" data_type="double" size="y,x" collective=true optional=true/>
  <field name="thref" type="array" data_type="double" size="z"/>
  <field name="time" type="scalar" data_type="double"/>
  <field name="number" type="scalar" data_type="integer"/>
  <field name="terminated" type="scalar" data_type="boolean"/>
  <field name="off" type="array" data_type="double" size="z" optional=true/>
  <field name="q_indicies" type="map" data_type="string" size="active_q_indicies" optional=true/>
</data-definition>
<data-definition name="checkpoint" frequency="{dump_frequency}" namespace="dump">
  <field name="w" type="array" data_type="double" size="z,y,x" collective=true/>
</data-definition>
<data-definition name="sums" frequency="{sampling_frequency}" namespace="sums">
  <field name="w_total_local" type="array" data_type="double" optional=true/>
  <field name="vwp" type="array" data_type="double" optional=true/>
  <field name="CondDiags_tot" type="array" data_type="double" optional=true/>
</data-definition>
"""
MEMBERS = ["w", "u", "u_nogal", "q", "tracer", "th", "vwp", "thref", "time", "number", "terminated", "off"]
MAPS = ["q_indicies"]


def program(fork):
    path = BIN / f"pileus_monc_bridge_{fork}"
    if not path.is_file():
        pytest.skip(f"no program {path}: build it, or set PILEUS_BUILD")
    return path


def start(tmp_path, fork, ranks, *words, members=(*MEMBERS, *MAPS)):
    """What came of a job. Each third rank serves, from the first on."""
    text = CONFIGURATION.replace("{members}", "\n".join(f'<member name="{name}"/>' for name in members))
    (tmp_path / "fields.xml").write_text(DEFINITIONS, encoding="utf-8")
    (tmp_path / "run.xml").write_text(text, encoding="utf-8")
    command = mpi_command((ranks, [program(fork), "run.xml", *words]))
    return run(["env", "-C", tmp_path, *command], f"{fork}, {ranks} ranks {words}", TIMEOUT_S)


def run_bridge(tmp_path, fork, ranks, *words):
    done = start(tmp_path, fork, ranks, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def read(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        file.set_auto_chartostring(False)
        return {name: variable[...] for name, variable in file.variables.items()}


@pytest.fixture(scope="module", params=FORKS)
def published(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp(request.param)
    done = run_bridge(directory, request.param, 3)
    return request.param, read(directory / FILES[request.param]), done


def cells(number, steps=(2, 4, 6, 8)):
    """The formula of driver.F90, as (step, x, y, z): MONC's files have z fastest."""
    step, x, y, z = np.meshgrid(
        steps, np.arange(NX) + 1, np.arange(NY) + 1, np.arange(NZ) + 1, indexing="ij"
    )
    return 1000 * number + 100 * z + 10 * y + x + 0.25 * step


def test_prognostics_come_without_their_halos_and_as_winds_over_the_ground(published):
    _, file, _ = published

    assert np.array_equal(file["w"], cells(1))
    assert np.array_equal(file["u"], cells(2) + 2.5)
    assert np.array_equal(file["u_nogal"], cells(2))


def test_q_fields_are_told_apart_by_their_names(published):
    _, file, _ = published

    assert np.array_equal(file["q_vapour"], cells(3))
    assert np.array_equal(file["q_qfield_2"], cells(4))


def test_tracers_are_those_of_the_newer_fork(published):
    fork, file, _ = published

    names = {name for name in file if name.startswith("tracer")}
    assert names == ({"tracer_traj_xr", "tracer_rad1"} if fork == "epcc" else set())
    if fork == "epcc":
        assert np.array_equal(file["tracer_traj_xr"], cells(5))
        assert np.array_equal(file["tracer_rad1"], cells(6))


def test_components_give_planes_profiles_and_numbers(published):
    _, file, _ = published
    w = cells(1)

    assert np.array_equal(file["vwp"], w[:, :, :, 0])
    assert np.array_equal(file["vwp_max"], w[:, :, :, 0].max(axis=(1, 2)))
    assert np.allclose(file["w_mean"], w.mean(axis=(1, 2)), rtol=1e-14, atol=0)
    assert (file["number"] == 7).all()
    assert not {"th", "off"} & set(file)


def test_what_components_publish_is_looked_for_before_the_first_step(published):
    _, _, done = published

    # MONC finds each place of its list from the beginning, which took 2 ms in each step.
    lists = re.findall(r"(\d+) lists of published fields while the model ran", done.stdout)
    assert lists == ["0", "0"], done.stdout


def test_conditional_diagnostics_have_their_conditions_and_diagnostics(published):
    _, file, _ = published
    totals = cells(1).sum(axis=(1, 2))  # step, z
    added = np.array([[10 * c + d for c in (1, 2)] for d in (1, 2, 3)])  # diagnostic, condition
    expected = totals[:, None, None, :] + 2 * added[None, :, :, None]  # each of two model ranks adds it

    assert np.allclose(file["conditional"], expected, rtol=1e-14, atol=0)


def test_scalars_and_profiles_of_the_model(published):
    _, file, _ = published

    assert file["time"].tolist() == [20, 40, 60, 80]
    assert file["terminated"].tolist() == [0, 0, 0, 1]
    assert np.array_equal(file["thref"][-1], 300.0 + np.arange(1, NZ + 1))
    assert np.array_equal(file["zn"], 100.0 * np.arange(NZ) - 50)


def words_of(variable):
    """The texts of an array of characters."""
    if variable.ndim == 1:
        return variable.tobytes().decode().rstrip("\0 ")
    return [words_of(part) for part in variable]


def test_maps_have_the_options_and_the_q_fields(published):
    fork, file, _ = published
    options = dict(words_of(file["options_database"]))

    assert options["case"] == "warm bubble"
    assert options["sampling_frequency"] == "2"
    assert options["enable_io_server"] == "true"
    assert float(options["small"]) == 1.2345678901234567e-9
    assert float(options["interval"]) == 20 and ("E" in options["interval"]) == (fork == "epcc")
    assert dict(words_of(file["q_indicies"][-1])) == {"vapour": "1"}


def test_files_have_what_those_of_moncs_own_servers_have(published, tmp_path):
    fork, _, _ = published
    run_bridge(tmp_path, fork, 3)

    for name, has_conditions in ((FILES[fork], True), (CHECKPOINT, False)):
        with netCDF4.Dataset(tmp_path / name) as file:
            assert file["options_database"].dimensions == ("number_options", "kvp", "string")
            assert (file.dimensions["kvp"].size, file.dimensions["string"].size) == (2, 150)
            assert file["z"][:].tolist() == [0, 100, 200, 300]
            assert file["zn"][:].tolist() == [-50, 50, 150, 250]
            assert re.fullmatch(r"\d+/\d+/\d+ \d+:\d+:\d+", file.created)
            assert (file.getncattr("MONC time"), file.getncattr("MONC timestep")) == ("80.00", "8")
            assert ("conditions_fields_short" in file.variables) == has_conditions
            assert ("io_configuration" in file.variables) == (name == CHECKPOINT)


def test_conditions_and_diagnostics_have_their_names(published):
    _, file, _ = published

    assert words_of(file["conditions_fields_short"]) == ["CLu", ".not. CLu"]
    assert words_of(file["conditions_fields_long"]) == ["cloudy updraft", ".not. cloudy updraft"]
    assert words_of(file["diagnostics_fields_short"]) == ["area", "W", "TH"]
    assert words_of(file["diagnostics_fields_long"]) == ["fraction", "vertical wind", "temperature"]


@pytest.mark.parametrize("fork", FORKS)
def test_a_run_that_continues_has_its_own_options_and_the_same_values(fork, tmp_path):
    straight, parts = tmp_path / "straight", tmp_path / "parts"
    for directory in (straight, parts):
        directory.mkdir()
    run_bridge(straight, fork, 3, "long")
    run_bridge(parts, fork, 3)
    before = dict(words_of(read(parts / FILES[fork])["options_database"]))
    done = run_bridge(parts, fork, 3, "continued")
    expected, found = read(straight / LATER[fork]), read(parts / LATER[fork])

    assert "The IO configuration is that of the checkpoint" not in done.stderr
    assert set(expected) == set(found)
    for name in sorted(expected):
        assert np.array_equal(expected[name], found[name]), name
    assert (straight / LATER[fork]).read_bytes() == (parts / LATER[fork]).read_bytes()
    # Which checkpoint a run was started from is no option of the run.
    assert "checkpoint" not in dict(words_of(found["options_database"]))
    assert before["termination_step"] == "8"
    assert dict(words_of(found["options_database"]))["termination_step"] == "16"


@pytest.mark.parametrize("fork", FORKS)
def test_the_configuration_of_the_checkpoint_counts_where_its_files_have_changed(fork, tmp_path):
    run_bridge(tmp_path, fork, 3)
    kept = read(tmp_path / CHECKPOINT)["io_configuration"].tobytes().decode()
    done = start(tmp_path, fork, 3, "continued", members=["w"])
    again = read(tmp_path / "checkpoint_files/dump_16.nc")["io_configuration"].tobytes().decode()

    assert done.returncode == 0, done.stdout + done.stderr
    assert "The IO configuration is that of the checkpoint" in done.stderr
    assert "#include" not in kept and '<field name="thref"' in kept
    assert again == kept
    assert {"w", "u", "vwp", "thref"} <= set(read(tmp_path / LATER[fork]))


def test_the_bytes_are_the_same_with_two_servers_and_four_model_ranks(published, tmp_path):
    fork, file, _ = published
    run_bridge(tmp_path, fork, 6)
    other = read(tmp_path / FILES[fork])

    # What the stand-in's component adds on each rank, it adds twice as often here.
    for name in sorted(set(file) - {"conditional"}):
        assert np.array_equal(file[name], other[name]), name
    assert set(file) == set(other)


def test_the_newer_fork_learns_its_sampling_from_the_configuration(tmp_path):
    done = run_bridge(tmp_path, "epcc", 3)

    assert done.stdout.count("every 2 next 0 outputs 20\n") == 2, done.stdout


def test_frequencies_are_seconds_with_time_basis(tmp_path):
    done = run_bridge(tmp_path, "epcc", 3, "time_basis")
    file = read(tmp_path / FILES["epcc"]) if (tmp_path / FILES["epcc"]).is_file() else None

    # Eight steps of 2.5 s: samples at 10 and 20 s, and one record.
    assert re.search(r"every 10 next 10 outputs 20\n", done.stdout), done.stdout
    assert re.search(r"every 10 next 30 outputs 20\n", done.stdout), done.stdout
    assert file is not None and file["time"].tolist() == [20]
    assert np.array_equal(file["w"], cells(1, (8,)))
    assert np.allclose(file["w_mean"][0], cells(1, (4, 8)).mean(axis=(0, 1, 2)), rtol=1e-14, atol=0)


@pytest.mark.parametrize("fork", FORKS)
def test_a_model_without_its_server_goes_on(fork, tmp_path):
    done = run_bridge(tmp_path, fork, 2, "no_server")

    assert "enable_io_server is false" in done.stderr
    assert not list(tmp_path.rglob("*.nc"))


@pytest.mark.parametrize("fork", FORKS)
def test_a_mistake_in_the_configuration_ends_the_model_with_its_text(fork, tmp_path):
    done = start(tmp_path, fork, 3, members=["wnd"])

    assert done.returncode != 0
    assert re.search(r'\[ERROR\] .*no field or diagnostic "wnd"', done.stderr), done.stderr


def test_two_files_are_compared_variable_by_variable(published, tmp_path):
    fork, _, _ = published
    compare = ROOT / "integrations" / "monc" / "compare.py"
    run_bridge(tmp_path, fork, 3)
    one = tmp_path / FILES[fork]
    other = tmp_path / "other.nc"
    other.write_bytes(one.read_bytes())

    same = run(["python3", compare, one, other], "same")
    with netCDF4.Dataset(other, "a") as file:
        file["u"][0, 0, 0, 0] += 1e-3
    differing = run(["python3", compare, one, other], "differing")

    assert same.returncode == 0 and same.stdout.endswith("0 that differ\n"), same.stdout + same.stderr
    assert differing.returncode == 1 and re.search(r"^u: \d", differing.stdout, re.MULTILINE)
    assert differing.stdout.endswith("1 that differ\n"), differing.stdout

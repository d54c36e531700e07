"""Servers that cannot keep up do not grow without end, and models wait for them instead."""

import json
from pathlib import Path

import pytest
from oracle.launch import SERVER, mpi_command, run

MODELS = Path(SERVER).resolve().parent.parent / "bench" / "models"
MODEL, WRITES = MODELS / "profiles_model", MODELS / "write_model"
PROFILES = 200
MIB = 1 << 20
# A server may take so much besides its program: windows, the library's 200 variables, the allocator's waste.
MOST_BYTES = 64 * MIB


def configuration(budget):
    """Means over ten steps of sums of all ranks; a step is 96 kB of numbers."""
    fields = "".join(f'<field name="sum_{f}" type="array" size="z"/>' for f in range(PROFILES))
    diagnostics = "".join(
        f'<diagnostic field="mean_{f}">'
        f'<communication name="reduction" operator="sum" field="sum_{f}" result="total_{f}"/>'
        f'<operator name="arithmetic" equation="total_{f}/1024" result="mean_{f}"/></diagnostic>'
        for f in range(PROFILES)
    )
    members = "".join(f'<member name="mean_{f}"/>' for f in range(PROFILES))
    return f"""<io-configuration>
      <server-configuration><memory budget="{budget}"/></server-configuration>
      <data-definition name="sums" frequency="1">{fields}</data-definition>
      <data-handling>{diagnostics}</data-handling>
      <group name="all">{members}</group>
      <data-writing><file name="profiles.nc" write_time_frequency="100">
        <include group="all" time_manipulation="averaged" output_frequency="10"/></file></data-writing>
    </io-configuration>"""


def report_of(budget, steps, directory):
    if not MODEL.is_file():
        pytest.skip(f"no program {MODEL}: build it, or set PILEUS_BUILD")
    directory.mkdir()
    written = directory / "run.xml"
    written.write_text(configuration(budget), encoding="utf-8")
    report = directory / "report.json"
    server = [SERVER, written, "--directory", directory]
    words = mpi_command((1, [MODEL, written, PROFILES, steps]), (1, server))
    done = run(words, f"a budget of {budget}", PILEUS_REPORT=str(report))
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(report.read_text())


def test_a_server_that_cannot_keep_up_stops_growing_and_its_model_waits(tmp_path):
    # 29 MB, which the model has at once and the server adds up, rounds and writes.
    report = report_of("4 MiB", 300, tmp_path / "run")

    (server,), (rank,) = report["servers"], report["model_ranks"]
    assert not report["errors"]
    assert server["most_memory_bytes"] - server["memory_at_start_bytes"] <= MOST_BYTES
    assert rank["waiting_s"] > 0


def test_a_budget_smaller_than_a_step_takes_one_step_after_the_other(tmp_path):
    report = report_of("1", 100, tmp_path / "run")

    (server,), (rank,) = report["servers"], report["model_ranks"]
    assert not report["errors"]
    assert server["most_memory_bytes"] - server["memory_at_start_bytes"] <= MOST_BYTES
    assert rank["steps"] == 100
    assert (tmp_path / "run" / "profiles_100.nc").exists()


def large_fields(directory, steps, budget):
    """The report of a run whose model writes a field of 26 MB in each of the steps."""
    if not WRITES.is_file():
        pytest.skip(f"no program {WRITES}: build it, or set PILEUS_BUILD")
    written = directory / "run.xml"
    written.write_text(f"""<io-configuration>
      <server-configuration><memory budget="{budget}"/></server-configuration>
      <data-definition name="state" frequency="1">
        <field name="field_0" type="array" size="x,y,z" collective="true"/></data-definition>
      <data-writing><file name="fields.nc" write_time_frequency="{steps}">
        <include field="field_0" time_manipulation="instantaneous" output_frequency="1"/></file>
      </data-writing>
    </io-configuration>""", encoding="utf-8")
    report = directory / "report.json"
    model = [WRITES, "pileus", written, directory, 256, 256, 50, 1, steps, 0, 0]
    done = run(mpi_command((1, model), (1, [SERVER, written, "--directory", directory])),
               "fields of 26 MB", PILEUS_REPORT=str(report))
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(report.read_text())


def test_a_server_of_large_fields_takes_one_of_them_and_little_else(tmp_path):
    # Handed over at full rate, with a budget that lets one come when the one before is in the file: there is
    # no other copy of it, and what is done with is not kept.
    field = 8 * 256 * 256 * 50

    report = large_fields(tmp_path, steps=12, budget="1")

    (server,) = report["servers"]
    assert not report["errors"]
    assert server["most_memory_bytes"] - server["memory_at_start_bytes"] <= field + 16 * MIB

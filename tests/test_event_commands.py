"""Commands at epochs, checkpoints and the end of a run, which waits for them however long they take."""

import pytest
from oracle.launch import BIN, SERVER, mpi_command, run

MODEL = BIN / "pileus_neighbours_model"
# Longer than any patience with which processes of a run part.
SLOW_S = 12
CONFIGURATION = """<io-configuration>
  <server-configuration>
    <events on_epoch="{folder}/say epoch" on_end="sleep {slow}; {folder}/say end"/>
  </server-configuration>
  <data-definition name="state" frequency="1">
    <field name="w" size="x,y,z" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="w.nc" write_time_frequency="2"><include field="w" time_manipulation="none"/></file>
  </data-writing>
</io-configuration>
"""
SAY = """#!/bin/sh
echo "$1 $2 $PILEUS_COMPLETE_THROUGH_S $PILEUS_STATUS" >> "$(dirname "$0")/said"
"""


@pytest.mark.parametrize("ranks, servers", [(2, 1), (3, 2), (2, 0)])
def test_a_run_waits_for_its_last_command(tmp_path, ranks, servers):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    (tmp_path / "say").write_text(SAY)
    (tmp_path / "say").chmod(0o755)
    (tmp_path / "run.xml").write_text(CONFIGURATION.format(folder=tmp_path, slow=SLOW_S))
    model = (ranks, [MODEL, "run.xml", ranks])
    server = [(servers, [SERVER, "run.xml"])] if servers else []

    done = run(["env", "-C", tmp_path, *mpi_command(model, *server)], f"{ranks} {servers}")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr and "error" not in done.stderr, done.stderr
    *epochs, end = (tmp_path / "said").read_text().splitlines()
    assert end == f"end {tmp_path}  ok"
    times = [float(line.split()[1]) for line in epochs]
    assert times == sorted(times) and times[-1] >= 4
    assert all(line.split()[1] == line.split()[2] for line in epochs)
    last = (tmp_path / "pileus-events.jsonl").read_text().splitlines()[-1]
    assert '"finished"' in last

"""The picture of the README: a sum with the same bits at every step and on every layout."""

import os
import re
import subprocess
import sys

from oracle.launch import BUILD, MPIRUN, ROOT, require_programs


def test_the_mass_has_one_value_where_loops_give_many(tmp_path):
    require_programs()
    environment = {**os.environ, "PILEUS_BUILD": str(BUILD), "PYTHON": sys.executable, "MPIRUN": MPIRUN,
                   "END_TIME": "60"}

    done = subprocess.run([ROOT / "examples" / "same_bits" / "run.sh", tmp_path], env=environment,
                          capture_output=True, text=True, timeout=400)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "the files of all layouts have the same bytes" in done.stdout
    assert "Pileus, on any ranks and servers: 1 value in" in done.stdout
    looped = [int(count) for count in re.findall(r"added up on \d ranks?: (\d+) values", done.stdout)]
    assert len(looped) == 3 and min(looped) > 1, done.stdout
    assert (tmp_path / "same_bits.png").read_bytes().startswith(b"\x89PNG")

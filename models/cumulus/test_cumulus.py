"""Tests of the cumulus model: the same bits on any number of ranks, restarts, errors of its command line.

The program is taken from the variable CUMULUS, the launcher from MPIRUN.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CUMULUS = os.environ.get("CUMULUS", str(ROOT / "build" / "release" / "bin" / "cumulus"))
MPIRUN = os.environ.get("MPIRUN", "mpirun")
TIMEOUT_S = 120
SERVER = os.environ.get("PILEUS_SERVER", str(Path(CUMULUS).parent / "pileus-server"))
DEMO = str(ROOT / "examples" / "demo" / "cumulus.xml")
SMALL_GRID = ("--nx", "20", "--ny", "18", "--nz", "16", "--dx", "200", "--dy", "200", "--dz", "100")
STEPS = ("--steps", "20")


def launcher_flags():
    """Flags for more ranks than cores, which only Open MPI needs."""
    version = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True, timeout=TIMEOUT_S)
    if "Open MPI" not in version.stdout and "open-mpi" not in version.stdout:
        return []
    return ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]


def run_cumulus(ranks, *options, servers=()):
    """Runs the model and returns the finished process, with its output as text.

    servers : what mpirun is told about a second program, nothing if there is none.
    """
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       SOURCE_DATE_EPOCH="0")
    command = [MPIRUN, *launcher_flags(), "-n", str(ranks), CUMULUS, *options]
    if servers:
        command += [":", *servers]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, env=environment)


def hash_of(ranks, *options, servers=()):
    """The hash that a run prints at its end."""
    done = run_cumulus(ranks, "--quiet", "--hash", *options, servers=servers)
    assert done.returncode == 0, done.stderr
    found = re.search(r"^hash ([0-9A-F]{16})$", done.stdout, re.MULTILINE)
    assert found, done.stdout
    return found.group(1)


def has_netcdf():
    """Whether the program can write restart files."""
    with tempfile.TemporaryDirectory() as folder:
        done = run_cumulus(1, *SMALL_GRID, "--quiet", "--steps", "0", "--restart-write", f"{folder}/state.nc")
    return "built without netCDF" not in done.stderr


class CumulusTest(unittest.TestCase):
    """The model as a user sees it: options in, lines and files out."""

    @classmethod
    def setUpClass(cls):
        if not Path(CUMULUS).is_file():
            raise unittest.SkipTest(f"no program {CUMULUS}: set CUMULUS")
        if shutil.which(MPIRUN) is None:
            raise unittest.SkipTest(f"no launcher {MPIRUN}: set MPIRUN")

    def assert_mistake(self, ranks, options, expected):
        """The run ends with status 2 and prints the expected text exactly once."""
        done = run_cumulus(ranks, *options)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("cumulus: "), 1, done.stderr)
        self.assertIn(expected, done.stderr)

    def test_bits_do_not_depend_on_the_number_of_ranks(self):
        alone = hash_of(1, *SMALL_GRID, *STEPS)

        for ranks in range(2, 7):
            with self.subTest(ranks=ranks):
                self.assertEqual(hash_of(ranks, *SMALL_GRID, *STEPS), alone)

    def test_bits_do_not_depend_on_the_widths_of_the_parts(self):
        alone = hash_of(1, *SMALL_GRID, *STEPS)

        for ranks, layout in [(3, "3x1"), (3, "1x3"), (4, "2x2"), (5, "5x1"), (6, "3x2")]:
            with self.subTest(layout=layout):
                self.assertEqual(hash_of(ranks, *SMALL_GRID, *STEPS, "--layout", layout, "--uneven"), alone)

    def test_bits_depend_on_the_seed_and_on_the_step(self):
        hashes = {hash_of(2, *SMALL_GRID, *options)
                  for options in [("--steps", "5"), ("--steps", "6"), ("--steps", "5", "--seed", "2")]}

        self.assertEqual(len(hashes), 3)

    def test_run_continued_on_other_ranks_ends_with_the_same_bits(self):
        if not has_netcdf():
            self.skipTest("built without netCDF")
        whole = hash_of(1, *SMALL_GRID, *STEPS)

        with tempfile.TemporaryDirectory() as folder:
            state = f"{folder}/state.nc"
            hash_of(3, *SMALL_GRID, "--steps", "12", "--restart-write", state)
            self.assertEqual(os.listdir(folder), ["state.nc"])
            for ranks, options in [(1, ()), (2, ()), (4, ("--uneven",))]:
                with self.subTest(ranks=ranks):
                    continued = hash_of(ranks, *SMALL_GRID, "--steps", "8", "--restart-read", state, *options)
                    self.assertEqual(continued, whole)

    def test_restart_of_another_grid_is_an_error(self):
        if not has_netcdf():
            self.skipTest("built without netCDF")

        with tempfile.TemporaryDirectory() as folder:
            state = f"{folder}/state.nc"
            hash_of(2, *SMALL_GRID, "--steps", "1", "--restart-write", state)
            self.assert_mistake(2, ["--nx", "24", "--ny", "18", "--nz", "16", "--restart-read", state],
                                "is for 20 by 18 by 16 cells")
            self.assert_mistake(2, [*SMALL_GRID, "--restart-read", f"{folder}/none.nc"], "cannot open")
            self.assert_mistake(2, [*SMALL_GRID, "--steps", "1", "--restart-write", f"{folder}/no/state.nc"],
                                "cannot create")

    def test_time_step_varies_and_clouds_form(self):
        done = run_cumulus(2, *SMALL_GRID, "--end", "240", "--progress", "1")

        self.assertEqual(done.returncode, 0, done.stderr)
        steps = [float(dt) for dt in re.findall(r"^step .* dt +([0-9.]+) s", done.stdout, re.MULTILINE)]
        cloud_water = [float(ql) for ql in re.findall(r"max ql +([0-9.]+) g/kg", done.stdout)]
        self.assertGreater(len(set(steps)), 20)
        self.assertGreater(max(steps), 1.5 * min(steps))
        self.assertEqual(cloud_water[0], 0)
        self.assertGreater(max(cloud_water), 0.01)

    def test_water_is_conserved_to_rounding(self):
        done = run_cumulus(2, *SMALL_GRID, *STEPS)

        change = re.search(r"relative change +(\S+)", done.stdout)
        self.assertLess(abs(float(change.group(1))), 1e-13)

    def test_layout_that_does_not_fit_is_an_error(self):
        self.assert_mistake(3, [*SMALL_GRID, "--layout", "2x1"], "needs 2 ranks, but the model has 3")
        self.assert_mistake(3, ["--nx", "8", "--ny", "18", "--nz", "16", "--layout", "3x1"],
                            "every part needs at least 3 cells")
        self.assert_mistake(5, ["--nx", "8", "--ny", "8", "--nz", "16"], "no layout of 5 ranks fits 8 by 8")

    def test_wrong_option_is_an_error_with_a_suggestion(self):
        for options, expected in [
            (["--hsah"], 'unknown option "--hsah"; did you mean "--hash"?'),
            (["--case", "bubles"], 'did you mean "bubbles"?'),
            (["--output", "pilus"], 'did you mean "pileus"?'),
            (["--nx", "many"], '--nx needs a whole number of at least 1, not "many"'),
            (["--nx", "99999999999"], "--nx needs a whole number"),
            (["--nz", "2"], "--nz needs a whole number of at least 4"),
            (["--dx", "-5"], "--dx needs a positive number"),
            (["--end"], "option --end needs a value"),
            (["--layout", "3by1"], "--layout needs PXxPY"),
            (["--set", "novalue"], "--set needs key=value"),
            (["stray"], 'unknown option "stray"'),
        ]:
            with self.subTest(options=options):
                self.assert_mistake(2, options, expected)

    def test_help_is_printed_once_and_is_no_error(self):
        done = run_cumulus(3, "--help")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("--restart-write FILE"), 1)

    def test_quiet_run_prints_nothing(self):
        done = run_cumulus(2, *SMALL_GRID, "--steps", "2", "--quiet")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")


class CumulusWithPileusTest(unittest.TestCase):
    """The model beside two servers, with the demo's configuration."""

    @classmethod
    def setUpClass(cls):
        if not Path(SERVER).is_file() or not Path(CUMULUS).is_file() or shutil.which(MPIRUN) is None:
            raise unittest.SkipTest(f"no program {SERVER}: set PILEUS_SERVER")

    def files_of_run(self, ranks, servers, *options, expected_hash):
        """Runs with servers, compares the hash, and returns the bytes of each file by its name."""
        with tempfile.TemporaryDirectory() as folder:
            beside = ["-n", str(servers), SERVER, DEMO, "--directory", folder]
            options = [*SMALL_GRID, *STEPS, "--output", "pileus", *options]
            self.assertEqual(hash_of(ranks, *options, servers=beside), expected_hash)
            return {path.name: path.read_bytes() for path in Path(folder).iterdir()}

    def test_files_have_the_same_bytes_for_every_layout_and_the_model_the_same_bits(self):
        alone = hash_of(1, *SMALL_GRID, *STEPS)
        reference = self.files_of_run(1, 1, expected_hash=alone)

        self.assertIn("series_1800.nc", reference)
        for ranks, servers, options in [(3, 2, ["--uneven"]), (2, 1, []), (5, 2, [])]:
            with self.subTest(ranks=ranks, servers=servers):
                self.assertEqual(self.files_of_run(ranks, servers, *options, expected_hash=alone), reference)

    def assert_job_ends(self, options, configuration, expected):
        """All ranks and servers end with a status that is not 0, and the model says why."""
        beside = ["-n", "2", SERVER, configuration]
        done = run_cumulus(3, *SMALL_GRID, *STEPS, "--output", "pileus", *options, servers=beside)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(expected, done.stderr)

    def test_mistakes_end_the_servers_too(self):
        self.assert_job_ends([], "none.xml", "cumulus: none.xml: error: cannot be read")
        self.assert_job_ends(["--layout", "2x1"], DEMO, "cumulus: the layout 2x1 needs 2 ranks")
        self.assert_job_ends(["--hsah"], DEMO, 'cumulus: unknown option "--hsah"')


if __name__ == "__main__":
    unittest.main()

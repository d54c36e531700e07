"""Tests of the cumulus model: the same bits on any number of ranks, restarts, errors of its command line.

The program is taken from the variable CUMULUS, or from the build that PILEUS_BUILD names; the launcher from
MPIRUN.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import netCDF4
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("PILEUS_BUILD", ROOT / "build" / "release")).resolve()
CUMULUS = os.environ.get("CUMULUS", str(BUILD / "bin" / "cumulus"))
MPIRUN = os.environ.get("MPIRUN", "mpirun")
TIMEOUT_S = 120
SERVER = os.environ.get("PILEUS_SERVER", str(Path(CUMULUS).parent / "pileus-server"))
DEMO = str(ROOT / "examples" / "demo" / "cumulus.xml")
LIST = str(ROOT / "models" / "cumulus" / "stratus.list")
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
    """Tell whether the program can write restart files."""
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
        """The run ends with status 1 and prints the expected text exactly once."""
        done = run_cumulus(ranks, *options)
        self.assertEqual(done.returncode, 1)
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
            (["--output", "sequental"], 'did you mean "sequential"?'),
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

    def test_the_version_is_printed_once(self):
        for options in ([], ["--output", "pileus"]):
            done = run_cumulus(3, "--version", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            version = r"\Acumulus \d+\.\d+\.\d+ \((Pileus \d|built without Pileus).*\)\n\Z"
            self.assertRegex(done.stdout, version)

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
        # Launchers do not always survive a rank that calls MPI_Abort.
        self.assertNotIn("mpi_abort", done.stderr.lower())

    def test_mistakes_end_the_servers_too(self):
        self.assert_job_ends([], "none.xml", "cumulus: none.xml: error: cannot be read")
        self.assert_job_ends(["--layout", "2x1"], DEMO, "cumulus: the layout 2x1 needs 2 ranks")
        self.assert_job_ends(["--hsah"], DEMO, 'cumulus: unknown option "--hsah"')


def values_of(file):
    """All variables of a file by name, as plain arrays."""
    with netCDF4.Dataset(file) as dataset:
        return {name: np.ma.getdata(variable[:]) for name, variable in dataset.variables.items()}


class CumulusComparedTest(unittest.TestCase):
    """The 232 diagnostics of the case "stratus", computed by Pileus and by the model itself."""

    STRATUS = ("--case", "stratus", "--nx", "12", "--ny", "10", "--nz", "14", "--dz", "80", "--end", "112")
    FILES = ["stratus_100.nc", "stratus_200.nc"]

    @classmethod
    def setUpClass(cls):
        if not Path(SERVER).is_file() or not Path(CUMULUS).is_file() or shutil.which(MPIRUN) is None:
            raise unittest.SkipTest(f"no program {SERVER}: set PILEUS_SERVER")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        configuration = Path(cls.folder.name) / "stratus.xml"
        with configuration.open("w") as out:
            subprocess.run([sys.executable, Path(LIST).with_suffix(".py"), LIST], stdout=out, check=True)
        cls.hash = hash_of(2, *cls.STRATUS, "--output", "pileus",
                           servers=["-n", "1", SERVER, str(configuration), "--directory", cls.folder.name])
        cls.reference = {name: values_of(Path(cls.folder.name) / name) for name in cls.FILES}

    def scale_of(self, name, values):
        """The magnitude that the rounding of sums is relative to: covariances may be small differences."""
        if name == "p_volume_mean":
            return np.abs(values["p_volume_min"]).max()
        if name.endswith("_cov") and "face" in name:
            return np.abs(values[name[0] + "_face_volume_max"]).max() ** 2
        if name.endswith("_cov"):
            return np.abs(values[name.removesuffix("cov") + "mean"]).max()
        return np.abs(values[name]).max()

    def assert_writes_the_same(self, output, ranks, *options):
        if not Path(CUMULUS).with_name(f"{output}_cumulus.so").is_file():
            self.skipTest(f"built without --output {output}")
        with tempfile.TemporaryDirectory() as folder:
            options = [*self.STRATUS, "--output", output, "--config", LIST, "--directory", folder, *options]
            self.assertEqual(hash_of(ranks, *options), self.hash)
            self.assertEqual(sorted(os.listdir(folder)), self.FILES)
            for file, expected in self.reference.items():
                written = values_of(Path(folder) / file)
                self.assertEqual(set(written), set(expected) - {"x", "y", "x_face", "y_face"})
                for name, values in written.items():
                    self.assertEqual(values.shape, expected[name].shape, name)
                    error = np.abs(values - expected[name]).max()
                    self.assertLessEqual(error, 1e-12 * self.scale_of(name, expected), (file, name))

    def test_list_has_as_many_diagnostics_as_the_publication_and_pileus_writes_them_all(self):
        times = {"z", "z_face", "time", "time_bnds"}

        for file, records in [("stratus_100.nc", 10), ("stratus_200.nc", 2)]:
            values = self.reference[file]
            self.assertEqual(len(set(values) - times), 232)
            self.assertEqual(values["time"].shape, (records,))
        self.assertGreater(self.reference["stratus_100.nc"]["lwp_max"].min(), 0)

    def test_sequential_output_has_the_same_values(self):
        for ranks, options in [(1, ()), (3, ("--uneven",)), (4, ())]:
            with self.subTest(ranks=ranks):
                self.assert_writes_the_same("sequential", ranks, *options)

    def test_parallel_output_has_the_same_values(self):
        for ranks, options in [(1, ()), (3, ("--uneven",)), (4, ())]:
            with self.subTest(ranks=ranks):
                self.assert_writes_the_same("parallel", ranks, *options)

    def test_sums_by_level_that_the_model_hands_over_give_the_same_values(self):
        for ranks, options in [(1, ()), (3, ("--uneven",))]:
            with self.subTest(ranks=ranks), tempfile.TemporaryDirectory() as folder:
                configuration = Path(folder) / "sums.xml"
                script = [sys.executable, Path(LIST).with_suffix(".py"), "--sums", LIST]
                with configuration.open("w") as out:
                    subprocess.run(script, stdout=out, check=True)
                servers = ["-n", "1", SERVER, str(configuration), "--directory", folder]
                options = [*self.STRATUS, "--output", "pileus", "--sums", LIST, *options]

                self.assertEqual(hash_of(ranks, *options, servers=servers), self.hash)

                for file, expected in self.reference.items():
                    written = values_of(Path(folder) / file)
                    self.assertEqual(set(written), set(expected))
                    for name, values in written.items():
                        error = np.abs(values - expected[name]).max()
                        self.assertLessEqual(error, 1e-12 * self.scale_of(name, expected), (file, name))

    def test_sums_without_pileus_are_a_mistake(self):
        done = run_cumulus(1, "--sums", LIST)

        self.assertEqual(done.returncode, 1)
        self.assertIn("--sums needs --output pileus", done.stderr)

    def test_mistakes_in_a_list_are_named_with_their_line(self):
        for line, expected in [
            ("x mean y,x thata K", 'list:2: no field "thata"; did you mean "theta"?'),
            ("x man y,x theta K", 'list:2: no reduction "man"; did you mean "mean"?'),
            ("x mean y,x theta", "list:2: expected: NAME REDUCTION DIMENSIONS FACTORS UNITS"),
            ("output stratus ten 100", "list:2: expected: output NAME SECONDS SECONDS"),
        ]:
            with self.subTest(line=line), tempfile.TemporaryDirectory() as folder:
                wrong = Path(folder) / "list"
                wrong.write_text(f"# a list\n{line}\n")
                done = run_cumulus(2, *self.STRATUS, "--output", "sequential", "--config", str(wrong))
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(done.stderr.count(expected), 1, done.stderr)

    def test_file_that_cannot_be_created_ends_the_run(self):
        done = run_cumulus(2, *self.STRATUS, "--output", "sequential", "--config", LIST,
                           "--directory", "/nowhere")

        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cumulus: cannot create /nowhere/stratus_100.nc: ", done.stderr)

    def test_domain_grows_with_the_ranks(self):
        size = ["--case", "stratus", "--nx", "6", "--ny", "8", "--nz", "14", "--steps", "3"]
        whole = ["--case", "stratus", "--nx", "12", "--ny", "16", "--nz", "14", "--steps", "3"]

        self.assertEqual(hash_of(4, *size, "--per-rank"), hash_of(3, *whole))


if __name__ == "__main__":
    unittest.main()

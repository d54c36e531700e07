"""Runs that go wrong, are broken off, forgotten or interrupted: what they say, and what stays behind."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from oracle.launch import MPIRUN, environment, launcher_flags

import pileus
from attached_runs import ARRAY, include, make, started, values_of
from attached_runs import configuration as configured

PYTHONPATH = os.environ["PYTHONPATH"]
PREFIX = os.environ["PILEUS_PREFIX"]


def script(tmp_path, text):
    path = tmp_path / "model.py"
    path.write_text(textwrap.dedent(text))
    return path


def changes():
    return environment() | {"PYTHONPATH": PYTHONPATH, "PILEUS_PREFIX": PREFIX}


def test_a_mistake_in_the_configuration_has_its_place(tmp_path):
    path = tmp_path / "run.xml"
    path.write_text(ARRAY.replace("time_manipulation", "time_manipulatoin"))
    with pytest.raises(pileus.ConfigError) as refused, started(tmp_path, path) as run:
        run.field("theta", ("z", "y", "x"))
        run.commit()

    error = refused.value
    assert (error.file, error.suggestion) == (str(path), "time_manipulation")
    assert "time_manipulatoin" in path.read_text().splitlines()[error.line - 1][error.column - 1 :]
    assert all(one.severity == "error" for one in error.findings)


def test_the_place_in_a_text_has_no_name_of_a_file(tmp_path):
    with (
        pytest.raises(pileus.ConfigError) as refused,
        started(tmp_path, "<io-configuration><fiel/></io-configuration>") as run,
    ):
        run.commit()

    assert str(refused.value).startswith("configuration:1:")
    assert "/tmp" not in str(refused.value)


def test_every_error_has_its_cause(tmp_path):
    with started(tmp_path) as run:
        with pytest.raises(pileus.UsageError, match="step"):
            run.closing().__enter__()
        with pytest.raises(pileus.UsageError):
            run.field("theta", ("z", "y", "x"), dtype=np.complex128)
    with pytest.raises(pileus.UsageError, match="closed"):
        run.commit()
    assert issubclass(pileus.UsageError, ValueError) and issubclass(pileus.OutputError, OSError)


def test_a_folder_that_is_not_there_is_an_error_of_output(tmp_path):
    with pytest.raises(pileus.Error, match="nowhere") as refused:
        make(tmp_path / "nowhere")
    assert isinstance(refused.value, (pileus.OutputError, pileus.ConfigError))


def test_an_exception_breaks_the_run_off_and_the_next_one_runs(tmp_path):
    with pytest.raises(ZeroDivisionError), started(tmp_path) as run:
        theta = run.field("theta", ("z", "y", "x"))
        run.commit()
        with run.step(1, 1, 1):
            theta.put(values_of(1))
            1 / 0  # noqa: B018
    assert run.results().files == []
    (tmp_path / "again").mkdir()
    assert make(tmp_path / "again").dataset["theta"].shape == (4, 3, 4, 5)


def test_a_run_that_is_forgotten_is_broken_off(tmp_path, capfd):
    run = started(tmp_path)
    run.field("theta", ("z", "y", "x"))
    run.commit()
    del run
    gc.collect()

    assert "broke the run off" in capfd.readouterr().err
    assert not list(tmp_path.glob("*.nc"))


def test_a_run_that_ends_with_the_interpreter_is_broken_off(tmp_path):
    path = script(
        tmp_path,
        f"""
        import pileus
        run = pileus.Run({ARRAY!r})
        for name, size in dict(x=5, y=4, z=3).items(): run.dimension(name, size)
        theta = run.field("theta", ("z", "y", "x"))
        run.commit()
        """,
    )
    done = subprocess.run(
        [sys.executable, path], cwd=tmp_path, env=changes(), capture_output=True, text=True, timeout=120
    )

    assert done.returncode == 0, done.stderr
    assert "broke the run off" in done.stderr


def test_fields_of_a_run_that_is_over_are_refused(tmp_path):
    with started(tmp_path) as run:
        theta = run.field("theta", ("z", "y", "x"))
        run.commit()
    other = started(tmp_path)  # whose memory may be where that of the first was
    for use in (
        lambda: theta.wanted,
        lambda: theta.used,
        lambda: theta.put(values_of(1)),
        lambda: run.step(1, 1, 1).__enter__(),
    ):
        with pytest.raises(pileus.UsageError, match="closed"):
            use()
    other.close()


def test_a_finish_that_is_refused_may_come_again(tmp_path):
    with started(tmp_path) as run:
        theta = run.field("theta", ("z", "y", "x"))
        with pytest.raises(pileus.UsageError):
            run.finish()
        run.commit()
        for step in (1, 2, 3, 4):
            with run.step(step, step, 1, final=step == 4):
                with pytest.raises(pileus.UsageError):
                    run.finish()
                theta.put(values_of(step))
    assert [path.name for path in run.results().files] == ["out_4.nc"]


def test_nothing_is_left_of_runs_that_do_not_begin_or_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for settings in (
        {"servers": {"bogus": 1}},
        {"options": {"a\0b": 1}},
        {"continue_from": "5"},
        {"comm": 7},
    ):
        with pytest.raises(pileus.UsageError):
            pileus.Run(ARRAY, **settings)
    for component in (None, "ocean"):
        run = started(tmp_path, component=component)
        assert list(tmp_path.iterdir())
        del run
        gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_runs_of_threads_do_not_meet(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    def one(number):
        (tmp_path / str(number)).mkdir()
        return len(make(tmp_path / str(number)).files)

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(one, range(8))) == [1] * 8


def test_a_child_of_fork_leaves_the_run_alone(tmp_path):
    with started(tmp_path) as run:
        theta = run.field("theta", ("z", "y", "x"))
        child = os.fork()
        if child == 0:
            status = 1
            try:
                theta.put(values_of(1))
            except pileus.UsageError:
                run.close()
                gc.collect()
                status = 0
            os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        run.commit()
        for step in (1, 2, 3, 4):
            with run.step(step, step, 1, final=step == 4):
                theta.put(values_of(step))
    assert len(run.results().files) == 1


def test_runs_are_not_copied(tmp_path):
    import copy
    import pickle

    with started(tmp_path) as run:
        for make_another in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="neither copied nor pickled"):
                make_another(run)


def test_component_runs_tell_of_their_files(tmp_path):
    told = []
    text = ARRAY.replace(
        "<io-configuration>", "<io-configuration><server-configuration><events/></server-configuration>"
    )
    for name, configuration in (("own", ARRAY), ("asked", text)):
        (tmp_path / name).mkdir()
        with started(tmp_path / name, configuration, component="ocean") as run:
            run.on_published(told.append)
            theta = run.field("theta", ("z", "y", "x"))
            run.commit()
            for step in (1, 2, 3, 4):
                with run.step(step, step, 1, final=step == 4):
                    theta.put(values_of(step))
    assert len(told) == 2


def test_the_name_of_a_component_does_not_stay_in_the_log(tmp_path, capfd):
    for name, component in (("one", "ocean"), ("two", None)):
        (tmp_path / name).mkdir()
        with started(tmp_path / name, component=component) as run:
            theta = run.field("theta", ("z", "y", "x"))
            run.commit()
            with run.step(1, 1, 1, final=True):
                theta.put(values_of(1))
        run.close()
    lines = [line for line in capfd.readouterr().err.splitlines() if "published" in line]
    assert ["ocean" in line for line in lines] == [True, False]


def test_all_callbacks_are_told_of_all_files_before_one_of_them_raises(tmp_path):
    told = []

    def fail(file):
        told.append("failed")
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), started(tmp_path) as run:
        run.on_published(fail)
        run.on_published(lambda file: told.append(file.path.name))
        theta = run.field("theta", ("z", "y", "x"))
        run.commit()
        for step in range(1, 9):
            with run.step(step, step, 1, final=step == 8):
                theta.put(values_of(step))
    assert told.count("failed") == len([one for one in told if one != "failed"]) > 0


def test_checkpoints_of_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(pileus.OutputError, match="nowhere"):
        pileus.checkpoints(tmp_path / "nowhere")
    assert pileus.checkpoints(tmp_path) == []


INTERRUPTED = f"""
import sys, time
import numpy as np
import pileus
comm = None
if "mpi" in sys.argv:
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
with pileus.Run({ARRAY!r}, comm, servers=1 if "serve" in sys.argv else None) as run:
    if not run.serves:
        for name, size in dict(x=5, y=4, z=3).items(): run.dimension(name, size)
        theta = run.field("theta", ("z", "y", "x"), (0, 0, 0), (3, 4, 5))
        run.commit()
        for step in range(1, 10**6):
            with run.step(step, step, 1):
                theta.put(np.zeros((3, 4, 5)))
            if step == 5: print("running", flush=True)
            time.sleep(0.01)
"""


def interrupted(tmp_path, command, kind=signal.SIGINT):
    """Output of a job that got a signal when it was running."""
    with subprocess.Popen(
        list(map(str, command)),
        cwd=tmp_path,
        env=changes(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as job:
        try:
            assert job.stdout.readline() == "running\n"
            job.send_signal(kind)
            out, err = job.communicate(timeout=60)
        finally:
            job.kill()
    return job.returncode, out, err


def test_an_interrupt_ends_the_run(tmp_path):
    status, _, err = interrupted(tmp_path, [sys.executable, script(tmp_path, INTERRUPTED)])

    assert status == -signal.SIGINT and "KeyboardInterrupt" in err, err
    assert "broke the run off" in err


@pytest.mark.parametrize("serve", ["serve", "attached"])
def test_an_interrupt_of_a_job_leaves_no_server(tmp_path, serve):
    pytest.importorskip("mpi4py")
    path = script(tmp_path, INTERRUPTED)
    ranks = 2 if serve == "serve" else 1
    command = [
        MPIRUN,
        *launcher_flags(MPIRUN),
        "-n",
        ranks,
        sys.executable,
        "-m",
        "mpi4py",
        path,
        "mpi",
        serve,
    ]
    status, _, err = interrupted(tmp_path, command)

    assert status != 0, err
    deadline = time.monotonic() + 30
    while os_processes_with(str(path)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not os_processes_with(str(path))


def os_processes_with(word):
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as line:
                if word.encode() in line.read():
                    found.append(number)
        except OSError:
            continue
    return found


def test_it_goes_on_from_a_checkpoint(tmp_path):
    text = configured(
        '<field name="theta" type="array" size="x,y,z" collective="true"/>',
        include("theta", 4, "averaged"),
        more='<server-configuration><checkpoint keep="2"/></server-configuration>',
        frequency=8,
    )
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    whole.mkdir()
    pieces.mkdir()

    def steps(run, theta, numbers):
        run.commit()
        for step in numbers:
            with run.step(step, step, 1, final=step == 8, checkpoint=step == 3):
                theta.put(values_of(step))

    with started(whole, text) as run:
        steps(run, run.field("theta", ("z", "y", "x")), range(1, 9))
    with started(pieces, text) as run:
        steps(run, run.field("theta", ("z", "y", "x")), range(1, 4))
        run.close()
    assert pileus.checkpoints(pieces) == [3]
    assert [one["step"] for one in pileus.state(pieces)["checkpoints"]] == [3]
    with started(pieces, text, continue_from=3) as run:
        steps(run, run.field("theta", ("z", "y", "x")), range(4, 9))

    assert (whole / "out_8.nc").read_bytes() == (pieces / "out_8.nc").read_bytes()
    with pytest.raises(pileus.ConfigError, match="checkpoint"), started(pieces, text, continue_from=7) as run:
        steps(run, run.field("theta", ("z", "y", "x")), range(8, 9))


RARELY = ARRAY.replace('output_frequency="1"', 'output_frequency="1000"').replace(
    '"4"', '"1000" overwrite="true"'
)


def test_many_steps_and_runs_keep_no_memory(tmp_path):
    """Steps of one run, and runs of one process, leave nothing of their arrays and messages."""
    path = script(
        tmp_path,
        f"""
        import resource, sys
        import numpy as np
        import pileus

        def memory():
            with open("/proc/self/statm") as file: return int(file.read().split()[1]) * resource.getpagesize()

        def a_run(steps, look=()):
            seen = []
            with pileus.Run({RARELY!r}) as run:
                for name, size in dict(x=5, y=4, z=300).items(): run.dimension(name, size)
                theta = run.field("theta", ("z", "y", "x"))
                run.commit()
                for step in range(1, steps + 1):
                    with run.step(step, step, 1, final=step == steps):
                        theta.put(np.full((300, 4, 5), 1.0 * step))
                    if step in look: seen.append(memory())
            return seen
        early, late = a_run(10000, (2000, 10000))
        print(late - early)
        for _ in range(3): a_run(2)
        before = memory()
        for _ in range(15): a_run(2)
        print((memory() - before) / 15)
        """,
    )
    done = subprocess.run(
        [sys.executable, path], cwd=tmp_path, env=changes(), capture_output=True, text=True, timeout=300
    )

    assert done.returncode == 0, done.stderr
    of_steps, of_runs = [
        float(line) for line in done.stdout.splitlines() if line.lstrip("-").replace(".", "").isdigit()
    ]
    assert of_steps < 4e6, done.stdout  # 8000 steps of 48 kB
    assert of_runs < 1e6, done.stdout

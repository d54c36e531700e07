"""The scripts of examples/slurm start runs under Slurm, on two hosts that this machine makes.

./dev test hosts. Slurm's servers run on these hosts alone, and end with them.
"""

import json
import shutil
import subprocess
import time

import pytest
from oracle import hosts
from oracle.hosts import Hosts, is_complete
from oracle.kills import Job
from oracle.launch import (
    MODEL,
    ROOT,
    TIMEOUT_S,
    Layout,
    available_mpis,
    bin_of,
    environment,
    require_programs,
    run_model,
)
from test_hosts import ALPHA, CONFIGURATION, OPTIONS, assert_same
from test_signals import CONFIGURATION as LAKE
from test_signals import ENDLESS, assert_whole, kept, published, run_to

PLUGINS = {"openmpi": "pmix", "mpich": "pmi2"}
SCRIPTS = ROOT / "examples" / "slurm"
SETTINGS = """ClusterName=hosts
SlurmctldHost={first}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}
SlurmdSpoolDir={folder}/spool-%n
TmpFS=/dev/shm
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SlurmdParameters=config_overrides
ReturnToService=2
MailProg=/bin/true
NodeName={hosts} CPUs=8
PartitionName=all Nodes=ALL Default=YES
"""


@pytest.fixture(scope="module", autouse=True)
def needs():
    hosts.require()
    missing = [name for name in ("slurmctld", "slurmd", "srun", "sbatch") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"these programs of Slurm are not there: {', '.join(missing)}")
    require_programs()


class Slurm:
    """Slurm on hosts. Its servers end with them."""

    def __init__(self, two, folder):
        self.two, self.folder = two, folder
        for host in two.names:
            (folder / f"spool-{host}").mkdir()
        names = ",".join(two.names)
        (folder / "slurm.conf").write_text(SETTINGS.format(first=two.names[0], folder=folder, hosts=names))
        self.variables = {"SLURM_CONF": str(folder / "slurm.conf")}
        self.log = (folder / "log").open("w")
        self.servers = [self.started(ALPHA, "slurmctld", "-D")]
        self.servers += [self.started(host, "slurmd", "-D", "-N", host) for host in two.names]

    def started(self, host, *words):
        command = self.two.on(host, *words)
        return Job(command, environment() | self.variables, stdout=self.log, stderr=self.log)

    def wait_until_ready(self):
        deadline = time.monotonic() + TIMEOUT_S
        while self.ask("sinfo", "--noheader", "--format=%t %D").returncode != 0 or self.idle() < 2:
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.1)

    def idle(self):
        said = self.ask("sinfo", "--noheader", "--states=idle", "--format=%D").stdout
        return sum(map(int, said.split()))

    def ask(self, *words, **variables):
        """What one of Slurm's commands says on the first host. `variables`: of its environment."""
        command = [str(word) for word in self.two.on(ALPHA, *words)]
        return subprocess.run(command, env=environment() | self.variables | variables, capture_output=True,
                              text=True, timeout=TIMEOUT_S, check=False)

    def is_there(self, job):
        """Tell whether the job waits or runs, or has not quite ended."""
        return self.ask("squeue", "--noheader", f"--jobs={job}").stdout != ""

    def stop(self):
        for server in self.servers:
            server.kill()
        self.log.close()


@pytest.fixture(scope="module")
def slurm(needs, tmp_path_factory):
    with Hosts(tmp_path_factory.mktemp("hosts")) as two:
        slurm = Slurm(two, tmp_path_factory.mktemp("slurm"))
        try:
            slurm.wait_until_ready()
            yield slurm
        finally:
            slurm.stop()


PER_NODE = f"""<io-configuration>
  <include file="{CONFIGURATION}"/>
  <server-configuration><servers per_node="1"/></server-configuration>
</io-configuration>
"""


def submit(slurm, directory, mpi, script, *arguments):
    """Runs a script as a job on both hosts, three tasks on each; returns all that it said."""
    report = directory / "report.json"
    options = ["--parsable", "--nodes=2", "--ntasks-per-node=3", f"--chdir={directory}"]
    variables = {"SOURCE_DATE_EPOCH": "0", "PILEUS_REPORT": str(report), "PILEUS_SLURM_MPI": PLUGINS[mpi],
                 "PATH": f"{bin_of(mpi)}:{environment()['PATH']}"}
    job = slurm.ask("sbatch", *options, SCRIPTS / script, *arguments, **variables).stdout.strip()
    if mpi == "mpich":  # whose ranks may not come out of MPI_Finalize: oracle/hosts.py says why
        until(lambda: is_complete(report) or not slurm.is_there(job), slurm)
        slurm.ask("scancel", job)
    until(lambda: not slurm.is_there(job), slurm)
    said = "".join(path.read_text() for path in directory.glob("slurm-*.out"))
    said += "".join(path.read_text() for path in sorted(directory.glob("pileus.log*")))
    assert mpi == "mpich" or "JobState=COMPLETED" in slurm.ask("scontrol", "show", "job", job).stdout, said
    figures = json.loads(report.read_text())
    assert figures["errors"] == []
    assert (len(figures["model_ranks"]), len(figures["servers"])) == (4, 2), said
    return said


def until(is_true, slurm):
    deadline = time.monotonic() + TIMEOUT_S
    while not is_true():
        assert time.monotonic() < deadline, slurm.ask("squeue").stdout + (slurm.folder / "log").read_text()
        time.sleep(0.05)


@pytest.fixture
def directory(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def assert_written_as_on_one_host(configuration, directory, said):
    alone = run_model(Layout(is_alone=True), configuration, directory.parent / "alone", *OPTIONS)
    assert_same(alone, directory, said)


@pytest.mark.parametrize("mpi", available_mpis())
def test_one_program_serves_on_a_rank_of_each_host(slurm, directory, mpi):
    model = bin_of(mpi) / MODEL.name
    configuration = directory.parent / "run.xml"
    configuration.write_text(PER_NODE, encoding="utf-8")

    said = submit(slurm, directory, mpi, "same-program.sh", model, "--config", configuration, *OPTIONS)

    assert_written_as_on_one_host(configuration, directory, said)


@pytest.mark.parametrize("mpi", available_mpis())
def test_two_programs_are_a_model_and_a_server_on_each_host(slurm, directory, mpi):
    model = bin_of(mpi) / MODEL.name
    of_model = ["--config", CONFIGURATION, *OPTIONS]

    said = submit(slurm, directory, mpi, "two-programs.sh", model, CONFIGURATION, *of_model)

    assert_written_as_on_one_host(CONFIGURATION, directory, said)
    assert sorted(path.name for path in directory.glob("pileus.log*")) == ["pileus.log", "pileus.log.1"]


def test_a_chained_run_is_stopped_goes_on_in_another_job_and_ends(slurm, directory):
    """Slurm sends the signal some minutes before a job's time is over; here scancel sends it earlier."""
    mpi = "openmpi"
    (directory.parent / "run.xml").write_text(LAKE.replace("1 h", "5 min"), encoding="utf-8")
    began = slurm.ask("sbatch", "--parsable", "--nodes=2", "--ntasks-per-node=1", f"--chdir={directory}",
                      SCRIPTS / "chained.sh", bin_of(mpi) / "continued_c", "../run.xml", ENDLESS)
    first = int(began.stdout)
    until(lambda: published(directory), slurm)

    slurm.ask("scancel", "--signal=TERM", first)
    until(lambda: len(kept(directory)) > 0, slurm)
    until(lambda: not slurm.is_there(first), slurm)
    (stopped_at,) = kept(directory)
    before = len(published(directory))
    until(lambda: len(published(directory)) > before, slurm)  # by the next job
    (directory / "finished").touch()
    slurm.ask("scancel", "--signal=TERM", first + 1)
    until(lambda: slurm.ask("squeue", "--noheader").stdout == "", slurm)

    said = "".join(path.read_text() for path in sorted(directory.glob("slurm-*.out")))
    assert sorted(path.name for path in directory.glob("slurm-*.out")) == [
        f"slurm-{job}.out" for job in (first, first + 1)
    ], said
    step = max(kept(directory))
    assert step > stopped_at, said
    assert_whole(run_to(step + 50, mpi, directory), step + 50, mpi, directory)

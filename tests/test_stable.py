"""Arrays that the model leaves alone until its next step: whoever reads them, files are those of copies."""

import json

import pytest
from oracle.launch import available_mpis, bin_of, mpi_command, run

MODEL = "pileus_stable_model"
STEPS = 24
FIELDS = "".join(f'<field name="f{i}" type="array" size="x,y,z" collective="true"/>' for i in range(4))
# f0 is reduced alone, f1 goes to a file now and then, f2 is averaged as it is, f3 does both in few steps.
CONFIGURATION = f"""<io-configuration>
  <server-configuration><memory budget="{{budget}}"/></server-configuration>
  <data-definition name="state" frequency="1">{FIELDS}</data-definition>
  <data-handling>
    <diagnostic field="total" expression="sum[x,y,z](f0)"/>
    <diagnostic field="profile" expression="mean[x,y](f1)"/>
    <diagnostic field="largest" expression="max[x,y,z](f3*f0)"/>
  </data-handling>
  <data-writing>
    <file name="series.nc" write_time_frequency="12">
      <include field="total" time_manipulation="none"/>
      <include field="profile" time_manipulation="averaged" output_frequency="3"/>
      <include field="largest" time_manipulation="none"/>
    </file>
    <file name="fields.nc" write_time_frequency="12">
      <include field="f1" time_manipulation="instantaneous" output_frequency="4"/>
      <include field="f2" time_manipulation="averaged" output_frequency="6"/>
      <include field="f3" time_manipulation="instantaneous" output_frequency="8"/>
    </file>
  </data-writing>
</io-configuration>
"""
SHARED = {"PILEUS_SHARED_MEMORY": "yes"}


class Published:
    """The files of a run and what its report says of loans, in MB and s, summed over the ranks."""

    def __init__(self, directory, how, *, mpi="openmpi", ranks=3, servers=1, budget="64 MiB", work_us=0,
                 **environment):
        programs = [bin_of(mpi) / name for name in (MODEL, "pileus-server")]
        for program in programs:
            if not program.is_file():
                pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
        directory.mkdir()
        configuration, report = directory / "run.xml", directory / "report.json"
        configuration.write_text(CONFIGURATION.format(budget=budget))
        model = (ranks, [programs[0], configuration, how, STEPS, work_us])
        server = [(servers, [programs[1], configuration, "--report", report])] if servers else []
        words = ["env", "-C", directory, *mpi_command(model, *server, mpi=mpi)]
        done = run(words, how, **environment)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "error" not in done.stderr
        self.text = done.stdout
        self.files = {path.name: path.read_bytes() for path in directory.glob("*.nc")}
        assert len(self.files) == 4
        if servers:
            ranks = json.loads(report.read_text())["model_ranks"]
            self.lent = sum(rank["lent_bytes"] for rank in ranks)
            self.taken_back = sum(rank["taken_back_bytes"] for rank in ranks)


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The files of ordinary puts, by budget, as files tell the configuration."""
    known = {}

    def of(budget):
        if budget not in known:
            directory = tmp_path_factory.mktemp("copied") / "run"
            known[budget] = Published(directory, "copied", budget=budget, PILEUS_SHARED_MEMORY="no").files
        return known[budget]

    return of


@pytest.mark.parametrize("mpi", available_mpis())
@pytest.mark.parametrize("how", ["given", "own", "mixed"])
@pytest.mark.parametrize("budget", ["64 MiB", "1"])
def test_files_are_those_of_copies(mpi, how, budget, copied, tmp_path):
    published = Published(tmp_path / "run", how, mpi=mpi, budget=budget, servers=2, **SHARED)

    assert published.files == copied(budget)
    # The other budget lets the model end before it is told that its server can read its arrays.
    if budget == "1":
        assert published.lent > 0
        assert "of it not copied in put" in published.text


def test_arrays_are_taken_back_from_servers_that_have_not_come_to_them(copied, tmp_path):
    """The clock waits for memory of one step, so that the parcels of others lie unread."""
    published = Published(tmp_path / "run", "given", ranks=1, budget="1", **SHARED)

    assert published.files == copied("1")
    assert published.lent > 0


def test_a_server_that_has_time_reads_them_where_they_lie(copied, tmp_path):
    published = Published(tmp_path / "run", "given", work_us=30_000, **SHARED)

    assert published.files == copied("64 MiB")
    assert published.lent > published.taken_back


def test_ranks_share_memory_when_one_of_them_lends(copied, tmp_path):
    """Where MPI copies once they share none by themselves, and the server copies arrays in the same way."""
    published = Published(tmp_path / "run", "own", budget="1")

    assert published.files == copied("1")
    assert published.lent > 0


def test_an_attached_model_lends_to_itself(copied, tmp_path):
    assert Published(tmp_path / "run", "own", servers=0).files == copied("64 MiB")


def test_by_mpi_they_are_copied(copied, tmp_path):
    published = Published(tmp_path / "run", "mixed", PILEUS_SHARED_MEMORY="no")

    assert published.files == copied("64 MiB")
    assert published.lent == 0

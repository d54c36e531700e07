"""Models in three languages whose threads hand over the fields of a step publish what one thread does."""

import pytest
from oracle.launch import BIN, SERVER, mpi_command, run

FIELDS = 12
MODELS = {"C": "pileus_threads_model", "C++": "pileus_threads_model_cpp", "Fortran": "pileus_threads_fortran"}


def fields(first, last):
    return "".join(f'<field name="f{i}" type="array" size="x,y,z" collective="true"/>'
                   for i in range(first, last))


def includes(first, last, manipulation):
    return "".join(f'<include field="f{i}" time_manipulation="{manipulation}" output_frequency="6"/>'
                   for i in range(first, last))


# One half of the fields is wanted in every step, the other one in the steps that reach a record alone.
CONFIGURATION = f"""<io-configuration>
  <server-configuration><memory budget="{{budget}}"/></server-configuration>
  <data-definition name="state" frequency="1">{fields(0, 6)}</data-definition>
  <data-definition name="rest" frequency="1">{fields(6, FIELDS)}</data-definition>
  <data-writing>
    <file name="all.nc" write_time_frequency="12">
      {includes(0, 6, "averaged")}{includes(6, FIELDS, "instantaneous")}
    </file>
  </data-writing>
</io-configuration>
"""


def published(directory, language, threads, ranks=3, servers=2, budget="64 MiB", **environment):
    """The bytes of the published files by name."""
    for program in (BIN / MODELS[language], SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir()
    configuration = directory / "run.xml"
    configuration.write_text(CONFIGURATION.format(budget=budget))
    model = (ranks, [BIN / MODELS[language], configuration, threads])
    server = [(servers, [SERVER, configuration])] if servers else []
    done = run(["env", "-C", directory, *mpi_command(model, *server)], f"{threads} threads", **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in directory.glob("*.nc")}


@pytest.fixture(scope="module")
def of_one_thread(tmp_path_factory):
    files = published(tmp_path_factory.mktemp("one") / "thread", "C", 0)
    assert len(files) == 2
    return files


@pytest.mark.parametrize("language", MODELS)
@pytest.mark.parametrize("threads", [1, 6])
def test_files_are_those_of_one_thread(language, threads, of_one_thread, tmp_path):
    assert published(tmp_path / "run", language, threads) == of_one_thread


@pytest.mark.parametrize("language", MODELS)
def test_an_attached_model_may_have_threads(language, of_one_thread, tmp_path):
    assert published(tmp_path / "run", language, 4, servers=0) == of_one_thread


def test_threads_fill_memory_that_model_and_servers_share(of_one_thread, tmp_path):
    assert published(tmp_path / "run", "C", 6, PILEUS_SHARED_MEMORY="yes") == of_one_thread


def test_threads_go_on_when_memory_is_full(tmp_path):
    little = {"ranks": 2, "servers": 1, "budget": "1 MiB"}  # files tell the configuration, and so the budget
    of_one_thread = published(tmp_path / "one", "C", 0, **little)

    assert of_one_thread
    assert published(tmp_path / "six", "C++", 6, **little) == of_one_thread

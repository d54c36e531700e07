"""The example models, one in each language, publish the same bytes however they are started."""

import pytest
from oracle.launch import BIN, ROOT, SERVER, mpi_command, run

SMOKE = ROOT / "examples" / "smoke"
LANGUAGES = ("smoke_c", "smoke_cpp", "smoke_fortran")
FILES = ["smoke_field_1800.nc", "smoke_field_3600.nc", "smoke_series_3600.nc"]


@pytest.fixture(scope="module", autouse=True)
def programs():
    for name in LANGUAGES:
        if not (BIN / name).is_file():
            pytest.skip(f"no program {BIN / name}: build it, or set PILEUS_BUILD")


def published(directory, command):
    directory.mkdir()
    done = run(["env", "-C", directory, *command], " ".join(map(str, command)))
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.fixture(scope="module")
def configurations(tmp_path_factory):
    """The configuration as it is, and one that makes ranks of the model serve."""
    plain = SMOKE / "run.xml"
    serving = tmp_path_factory.mktemp("configurations") / "run.xml"
    servers = '<server-configuration><servers total="1"/></server-configuration>'
    text = plain.read_text()
    assert text.count("<io-configuration>") == 1
    serving.write_text(text.replace("<io-configuration>", "<io-configuration>" + servers))
    return plain, serving


@pytest.fixture(scope="module")
def by_one_rank(configurations, tmp_path_factory):
    """The files that one rank of the model in C publishes with each configuration."""
    where = tmp_path_factory.mktemp("alone")
    model = BIN / "smoke_c"
    return [published(where / str(i), [model, run_xml]) for i, run_xml in enumerate(configurations)]


def test_the_example_writes_its_files(by_one_rank):
    assert sorted(by_one_rank[0]) == FILES


@pytest.mark.parametrize("model", LANGUAGES)
def test_every_language_publishes_the_same_bytes_alone_and_attached(
    model, configurations, by_one_rank, tmp_path
):
    program = [BIN / model, configurations[0]]

    assert published(tmp_path / "alone", program) == by_one_rank[0]
    assert published(tmp_path / "attached", mpi_command((3, program))) == by_one_rank[0]


@pytest.mark.parametrize("model", LANGUAGES)
def test_every_language_publishes_the_same_bytes_beside_servers(model, configurations, by_one_rank, tmp_path):
    command = mpi_command((4, [BIN / model, "unread.xml"]), (2, [SERVER, configurations[0]]))

    assert published(tmp_path / "servers", command) == by_one_rank[0]


@pytest.mark.parametrize("model", LANGUAGES)
def test_every_language_publishes_the_same_bytes_with_ranks_that_serve(
    model, configurations, by_one_rank, tmp_path
):
    command = mpi_command((4, [BIN / model, configurations[1]]))

    assert published(tmp_path / "same program", command) == by_one_rank[1]

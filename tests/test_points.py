"""Points that are dealt to ranks in any order give the files of boxes, by MPI, attached, and after a kill."""

import pytest
from oracle.launch import BIN, SERVER, mpi_command, run

MODEL = BIN / "pileus_points_model"
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" size="x,y,z" collective="true"/>
    <field name="p" size="x,y" collective="true"/>
    <field name="area" size="x,y" collective="true" static="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="mean" expression="mean[x,y](t)"/>
    <diagnostic field="rows" expression="max[x](t)"/>
    <diagnostic field="weighted" expression="sum[x,y](p*area)/sum[x,y](area)"/>
    <diagnostic field="product" expression="p*area"/>
    <diagnostic field="blocks" expression="coarsen[y,x](t, 2, 3)"/>
    <diagnostic field="blocks_mean" expression="mean[y_by_2,x_by_3](blocks)"/>
    <diagnostic field="beside" expression="blocks - coarsen[y,x](p*area, 2, 3)"/>
  </data-handling>
  <data-writing>
    <file name="points.nc" write_time_frequency="10">
      <include field="t" time_manipulation="averaged" output_frequency="6"/>
      <include field="p" time_manipulation="instantaneous" output_frequency="4"/>
      <include field="area" time_manipulation="none"/>
      <include field="mean" time_manipulation="averaged" output_frequency="6"/>
      <include field="rows" time_manipulation="instantaneous" output_frequency="4"/>
      <include field="weighted" time_manipulation="none"/>
      <include field="product" time_manipulation="averaged" output_frequency="6"/>
      <include field="blocks" time_manipulation="averaged" output_frequency="6"/>
      <include field="blocks_mean" time_manipulation="averaged" output_frequency="6"/>
      <include field="beside" time_manipulation="instantaneous" output_frequency="4"/>
    </file>
  </data-writing>
</io-configuration>
"""


def start(directory, ranks, servers, *arguments):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(exist_ok=True)
    configuration = directory / "run.xml"
    configuration.write_text(CONFIGURATION)
    model = (ranks, [MODEL, configuration, *arguments])
    server = [(servers, [SERVER, configuration])] if servers else []
    return run(["env", "-C", directory, *mpi_command(model, *server)], " ".join(map(str, arguments)))


def published(directory, ranks, servers, *arguments):
    """The bytes of the published files by name."""
    done = start(directory, ranks, servers, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in directory.glob("*.nc")}


@pytest.fixture(scope="module")
def of_boxes(tmp_path_factory):
    files = published(tmp_path_factory.mktemp("boxes") / "run", 1, 1, 0)
    assert len(files) == 3
    return files


@pytest.mark.parametrize("ranks, servers", [(1, 1), (2, 1), (3, 2), (4, 3), (6, 3), (1, 3)])
def test_files_are_those_of_boxes(ranks, servers, of_boxes, tmp_path):
    assert published(tmp_path / "run", ranks, servers, ranks + servers) == of_boxes


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_files_of_an_attached_model_are_those_of_boxes(ranks, of_boxes, tmp_path):
    assert published(tmp_path / "run", ranks, 0, 7 + ranks) == of_boxes


@pytest.mark.parametrize("servers", [0, 2])
def test_a_killed_run_goes_on_with_another_deal(servers, of_boxes, tmp_path):
    killed = start(tmp_path / "run", 3, servers, 11, 5, "die")
    assert killed.returncode != 0
    assert published(tmp_path / "run", 4, servers, 12, 5, "continue") == of_boxes


def test_a_run_in_boxes_goes_on_with_points(of_boxes, tmp_path):
    assert start(tmp_path / "run", 2, 1, 0, 5, "die").returncode != 0
    assert published(tmp_path / "run", 3, 2, 13, 5, "continue") == of_boxes

"""A server that cannot go on ends its run in order, and a step that is too long is refused, in real jobs."""

import re

import pytest
from oracle.launch import BIN, Layout, model_command, require_programs, run

LIBRARY = BIN.parent / "lib" / "libodd_memory.so"
LAYOUTS = [Layout(is_alone=True), Layout(2, 0), Layout(3, 2, 1)]
CONFIGURATION = """<io-configuration>
  <server-configuration>{libraries}</server-configuration>
  <data-definition name="state" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="kept">{rule}</diagnostic>
  </data-handling>
  <data-writing>
    <file name="out.nc" write_time_frequency="50">
      <include field="kept" time_manipulation="averaged" output_frequency="{every}"/>
    </file>
  </data-writing>
</io-configuration>
"""


@pytest.fixture(autouse=True)
def programs():
    require_programs()


def job(layout, directory, **parts):
    path = directory / "run.xml"
    path.write_text(CONFIGURATION.format(**parts), encoding="utf-8")
    command = model_command(layout, path, directory, "--steps", 6, "--size", "5,7,6", "--report")
    done = run(command, str(layout), 60)
    return done, done.stdout + done.stderr


def assert_left_in_order(said):
    assert "mpi_abort" not in said.lower() and 'without calling "finalize"' not in said, said


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_lack_of_memory_in_an_operator_is_told_to_the_model_with_its_place(layout, tmp_path):
    if not LIBRARY.is_file():
        pytest.skip(f"no library {LIBRARY}: build it, or set PILEUS_BUILD")
    rule = '<operator name="failing" result="kept" field="w"/>'
    libraries = f'<operator-library file="{LIBRARY}"/>'

    done, said = job(layout, tmp_path, libraries=libraries, rule=rule, every="10")

    assert done.returncode == (1 if layout.servers > 0 else 0), said  # the model reports and ends with 0
    told = re.findall(r"model rank \d+: pileus_\w+: status 4: .*", said)
    assert len(told) == layout.ranks, said
    assert re.search(r"the run is stopped: .*run\.xml:7:\d+: .*\"kept\".*: not enough memory", said), said
    assert not list(tmp_path.glob("out*.nc"))
    assert_left_in_order(said)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_step_too_long_for_a_frequency_is_refused_on_every_rank(layout, tmp_path):
    rule = '<operator name="arithmetic" result="kept" equation="2*w"/>'

    done, said = job(layout, tmp_path, libraries="", rule=rule, every="1e-6")

    assert done.returncode == (1 if layout.servers > 0 else 0), said  # the model reports and ends with 0
    told = r"model rank \d+: pileus_begin: status 2: .*100000 records .*kept of \"out\.nc\" .*each 1e-06 s"
    assert len(re.findall(told, said)) == layout.ranks, said
    assert_left_in_order(said)

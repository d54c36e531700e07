"""Sums that the model has made itself give the bits of the raw array, on any number of ranks."""

import netCDF4
import numpy
import pytest
from oracle.launch import BIN, SERVER, mpi_command, require_programs, run

MODEL = BIN / "pileus_local_sums_model"
REDUCED = """
    <diagnostic field="{name}">
      <operator name="localreduce" operator="sum" field="{field}" dimensions="{over}" result="local_{name}"/>
      <communication name="reduction" operator="sum" field="local_{name}" result="sum_{name}"/>
      <operator name="arithmetic" equation="sum_{name}/61" result="{name}"/>
    </diagnostic>"""
CONFIGURATION = f"""<io-configuration>
  <data-definition name="all" frequency="1">
    <field name="w" type="array" data_type="double" size="z,x" collective="true"/>
    <field name="w_sum" type="array" data_type="double" size="part,z"/>
    <field name="w_total" type="array" data_type="double" size="part"/>
  </data-definition>
  <data-handling>
    {REDUCED.format(name="profile", field="w", over="x")}
    {REDUCED.format(name="profile_of_sums", field="w_sum", over="part")}
    {REDUCED.format(name="mean", field="w", over="z,x")}
    {REDUCED.format(name="mean_of_sums", field="w_total", over="part")}
  </data-handling>
  <group name="means">
    <member name="profile"/>
    <member name="profile_of_sums"/>
    <member name="mean"/>
    <member name="mean_of_sums"/>
  </group>
  <data-writing>
    <file name="steps.nc" write_time_frequency="8">
      <include group="means" time_manipulation="instantaneous" output_frequency="1"/>
    </file>
    <file name="means.nc" write_time_frequency="8">
      <include group="means" time_manipulation="averaged" output_frequency="3"/>
    </file>
  </data-writing>
</io-configuration>
"""


def files_of(folder, ranks, servers):
    """The files of a run, by name."""
    folder.mkdir()
    configuration = folder / "run.xml"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    programs = [(ranks, [MODEL, configuration, folder])]
    if servers:
        programs.append((servers, [SERVER, configuration, "--directory", folder]))
    done = run(mpi_command(*programs), f"{ranks} ranks, {servers} servers")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "depends on how the model is spread" not in done.stdout + done.stderr
    return sorted(folder.glob("*.nc"))


def values_of(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        return {name: file[name][:] for name in ("profile", "profile_of_sums", "mean", "mean_of_sums")}


@pytest.mark.parametrize(("ranks", "servers"), [(1, 0), (3, 0), (4, 2)])
def test_sums_of_the_model_have_the_bits_of_the_raw_array(tmp_path, ranks, servers):
    require_programs()
    files = files_of(tmp_path / "run", ranks, servers)

    assert len(files) == 2
    for path in files:
        values = values_of(path)
        assert numpy.any(values["profile"] != 0)
        numpy.testing.assert_array_equal(values["profile_of_sums"], values["profile"])
        numpy.testing.assert_array_equal(values["mean_of_sums"], values["mean"])


def test_sums_of_the_model_do_not_depend_on_its_ranks(tmp_path):
    require_programs()
    one = files_of(tmp_path / "one", 1, 0)
    three = files_of(tmp_path / "three", 3, 1)

    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in three]

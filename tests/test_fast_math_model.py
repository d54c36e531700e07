"""Files are the same bits if the model was linked with -Ofast, and whatever the processor can."""

import platform

import netCDF4
import numpy
import pytest
from oracle.launch import BIN, mpi_command, require_programs, run

PLAIN, FAST = BIN / "pileus_tiny_values_model", BIN / "pileus_tiny_values_fast_model"
FLUSHES = 0x8040  # FTZ and DAZ of MXCSR
CONFIGURATION = """<io-configuration>
  <data-definition name="all" frequency="1">
    <field name="tiny" type="array" data_type="double" size="x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="half">
      <operator name="arithmetic" equation="tiny*0.5" result="half"/>
    </diagnostic>
    <diagnostic field="powers">
      <operator name="arithmetic" equation="(tiny*2^1070)^0.2854+(tiny*2^1070)^3" result="powers"/>
    </diagnostic>
    <diagnostic field="mean">
      <operator name="localreduce" operator="sum" field="tiny" result="local"/>
      <communication name="reduction" operator="sum" field="local" result="total"/>
      <operator name="arithmetic" equation="total/600" result="mean"/>
    </diagnostic>
    <diagnostic field="least">
      <operator name="localreduce" operator="min" field="half" result="local_least"/>
      <communication name="reduction" operator="min" field="local_least" result="least"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="tiny.nc" write_time_frequency="18">
      <include field="tiny" time_manipulation="instantaneous" output_frequency="3"/>
      <include field="half" time_manipulation="averaged" output_frequency="6"/>
      <include field="powers" time_manipulation="instantaneous" output_frequency="3"/>
      <include field="mean" time_manipulation="averaged" output_frequency="4"/>
      <include field="least" time_manipulation="minimum" output_frequency="6"/>
    </file>
  </data-writing>
</io-configuration>
"""


def files_of(program, folder, ranks, servers, processor=()):
    """Runs the model; returns the modes that the ranks print, and the bytes of the files."""
    folder.mkdir()
    configuration = folder / "run.xml"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    model = ["env", *processor, program, configuration, folder, servers]
    done = run(mpi_command((ranks, model)), f"{program.name} {servers}")
    assert done.returncode == 0, done.stdout + done.stderr
    modes = [line.split()[1::2] for line in done.stdout.splitlines() if line.startswith("modes")]
    assert len(modes) == ranks
    for before, after in modes:
        assert before == after, "the model's modes have changed"
    return int(modes[0][0], 16), {path.name: path.read_bytes() for path in sorted(folder.glob("*.nc"))}


@pytest.mark.parametrize(("ranks", "servers"), [(1, 0), (2, 0), (3, 1)])
def test_flush_to_zero_in_the_model_changes_no_bit(tmp_path, ranks, servers):
    require_programs()
    _, plain = files_of(PLAIN, tmp_path / "plain", ranks, servers)
    modes, fast = files_of(FAST, tmp_path / "fast", ranks, servers)

    if platform.machine() == "x86_64":
        assert modes & FLUSHES == FLUSHES, "the model does not flush: the test shows nothing"
    assert plain.keys() == fast.keys() and len(plain) == 1
    assert plain == fast


@pytest.mark.parametrize("loops", ["portable", "avx2", "avx512"])
def test_files_do_not_depend_on_what_the_processor_can(tmp_path, loops):
    require_programs()
    _, usual = files_of(PLAIN, tmp_path / "usual", 2, 0)
    older = [f"PILEUS_SUM_KERNEL={loops}", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4"]
    _, other = files_of(PLAIN, tmp_path / "other", 2, 0, older)

    assert usual == other


def test_tiny_values_arrive(tmp_path):
    require_programs()
    files_of(FAST, tmp_path / "fast", 2, 0)

    with netCDF4.Dataset(next((tmp_path / "fast").glob("*.nc"))) as file:
        file.set_auto_mask(False)
        tiny = file["tiny"][:]
    assert tiny.dtype == numpy.float64
    assert numpy.count_nonzero(tiny) == tiny.size
    assert numpy.any(numpy.abs(tiny) < 2.0**-1022)

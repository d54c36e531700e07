"""The model's file library and that of Pileus leave each other alone, in one program and in one process."""

import shutil
import subprocess

import netCDF4
import numpy
import pytest
from oracle.launch import (
    BIN,
    MODEL,
    ORACLE,
    TIMEOUT_S,
    Layout,
    environment,
    model_command,
    mpi_command,
    require_programs,
    run,
)

LIBRARIES = BIN.parent / "lib"
STEPS, COUNT = 10, 24
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="u" type="array" data_type="double" size="x" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="ours.nc" write_time_frequency="100">
      <include field="u" time_manipulation="instantaneous" output_frequency="1"/>
    </file>
  </data-writing>
</io-configuration>
"""


@pytest.fixture(autouse=True)
def programs():
    require_programs()


def expected():
    """The values of u(step, x) that the model makes."""
    steps, x = numpy.meshgrid(numpy.arange(1, STEPS + 1), numpy.arange(COUNT), indexing="ij")
    return 1000.0 * steps + x


def values(path):
    """The values of u in a file, with zeros for missing ones."""
    with netCDF4.Dataset(path) as file:
        return numpy.ma.filled(file["u"][...], 0.0)


def needed(library):
    """Names of the shared objects that a library is linked with, directly or not."""
    listed = subprocess.run(["ldd", library], capture_output=True, text=True, timeout=60, check=True)
    return [line.split()[0] for line in listed.stdout.splitlines() if line.split()]


def test_the_models_half_is_linked_with_no_file_library_and_the_servers_half_with_no_mpi():
    models, servers = (needed(LIBRARIES / name) for name in ("libpileus.so", "libpileus_serve.so"))

    assert not [name for name in models if "netcdf" in name or "hdf5" in name], models
    assert [name for name in servers if name.startswith("libnetcdf.so")], servers
    assert not [name for name in servers if "mpi" in name], servers


@pytest.mark.parametrize("servers", [1, 2, 0], ids=["one server", "two servers", "attached"])
@pytest.mark.parametrize("program", ["pileus_netcdf_mpi_model", "pileus_netcdf_model"])
def test_a_model_writes_its_own_files_while_pileus_writes_its(program, servers, tmp_path):
    if not (BIN / program).is_file():
        pytest.skip(f"{program} was not built: it needs a parallel netCDF for this MPI")
    (tmp_path / "run.xml").write_text(CONFIGURATION, encoding="utf-8")

    done = run(mpi_command((4, [BIN / program, tmp_path / "run.xml", tmp_path, servers])), program)

    assert done.returncode == 0, done.stdout + done.stderr
    own = sorted(tmp_path.glob("own_*.nc"))
    assert len(own) == (1 if program == "pileus_netcdf_mpi_model" else 4 - servers)
    assert numpy.array_equal(sum(values(path) for path in own), expected())
    assert numpy.array_equal(values(tmp_path / "ours_100.nc"), expected())
    shares = program == "pileus_netcdf_model" and servers == 0
    assert ("the model uses the same file library" in done.stderr) == shares, done.stderr


def alone(tmp_path, **variables):
    """An attached run of one process, in an environment with these variables."""
    command = [MODEL, "--config", ORACLE / "large.xml", "--directory", tmp_path, "--alone", "--steps", "3"]
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        env={**environment(), **variables},
    )


def test_a_missing_servers_half_is_named_with_where_it_was_looked_for(tmp_path):
    done = alone(tmp_path, PILEUS_SERVE_LIBRARY=str(tmp_path / "libpileus_serve.so.0"))

    assert done.returncode == 1
    assert "the servers' half of Pileus cannot be opened" in done.stderr, done.stderr
    assert str(tmp_path) in done.stderr and "PILEUS_SERVE_LIBRARY" in done.stderr


def test_a_missing_servers_half_is_told_to_every_rank(tmp_path):
    command = [MODEL, "--config", ORACLE / "large.xml", "--report", "--servers-total", "1"]
    missing = ["env", f"PILEUS_SERVE_LIBRARY={tmp_path}/none.so", *command]

    done = run(mpi_command((3, missing)), "no servers' half")

    assert done.stdout.count("pileus_start: status 6: pileus_start: the servers' half") == 3, done.stdout


def test_the_servers_half_of_another_build_is_refused(tmp_path):
    source = tmp_path / "other.c"
    source.write_text(
        'static const struct { const char* build; } library = {"0.0.1"};\n'
        "const void* pileus_serve_library(void) { return &library; }\n"
    )
    other = tmp_path / "other.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", other, source], check=True, timeout=60)

    done = alone(tmp_path, PILEUS_SERVE_LIBRARY=str(other))

    assert done.returncode == 1
    assert "is of another build: it is Pileus 0.0.1, libpileus.so is " in done.stderr, done.stderr


def test_a_library_that_is_none_of_ours_is_refused(tmp_path):
    libc = next(name for name in needed(LIBRARIES / "libpileus.so") if name.startswith("libm.so"))

    done = alone(tmp_path, PILEUS_SERVE_LIBRARY=libc)

    assert done.returncode == 1
    assert "is not the servers' half of Pileus" in done.stderr, done.stderr


REPLACED_MALLOC = """
#include <stddef.h>
#include <string.h>
/* Memory of this malloc begins 64 bytes behind what the C library gave: who gives it back there crashes. */
extern void* __libc_malloc(size_t);
extern void __libc_free(void*);
extern void* __libc_memalign(size_t, size_t);
enum { SHIFT = 64, MAGIC = 0x50494c45 };
static void* marked(char* place, size_t size, size_t shift) {
  if (!place) return 0;
  size_t* head = (size_t*)(place + shift) - 4;
  head[0] = MAGIC; head[1] = size; head[2] = shift;
  return place + shift;
}
void* malloc(size_t size) { return marked(__libc_malloc(size + SHIFT), size, SHIFT); }
void free(void* place) {
  if (!place) return;
  size_t* head = (size_t*)place - 4;
  if (head[0] != MAGIC) __builtin_trap();
  head[0] = 0;
  __libc_free((char*)place - head[2]);
}
void* calloc(size_t count, size_t size) {
  void* place = malloc(count * size);
  return place ? memset(place, 0, count * size) : 0;
}
void* realloc(void* old, size_t size) {
  void* place = malloc(size);
  if (old && place) {
    size_t before = ((size_t*)old - 4)[1];
    memcpy(place, old, before < size ? before : size);
    free(old);
  }
  return place;
}
void* memalign(size_t a, size_t size) {
  size_t shift = a < SHIFT ? SHIFT : a;
  return marked(__libc_memalign(shift, size + shift), size, shift);
}
void* aligned_alloc(size_t a, size_t size) { return memalign(a, size); }
int posix_memalign(void** place, size_t a, size_t size) { return (*place = memalign(a, size)) ? 0 : 12; }
"""


def test_a_program_with_a_malloc_of_its_own_is_served(tmp_path):
    source, library = tmp_path / "malloc.c", tmp_path / "malloc.so"
    source.write_text(REPLACED_MALLOC)
    command = ["cc", "-shared", "-fPIC", "-fno-builtin", "-ftls-model=initial-exec", "-o", library, source]
    subprocess.run(command, check=True, timeout=60)
    (tmp_path / "out").mkdir()

    done = alone(tmp_path / "out", LD_PRELOAD=str(library))

    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}{done.stderr}"
    assert list((tmp_path / "out").glob("*.nc"))


NOTED_LIMITS = """
#include <stddef.h>
#include <stdio.h>
/* Where malloc is replaced the servers' half is bound to what was preloaded. */
extern void* __libc_malloc(size_t);
void* malloc(size_t size) { return __libc_malloc(size); }
int H5set_free_list_limits(int a, int b, int c, int d, int e, int f) {
  fputs("limits are set\\n", stderr);
  return 0;
}
"""


@pytest.mark.parametrize("layout", [Layout(2, 0), Layout(2, 2), Layout(2, 2, how="total")], ids=str)
def test_hdf5_keeps_its_lists_of_free_memory_but_in_processes_that_serve(layout, tmp_path):
    source, library = tmp_path / "limits.c", tmp_path / "limits.so"
    source.write_text(NOTED_LIMITS)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True, timeout=60)

    command = model_command(layout, ORACLE / "large.xml", tmp_path, "--steps", 3)
    done = run(["env", f"LD_PRELOAD={library}", *command], "limits")

    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.glob("*.nc"))
    assert done.stderr.count("limits are set") == layout.servers


def test_the_library_is_found_beside_libpileus_wherever_that_lies(tmp_path):
    for name in ("libpileus.so.0", "libpileus_serve.so.0"):
        shutil.copy(LIBRARIES / name, tmp_path / name)

    traced = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(tmp_path / "ld")}
    done = alone(tmp_path, LD_LIBRARY_PATH=str(tmp_path), **traced)

    assert done.returncode == 0, done.stderr
    said = "".join(path.read_text() for path in tmp_path.glob("ld.*"))
    assert f"{tmp_path}/libpileus_serve.so.0" in said
    assert f"{LIBRARIES}/libpileus_serve.so.0" not in said

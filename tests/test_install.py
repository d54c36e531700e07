"""An installation is found by CMake and by pkg-config, and the example models build and run against it."""

import os
import re
import shutil

import pytest
from oracle.installation import BUILD, install, of_cache, succeed
from oracle.launch import ROOT, run

SMOKE = ROOT / "examples" / "smoke"
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(model LANGUAGES C CXX Fortran)
find_package(MPI REQUIRED COMPONENTS C Fortran)
find_package(Pileus 0.1 REQUIRED)
add_executable(model_c model.c)
target_link_libraries(model_c PRIVATE Pileus::pileus MPI::MPI_C)
add_executable(model_cpp model.cpp)
target_compile_definitions(model_cpp PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_compile_features(model_cpp PRIVATE cxx_std_20)
target_link_libraries(model_cpp PRIVATE Pileus::pileus MPI::MPI_C)
add_executable(model_fortran model.f90)
target_link_libraries(model_fortran PRIVATE Pileus::fortran MPI::MPI_Fortran)
"""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """The folder where Pileus is installed, moved once after the installation."""
    return install(tmp_path_factory.mktemp("installed"))


def assert_runs(model, directory):
    directory.mkdir()
    done = run(["env", "-C", directory, model, SMOKE / "run.xml"], str(model))
    assert done.returncode == 0, done.stdout + done.stderr
    names = sorted(path.name for path in directory.glob("*.nc"))
    assert names == ["smoke_field_1800.nc", "smoke_field_3600.nc", "smoke_series_3600.nc"]


def test_find_package_builds_the_examples(prefix, tmp_path):
    for source in SMOKE.glob("model.*"):
        shutil.copy(source, tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)

    settings = [f"-D{name}={of_cache(name)}" for name in ("MPI_C_COMPILER", "MPI_Fortran_COMPILER")]
    settings += [f"-DCMAKE_PREFIX_PATH={prefix}"]
    succeed(["cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja", *settings])
    succeed(["cmake", "--build", tmp_path / "build"])

    for language in ("c", "cpp", "fortran"):
        assert_runs(tmp_path / "build" / f"model_{language}", tmp_path / language)


def test_a_build_in_the_path_is_not_taken_for_an_installation(prefix, tmp_path):
    """CMake looks beside every bin in PATH."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(model NONE)\nfind_package(Pileus 0.1 QUIET)\n"
        'message(STATUS "found ${Pileus_DIR}")\n'
    )
    path = dict(os.environ, PATH=f"{BUILD / 'bin'}:{os.environ['PATH']}")

    alone = succeed(["cmake", "-S", tmp_path, "-B", tmp_path / "alone"], env=path)
    beside = succeed(["cmake", "-S", tmp_path, "-B", tmp_path / "beside", f"-DCMAKE_PREFIX_PATH={prefix}"],
                     env=path)

    assert "found Pileus_DIR-NOTFOUND" in alone
    assert f"found {prefix}" in beside


def test_add_subdirectory_gives_the_same_targets(tmp_path):
    for source in SMOKE.glob("model.*"):
        shutil.copy(source, tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(
        PROJECT.replace("find_package(Pileus 0.1 REQUIRED)", f"add_subdirectory({ROOT} pileus)")
    )
    settings = [f"-D{name}={of_cache(name)}" for name in ("MPI_C_COMPILER", "MPI_Fortran_COMPILER")]

    succeed(["cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja", *settings])

    models = ["model_c", "model_cpp", "model_fortran"]
    inputs = succeed(["ninja", "-C", tmp_path / "build", "-t", "inputs", *models]).split()
    assert {"lib/libpileus_fortran.a", "lib/libpileus.so.0.1.0"} <= set(inputs)
    assert not [name for name in inputs if name.endswith("_test.cpp")]


@pytest.mark.parametrize(
    ("compiler", "source", "package"),
    [("MPI_C_COMPILER", "model.c", "pileus"), ("MPI_Fortran_COMPILER", "model.f90", "pileus_fortran")],
)
def test_pkg_config_builds_the_examples(prefix, tmp_path, compiler, source, package):
    where = dict(os.environ, PKG_CONFIG_PATH=str(next(prefix.glob("lib*/**/pkgconfig"))))
    flags = succeed(["pkg-config", "--cflags", "--libs", package], env=where).split()

    succeed([of_cache(compiler), SMOKE / source, *flags, "-o", tmp_path / "model"])

    assert_runs(tmp_path / "model", tmp_path / "run")


def test_the_tools_of_an_installation_run(prefix):
    assert "no errors" in succeed([prefix / "bin" / "pileus", "check", SMOKE / "run.xml"])


def test_an_installation_brings_pages_examples_and_the_schema(prefix):
    documents = prefix / "share" / "doc" / "pileus"
    for name in ("docs/start-here.md", "docs/images/cloud-section.png", "README.md", "LICENSE",
                 "examples/smoke/model.f90", "examples/slurm/two-programs.sh"):
        assert (documents / name).is_file(), name
    assert 'name="io-configuration"' in (prefix / "share" / "pileus" / "pileus.xsd").read_text()


def links_of(page):
    """The targets of a Markdown page's links within its tree, without anchors."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    prose = re.sub(r"(`+).+?\1", "", prose, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^()\s]+)\)", prose)
    return [target.split("#")[0] for target in targets if not re.match(r"[a-z]+:|#", target)]


def test_links_of_installed_pages_lead_to_what_is_installed(prefix):
    pages = sorted(prefix.rglob("*.md"))
    links = [(page, link) for page in pages for link in links_of(page)]

    assert {"README.md", "slurm.md"} <= {page.name for page, _ in links}
    dead = [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()]
    assert not dead


@pytest.mark.parametrize("command", ["check", "clean", "explain", "state"])
def test_a_manual_page_says_what_help_says(prefix, command):
    page = (prefix / "share" / "man" / "man1" / f"pileus-{command}.1").read_text().replace("\\-", "-")
    told = succeed([prefix / "bin" / "pileus", command, "--help"])

    assert page.startswith(f".TH PILEUS-{command.upper()} 1")
    assert told.strip() in page


def test_versions_name_what_the_programs_are_made_of(prefix):
    server = succeed([prefix / "bin" / "pileus-server", "--version"])
    tool = succeed([prefix / "bin" / "pileus", "--version"])

    for said, name in ((server, "pileus-server"), (tool, "pileus")):
        assert re.match(rf"{name} 0\.1\.\d( \(commit [0-9a-f]{{12}}(-dirty)?\))?\n", said), said
        for word in ("netCDF: 4.", "HDF5: 1.", "compiler: "):
            assert word in said, said
    assert re.search(r"MPI: (Open MPI|MPICH)", server), server

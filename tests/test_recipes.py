"""The recipes of packaging/ ask for what there is, and for all that the build needs.

They are read without the tools that they are for. What is compared is CMakeLists.txt, an installation, the
packages of Debian and, where EasyBuild is installed, its own recipes.
"""

import re
import runpy
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest
from oracle.installation import install, succeed
from oracle.launch import MPI, ROOT

PACKAGING = ROOT / "packaging"
EASYCONFIG = PACKAGING / "easybuild" / "Pileus-0.1.0-foss-2024a.eb"
CMAKE = (ROOT / "CMakeLists.txt").read_text()
OPTIONS = set(re.findall(r"^(?:option|set)\((PILEUS_\w+)", CMAKE, re.MULTILINE))
VERSION = re.search(r"project\(Pileus VERSION (\S+)", CMAKE)[1]
# Packages that the build looks for in the system (find_package and its kin), and who brings them.
NEEDS = {
    # CMake: Spack, EasyBuild, Debian's package for a build and the one for a run
    "BLOSC": ("c-blosc", "Blosc", "libblosc-dev", "libblosc1"),
    "CLI11": ("cli11", "CLI11", "libcli11-dev", None),
    "EXPAT": ("expat", "expat", "libexpat1-dev", "libexpat1"),
    "HDF5": ("hdf5", "HDF5", "libhdf5-dev", "libhdf5-103-1"),
    "MPI": ("mpi", None, "libopenmpi-dev", "libopenmpi-dev"),
    "NETCDF": ("netcdf-c", "netCDF", "libnetcdf-dev", "libnetcdf19"),
    "PILEUS_AEC_LIBRARY": ("libaec", "libaec", "libaec-dev", "libaec0"),
    "PILEUS_ECCODES_LIBRARY": ("eccodes", "ecCodes", "libeccodes-dev", "libeccodes0"),
    "PILEUS_HDF5_HL": ("hdf5", "HDF5", "libhdf5-dev", "libhdf5-hl-100"),
    "PkgConfig": ("pkgconfig", "pkgconf", "pkg-config", None),
    "UDUNITS_LIBRARY": ("udunits", "UDUNITS", "libudunits2-dev", "libudunits2-0"),
    "ZLIB": ("zlib-api", "zlib", "zlib1g-dev", "zlib1g"),
    "ZSTD": ("zstd", "zstd", "libzstd-dev", "libzstd1"),
    "nlohmann_json": ("nlohmann-json", "nlohmann_json", "nlohmann-json3-dev", None),
}


def number(version):
    return tuple(int(part) for part in version.split("."))


LEAST_CMAKE = number(re.search(r"cmake_minimum_required\(VERSION (\S+)\)", CMAKE)[1])


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    return install(tmp_path_factory.mktemp("recipes"))


def test_the_build_looks_for_what_the_recipes_bring():
    """A new library comes with a line in NEEDS, whose names the other tests look for in the recipes."""
    looks = re.compile(r"\b(?:find_package|find_library|pkg_check_modules|pkg_search_module)\((\w+)")
    pages = [page for room in ("src", "apps") for page in (ROOT / room).rglob("CMakeLists.txt")]
    found = {name for page in pages for name in looks.findall(page.read_text())}

    assert found == set(NEEDS)


class Recorded:
    """A package of Spack whose directives are kept instead of obeyed."""

    define = staticmethod(lambda name, value: (name, value))


@pytest.fixture
def spack(monkeypatch):
    """The recipe of Spack as (class, {directive: [(arguments, named arguments)]})."""
    said = {}

    def directive(name):
        return lambda *words, **named: said.setdefault(name, []).append((words, named))

    api = types.ModuleType("spack.package")
    for name in ("depends_on", "license", "requires", "resource", "version"):
        setattr(api, name, directive(name))
    api.run_after = api.on_package_attributes = lambda *_, **__: lambda method: method
    systems = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    systems.CMakePackage, systems.generator = Recorded, directive("generator")
    for module in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        monkeypatch.setitem(sys.modules, module, types.ModuleType(module))
    monkeypatch.setitem(sys.modules, "spack.package", api)
    monkeypatch.setitem(sys.modules, systems.__name__, systems)

    names = runpy.run_path(str(PACKAGING / "spack" / "package.py"))

    return names["Pileus"], said


def test_spack_is_asked_for_all_that_the_build_looks_for(spack):
    asked = {re.match(r"[\w-]+", words[0])[0]: words[0] for words, _ in spack[1]["depends_on"]}

    assert {names[0] for names in NEEDS.values()} | {"c", "cxx", "fortran", "cmake"} <= set(asked)
    assert number(re.fullmatch(r"cmake@([\d.]+):", asked["cmake"])[1]) == LEAST_CMAKE
    assert asked["netcdf-c"].endswith("~mpi") and asked["hdf5"].endswith("~mpi")


def test_spack_sets_options_that_there_are(spack):
    arguments = dict(spack[0]().cmake_args())

    assert set(arguments) <= OPTIONS
    assert arguments["PILEUS_MODELS"] is False, "models are not installed"


def easyconfig():
    return {name: value for name, value in runpy.run_path(str(EASYCONFIG)).items() if name[0] != "_"}


def test_easybuild_is_asked_for_all_that_the_build_looks_for():
    recipe = easyconfig()
    asked = dict(recipe["builddependencies"] + recipe["dependencies"])

    assert {names[1] for names in NEEDS.values() if names[1]} | {"CMake", "Ninja"} == set(asked)
    assert number(asked["CMake"]) >= LEAST_CMAKE
    assert recipe["version"] == VERSION
    toolchain = recipe["toolchain"]
    named = f"{recipe['name']}-{VERSION}-{toolchain['name']}-{toolchain['version']}.eb"
    assert EASYCONFIG.name == named and f"easybuild/{named} " in EASYCONFIG.read_text()
    assert set(re.findall(r"-D(\w+)=", recipe["configopts"])) <= OPTIONS


def test_easybuild_finds_what_it_checks_in_an_installation(prefix):
    recipe = easyconfig()

    assert all((prefix / file).is_file() for file in recipe["sanity_check_paths"]["files"])
    assert all((prefix / folder).is_dir() for folder in recipe["sanity_check_paths"]["dirs"])
    for command in recipe["sanity_check_commands"]:
        succeed([prefix / "bin" / command.split()[0], *command.split()[1:]])


def test_easybuild_has_what_it_is_asked_for():
    """Each dependency has a recipe for the toolchain or one that it stands on."""
    if not shutil.which("eb"):
        pytest.skip("EasyBuild is not installed")
    recipes = Path(shutil.which("eb")).parents[1] / "easybuild" / "easyconfigs"
    recipe = easyconfig()
    generation = recipe["toolchain"]["version"]
    toolchain = (recipes / "g" / "gompi" / f"gompi-{generation}.eb").read_text()
    compiler = re.search(r"gccver = '([\d.]+)'", toolchain)[1]
    endings = ["", f"-GCCcore-{compiler}", f"-GCC-{compiler}", f"-gompi-{generation}", f"-foss-{generation}"]

    for name, version in recipe["builddependencies"] + recipe["dependencies"]:
        folder = recipes / name[0].lower() / name
        assert any((folder / f"{name}-{version}{ending}.eb").is_file() for ending in endings), (name, version)


@pytest.fixture(scope="module")
def stages():
    """The instructions of the Containerfile, each stage a list of (word, rest) with lines joined."""
    text = re.sub(r"^#.*\n", "", (PACKAGING / "Containerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    instructions = [tuple(line.split(maxsplit=1)) for line in lines if line]
    second = [at for at, (word, _) in enumerate(instructions) if word == "FROM"][1]
    return instructions[:second], instructions[second:]


def test_the_container_is_built_from_what_the_build_needs(stages):
    runs = [rest for word, rest in stages[0] if word == "RUN"]
    listing = re.search(r"\$\((awk .*?packages-debian\.txt)\)", runs[0])[1]

    done = subprocess.run(["sh", "-c", listing], cwd=ROOT, capture_output=True, text=True, check=True)

    assert {names[2] for names in NEEDS.values()} | {"cmake", "ninja-build"} <= set(done.stdout.split())
    assert "mpich" not in done.stdout
    assert set(re.findall(r"-D(\w+)=", runs[1])) <= OPTIONS
    (installed,) = re.findall(r"--prefix (\S+)", runs[1])
    assert ("COPY", f"--from=build {installed} {installed}") in stages[1]
    environment = " ".join(rest for word, rest in stages[1] if word == "ENV")
    assert f"PATH={installed}/bin:$PATH LD_LIBRARY_PATH={installed}/lib " in environment
    assert "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1" in environment


def needed_libraries(file):
    listing = succeed(["objdump", "-p", file])
    return set(re.findall(r"NEEDED\s+(\S+)", listing))


def test_the_container_brings_the_libraries_that_are_needed(prefix, stages):
    """dpkg says which package has a library. Debian 12 has the packages of the image, with Open MPI."""
    release = Path("/etc/os-release")
    if not release.is_file() or "VERSION_CODENAME=bookworm" not in release.read_text():
        pytest.skip("not Debian 12")
    if MPI != "openmpi":
        pytest.skip(f"built with {MPI}")
    (run,) = [rest for word, rest in stages[1] if word == "RUN"]
    packages = re.search(r"install -y --no-install-recommends (.*?) *&&", run)[1].split()
    files = [*(prefix / "bin").iterdir(), *(prefix / "lib").glob("*.so.0")]
    needed = set().union(*(needed_libraries(file) for file in files))

    ours = {path.name for path in (prefix / "lib").iterdir()}
    always = {"libc6", "libgcc-s1", "libstdc++6"}
    with_mpi = {"libopenmpi3"}  # what libopenmpi-dev depends on
    for library in sorted(needed - ours):
        owners = succeed(["dpkg", "-S", f"*/{library}"]).splitlines()
        assert {line.split(":")[0] for line in owners} & ({*packages} | always | with_mpi), library


def test_the_container_leaves_builds_out_of_its_sources():
    """Otherwise gigabytes go into the image, and it may take a build of the host for its own."""
    ignored = {line.strip("/") for line in (ROOT / ".gitignore").read_text().split()}
    left_out = (ROOT / ".dockerignore").read_text().splitlines()

    assert {line.removeprefix("**/") for line in left_out if line[0] != "#"} == ignored

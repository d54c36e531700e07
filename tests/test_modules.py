"""The installed module files lead to the installation, read as texts and, where they are, by both tools."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from oracle.installation import install, succeed

VERSION = "0.1.0"
# Files that lie in the folder that a module adds to a variable.
LEADS_TO = {
    "PATH": "pileus",
    "LD_LIBRARY_PATH": "libpileus.so",
    "CMAKE_PREFIX_PATH": "lib*/cmake/Pileus/PileusConfig.cmake",
    "PKG_CONFIG_PATH": "pileus.pc",
    "MANPATH": "man1/pileus.1",
}
# The scripts that bring the command "module" into a shell, and the file that the tool reads.
TOOLS = {
    "Environment Modules": (["/usr/share/modules/init/bash", "/usr/share/Modules/init/bash"], VERSION),
    "Lmod": (["/usr/share/lmod/lmod/init/bash"], VERSION + ".lua"),
}
SHOWN = """
pileus --version > /dev/null || exit 1
man -w ls > /dev/null && man -w pileus > /dev/null || exit 1
for name in PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH PKG_CONFIG_PATH MANPATH PILEUS_ROOT; do
  echo "$name=${!name}"
done
module unload pileus
echo "left=${PILEUS_ROOT:-}${MANPATH:-}"
"""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    return install(tmp_path_factory.mktemp("modules"))


def modules_of(prefix):
    return prefix / "share" / "modulefiles" / "pileus"


def additions(text):
    """The folders that a module adds to variables, relative to the prefix."""
    tcl = re.findall(r"^prepend-path (\w+) \$prefix/?(\S*)$", text, re.MULTILINE)
    lua = re.findall(r'^prepend_path\("(\w+)", (?:pathJoin\()?prefix((?:, "[^"]+")*)\)+$', text, re.MULTILINE)
    return {name: "/".join(re.findall(r'[^",\s]+', folders)) for name, folders in tcl + lua}


@pytest.mark.parametrize("file", [VERSION, VERSION + ".lua"])
def test_a_module_names_folders_that_are_installed(prefix, file):
    text = (modules_of(prefix) / file).read_text()
    found = additions(text)

    assert "@" not in text and str(prefix) not in text
    assert sorted(found) == sorted(LEADS_TO)
    for name, folder in found.items():
        assert list((prefix / folder).glob(LEADS_TO[name])), f"{name}: {folder}"


def test_modules_keep_the_pages_of_the_system(prefix):
    """A MANPATH with one folder hides all others from man."""
    assert "\nappend-path MANPATH {} " in (modules_of(prefix) / VERSION).read_text()
    assert '\nappend_path("MANPATH", "", ":")' in (modules_of(prefix) / f"{VERSION}.lua").read_text()


def load(tool, modules):
    """Loads the module from the folder `modules` in a new shell and returns its output, or skips."""
    scripts = [script for script in TOOLS[tool][0] if Path(script).is_file()]
    if not scripts:
        pytest.skip(f"{tool} is not installed")
    commands = f"source {scripts[0]}; module use '{modules}'; module load pileus || exit 1{SHOWN}"
    fresh = {"HOME": os.environ["HOME"], "PATH": "/usr/local/bin:/usr/bin:/bin"}
    return subprocess.run(["bash", "--norc", "-c", commands], env=fresh, capture_output=True, text=True,
                          timeout=60, check=False)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("way", ["where it lies", "its folder is a link", "the file is a link"])
def test_a_module_leads_to_the_installation(prefix, tmp_path, tool, way):
    modules, file = modules_of(prefix), TOOLS[tool][1]
    site = tmp_path / "site"
    if way == "where it lies":
        site = modules.parent
    elif way == "its folder is a link":
        site.mkdir()
        (site / "pileus").symlink_to(modules)
    else:
        (site / "pileus").mkdir(parents=True)
        (site / "pileus" / file).symlink_to(modules / file)

    done = load(tool, site)

    assert done.returncode == 0, done.stdout + done.stderr
    said = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert said["PILEUS_ROOT"] == str(prefix) and said["left"] == ""
    for name, expected in LEADS_TO.items():
        folder = said[name].split(":")[0]
        assert list(Path(folder).glob(expected)), f"{name}: {folder}"
    here = dict(os.environ, PKG_CONFIG_PATH=said["PKG_CONFIG_PATH"])
    assert succeed(["pkg-config", "--modversion", "pileus"], env=here).strip() == VERSION


@pytest.mark.parametrize("tool", TOOLS)
def test_a_copied_module_is_refused(prefix, tmp_path, tool):
    file = TOOLS[tool][1]
    (tmp_path / "pileus").mkdir()
    (tmp_path / "pileus" / file).write_text((modules_of(prefix) / file).read_text())

    done = load(tool, tmp_path)

    assert done.returncode == 1
    assert "no Pileus lies around" in " ".join(done.stderr.split())

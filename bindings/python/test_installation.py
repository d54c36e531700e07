"""The package as `pip install .` lays it out: it needs neither the clone nor a word in the environment."""

import os
import shutil
import subprocess
import sys

import pytest
from oracle.launch import BUILD, ROOT

from attached_runs import ARRAY, include
from attached_runs import configuration as configured

PROGRAM = """
import numpy as np, sys
import pileus
assert pileus.__file__.startswith(sys.argv[2]), pileus.__file__
assert pileus.program("pileus").startswith(sys.argv[2])
with pileus.Run(sys.argv[1]) as run:
    for name, size in dict(x=5, y=4, z=3).items(): run.dimension(name, size)
    theta = run.field("theta", ("z", "y", "x"))
    run.commit()
    for step in (1, 2, 3, 4):
        with run.step(step, step, 1, final=step == 4):
            theta.put(np.full((3, 4, 5), 1.0 * step))
print(run.results().files)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        ["cmake", "--install", BUILD, "--component", "python", "--prefix", folder],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    if not (folder / "pileus").is_dir():
        pytest.skip(f"{BUILD} has nothing for the package")
    shutil.copytree(ROOT / "bindings" / "python" / "pileus", folder / "pileus", dirs_exist_ok=True)
    return folder


def environment(folder):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PILEUS_")}
    return kept | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def test_a_run(installed, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, ARRAY, installed],
        cwd=tmp_path,
        env=environment(installed),
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    assert "out_4.nc" in done.stdout


def test_commands(installed, tmp_path):
    preset = configured('<field name="w" type="scalar"/>', include("w"))
    (tmp_path / "run.xml").write_text(preset)
    for words, status, text in (
        (["--version"], 0, "pileus"),
        (["check", "run.xml"], 0, "no errors"),
        (["presets"], 0, "les_profiles"),
        (["--help"], 0, "replay"),
        (["replay", "--help"], 0, "--map"),
        (["nonsense"], 2, "subcommand"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "pileus", *words],
            cwd=tmp_path,
            env=environment(installed),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert text in done.stdout + done.stderr, words
        assert done.returncode == status, (words, done.stdout, done.stderr)


def test_what_it_has(installed):
    names = {str(path.relative_to(installed / "pileus")) for path in installed.rglob("*") if path.is_file()}

    for name in (
        "_prefix/bin/pileus",
        "_prefix/bin/pileus-server",
        "_prefix/lib/libpileus.so.0",
        "_prefix/lib/libpileus_alone.so.0",
        "_prefix/lib/libpileus_serve.so.0",
        "_prefix/include/pileus/pileus.h",
        "_prefix/share/pileus/presets/ocean.xml",
        "py.typed",
    ):
        assert name in names
    needed = subprocess.run(
        ["readelf", "-d", installed / "pileus/_prefix/lib/libpileus_alone.so.0"],
        capture_output=True,
        text=True,
    ).stdout
    assert "NEEDED" in needed and "libmpi" not in needed and "netcdf" not in needed


def test_without_libraries_it_says_what_to_do(tmp_path):
    shutil.copytree(ROOT / "bindings" / "python" / "pileus", tmp_path / "pileus")
    program = "import pileus; pileus.Run('<io-configuration/>')"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(tmp_path), capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 1
    assert "there is no such folder with the libraries of Pileus; install the package" in done.stderr

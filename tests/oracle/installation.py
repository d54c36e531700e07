"""Pileus as `cmake --install` brings it, for tests that look at what is there."""

import subprocess

import pytest

from oracle.launch import BIN

BUILD = BIN.parent


def of_cache(name):
    """A variable of the build's cache, for example the compiler that brings the MPI of Pileus."""
    lines = (BUILD / "CMakeCache.txt").read_text().splitlines()
    (value,) = (line.split("=", 1)[1] for line in lines if line.startswith(name + ":"))
    return value


def succeed(command, **options):
    """The output of a command, whose status must be 0."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=300, check=False, **options
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def install(directory):
    """Installs into `directory` and moves that once; its new path."""
    if not (BUILD / "CMakeCache.txt").is_file():
        pytest.skip(f"no build in {BUILD}: set PILEUS_BUILD")
    first = directory / "first"
    succeed(["cmake", "--install", BUILD, "--prefix", first])
    return first.rename(first.with_name("moved"))

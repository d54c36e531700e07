"""What all tests of the package need: the package as it lies here, a build, and the oracles of tests/."""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from oracle.launch import BUILD  # noqa: E402

os.environ["PILEUS_PREFIX"] = str(BUILD)
os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)


@pytest.fixture(autouse=True)
def libraries():
    for name in ("libpileus.so.0", "libpileus_alone.so.0", "libpileus_serve.so.0"):
        if not (BUILD / "lib" / name).exists():
            pytest.skip(f"no library {BUILD}/lib/{name}: build it, or set PILEUS_BUILD")

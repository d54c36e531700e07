"""What all tests of the globe need: the oracles of tests/, and the programs."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from oracle.launch import BIN, SERVER  # noqa: E402


@pytest.fixture(autouse=True)
def programs():
    for program in (BIN / "globe", SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")

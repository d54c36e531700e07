"""docs/operators.md is what the operators declare of themselves."""

import subprocess
from pathlib import Path

from oracle.launch import BIN

PAGE = Path(__file__).resolve().parents[1] / "docs" / "operators.md"


def test_the_page_of_operators_is_up_to_date():
    printed = subprocess.run(
        [BIN / "pileus", "help", "operators", "--markdown"],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert printed.returncode == 0
    assert PAGE.read_text() == printed.stdout, "run: pileus help operators --markdown > docs/operators.md"


def test_help_names_every_operator_with_its_attributes():
    printed = subprocess.run(
        [BIN / "pileus", "help", "operators"],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert "  field_slicer\n" in printed.stdout
    assert (
        "    index (whole number; required): the global index in that dimension, from 0\n" in printed.stdout
    )

"""The CF checker's findings about a file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ERRORS, WARNINGS = "high_priorities", "medium_priorities"


def without_roles_of_meshes(found):
    """The findings without those about cf_role of meshes: this checker knows the roles of stations alone, and
    UGRID and CF 1.11 (section 5.9) have others."""
    kept = []
    for name, messages in found:
        of_others = [one for one in messages if "cf_role" not in one]
        kept += [(name, of_others)] if of_others else []
    return kept


# Version 6.1 of the checker stumbles over ragged arrays that are as they should be.
OF_RAGGED_ARRAYS = "cf:1.11.check_domain_variables: too many values to unpack"


def complaints(path, report, levels=(ERRORS, WARNINGS), fault=None):
    """The checker's findings about a file. ``fault``: one of its own, which may come up."""
    checker = Path(sys.executable).parent / "compliance-checker"
    if not checker.exists():
        pytest.skip("compliance-checker is not installed")
    command = [checker, "--test=cf:1.11", "--criteria=normal", "--format=json", f"--output={report}", path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = json.loads(report.read_text(encoding="utf-8"))["cf:1.11"]
    said = [(group["name"], group["msgs"]) for level in levels
            for group in found[level] if group["msgs"]]
    has_stumbled = fault and fault in done.stdout + done.stderr
    assert has_stumbled or done.returncode in (0, 1), done.stdout + done.stderr
    return said

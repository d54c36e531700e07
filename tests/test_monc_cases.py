"""integrations/monc/cases.py checks the configuration of every case of MONC with the options of that case."""

import os
import pathlib
import subprocess
import sys

import pytest
from oracle.launch import BIN, PILEUS

ROOT = pathlib.Path(__file__).resolve().parents[1]
CONFIGURATION = """<data-definition name="d" frequency="{every}">
<field name="w" type="scalar" data_type="double"/></data-definition>
#include "io/write.xml"
"""
WRITE = """<data-writing><file name="{diagnostic_file}" write_time_frequency="60">
<include field="w" time_manipulation="none"/></file></data-writing>
"""
FILES = {
    "global_config": "ioserver_configuration_file=io/all.xml\nevery=1\n",
    "io/all.xml": CONFIGURATION,
    "io/write.xml": WRITE,
    "cases/good.mcf": "# a case\nglobal_configuration=global_config\nevery=5 # steps\n"
    'diagnostic_file="a.nc"\nioserver_configuration_file="io/all.xml"\n',
    "cases/no_file.mcf": "ioserver_configuration_file=io/all.xml\n",
    "cases/gone": "ioserver_configuration_file=io/gone.xml\n",
    "cases/none.mcf": "every=1\n! ioserver_configuration_file=io/all.xml\n",
}


@pytest.fixture(name="root")
def fixture_root(tmp_path):
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def lines_of(root, *arguments):
    if not PILEUS.is_file():
        pytest.skip(f"no program {PILEUS}: build it, or set PILEUS_BUILD")
    done = subprocess.run(
        [sys.executable, ROOT / "integrations/monc/cases.py", root, *arguments],
        env=os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_cases_that_lack_an_option_or_a_file_are_named_with_the_reason(root):
    lines = lines_of(root)

    assert len(lines) == 3
    assert lines[0].startswith("cases/gone: io/gone.xml: error: cannot be read")
    assert lines[1].startswith("cases/no_file.mcf: io/write.xml:1:27: error: no option")
    assert lines[2] == "1 of 3 cases have a configuration without errors"


def test_an_option_is_given_to_cases_that_do_not_have_it(root):
    assert lines_of(root, "--set", "diagnostic_file=b.nc")[-1].startswith("2 of 3 cases")

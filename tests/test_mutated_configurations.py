"""Three hundred typing errors and other mistakes in good configurations are each reported in the right line,
and what is one edit away from what was meant suggests it.

PILEUS_SEED chooses others, PILEUS_MUTATIONS how many.
"""

import json
import os
import re
import subprocess

import pytest
from lxml import etree
from oracle.configuration_files import from_files, from_pages
from oracle.launch import BIN
from oracle.mutations import Language, Mutator

SEED = int(os.environ.get("PILEUS_SEED", "20261121"))
COUNT = int(os.environ.get("PILEUS_MUTATIONS", "300"))
OPTIONS = {"x_size": 64, "y_size": 32, "end_time": 600, "archive": "there"}
TIMEOUT_S = 120


def pileus(*arguments, cwd):
    return subprocess.run(
        [BIN / "pileus", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        cwd=cwd,
        check=False,
    )


def check(texts, folder):
    """What is found in each, in the form of --json."""
    names = [f"{index:03}.xml" for index in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        (folder / name).write_text(text)
    settings = [word for key, value in OPTIONS.items() for word in ("--set", f"{key}={value}")]
    done = pileus("check", "--json", *names, *settings, cwd=folder)
    assert done.stderr == ""
    return [one["findings"] for one in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def mutations(tmp_path_factory):
    """All of them and what is said about each."""
    if not (BIN / "pileus").is_file():
        pytest.skip(f"no program {BIN / 'pileus'}: build it, or set PILEUS_BUILD")
    folder = tmp_path_factory.mktemp("configurations")
    configurations = [one for one in from_files() + from_pages() if "<include file" not in one.text]
    said = check([one.text for one in configurations], folder)
    good = [
        one
        for one, findings in zip(configurations, said, strict=True)
        if all(finding["severity"] == "note" for finding in findings)
    ]
    assert len(good) > 10
    language = Language(etree.fromstring(pileus("schema", cwd=folder).stdout.encode()))
    made = Mutator(language, SEED).some(good, COUNT)
    return list(
        zip(made, check([one.text for one in made], tmp_path_factory.mktemp("mutations")), strict=True)
    )


def is_at(finding, lines):
    """In one of the lines, or it names one of them as the cause."""
    named = {int(line) for line in re.findall(r" of line (\d+)", finding["message"])}
    return finding["line"] in lines or bool(named & lines)


@pytest.mark.parametrize("index", range(COUNT))
def test_every_mistake_is_reported_in_its_line_with_what_was_meant(mutations, index):
    mutation, findings = mutations[index]
    here = [one for one in findings if one["severity"] != "note" and is_at(one, mutation.lines)]

    said = "\n".join(f"{one['line']}: {one['message']}" for one in findings)
    assert here, f"{mutation}\nnothing in lines {sorted(mutation.lines)}:\n{said}"
    if mutation.suggestions:
        suggested = {one["suggestion"] for one in here} & mutation.suggestions
        assert suggested, f"{mutation}\nnone of {sorted(mutation.suggestions)} is suggested:\n{said}"

"""Three hundred typing errors and other mistakes in good configurations, and a hundred in MONC's dialect, are
each reported in the right line, words in the right column too, and what is one edit away from what was meant
suggests it.

PILEUS_SEED chooses others, PILEUS_MUTATIONS how many.
"""

import json
import os
import re
import shutil
from dataclasses import replace

import pytest
from lxml import etree
from oracle.configuration_files import Configuration, from_files, from_pages
from oracle.language import Language
from oracle.launch import pileus
from oracle.monc_mutations import FOLDER, MoncMutator, own_files
from oracle.monc_mutations import OPTIONS as MONC_OPTIONS
from oracle.mutations import Mutator
from oracle.start_tags import with_expressions_as_text

SEED = int(os.environ.get("PILEUS_SEED", "20261121"))
COUNT = int(os.environ.get("PILEUS_MUTATIONS", "300"))
MONC_COUNT = COUNT // 3
OPTIONS = {"x_size": 64, "y_size": 32, "end_time": 600, "archive": "there"}


def findings_in(names, options, folder, *arguments):
    """The findings in each of the files, in the form of --json."""
    settings = [word for key, value in options.items() for word in ("--set", f"{key}={value}")]
    done = pileus("check", "--json", *arguments, *names, *settings, cwd=folder)
    assert done.stderr == ""
    return [one["findings"] for one in json.loads(done.stdout)]


def check(texts, folder):
    """The findings in each."""
    names = [f"{index:03}.xml" for index in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        (folder / name).write_text(text)
    return findings_in(names, OPTIONS, folder)


def check_monc(files, folder):
    """The findings in each of MONC's files when the file that includes it is checked."""
    names = []
    for index, file in enumerate(files):
        root = folder / f"{index:03}"
        shutil.copytree(FOLDER, root)
        (root / file.path).write_text(file.text)
        names.append(f"{index:03}/{file.main}")
    said = findings_in(names, MONC_OPTIONS, folder, "--dialect", "monc")
    return [
        [one for one in findings if one["file"] == f"{index:03}/{file.path}"]
        for index, (file, findings) in enumerate(zip(files, said, strict=True))
    ]


def read_language(folder):
    return Language(etree.fromstring(pileus("schema", cwd=folder).stdout.encode()))


@pytest.fixture(scope="module")
def mutations(tmp_path_factory):
    """All of them and what is said about each."""
    folder = tmp_path_factory.mktemp("configurations")
    configurations = [one for one in from_files() + from_pages() if "<include file" not in one.text]
    configurations += [
        Configuration(f"{one}, expressions as text", with_expressions_as_text(one.text))
        for one in configurations
        if " expression=" in one.text
    ]
    said = check([one.text for one in configurations], folder)
    good = [
        one
        for one, findings in zip(configurations, said, strict=True)
        if all(finding["severity"] == "note" for finding in findings)
    ]
    assert len(good) > 10
    made = Mutator(read_language(folder), SEED).some(good, COUNT)
    return list(
        zip(made, check([one.text for one in made], tmp_path_factory.mktemp("mutations")), strict=True)
    )


@pytest.fixture(scope="module")
def monc_mutations(tmp_path_factory):
    """All mutations of the files in MONC's dialect and what is said about each."""
    folder = tmp_path_factory.mktemp("monc")
    files = own_files()
    good = check_monc(files, tmp_path_factory.mktemp("monc_files"))
    assert all(finding["severity"] == "note" for findings in good for finding in findings)
    made = MoncMutator(read_language(folder), SEED).some(files, MONC_COUNT)
    said = check_monc([replace(one.of, text=one.text) for one in made], folder)
    return list(zip(made, said, strict=True))


def is_at(finding, lines):
    """Tell whether a finding stands in one of the lines, or names one of them as the cause."""
    named = {int(line) for line in re.findall(r" of line (\d+)", finding["message"])}
    return finding["line"] in lines or bool(named & lines)


def require_report(mutation, findings):
    here = [one for one in findings if one["severity"] != "note" and is_at(one, mutation.lines)]

    said = "\n".join(f"{one['line']}:{one['column']}: {one['message']}" for one in findings)
    assert here, f"{mutation}\nnothing in lines {sorted(mutation.lines)}:\n{said}"
    if mutation.column is not None:
        columns = {one["column"] for one in here}
        assert mutation.column in columns, f"{mutation}\nnothing in column {mutation.column}:\n{said}"
    if mutation.suggestions:
        suggested = {one["suggestion"] for one in here if one["suggestion"]}
        suggested |= {name.rpartition("::")[2] for name in suggested}
        wanted = sorted(mutation.suggestions)
        assert suggested & mutation.suggestions, f"{mutation}\nnone of {wanted} is suggested:\n{said}"


@pytest.mark.parametrize("index", range(COUNT))
def test_every_mistake_is_reported_in_its_line_with_what_was_meant(mutations, index):
    require_report(*mutations[index])


@pytest.mark.parametrize("index", range(MONC_COUNT))
def test_every_mistake_in_a_file_of_monc_is_too(monc_mutations, index):
    require_report(*monc_mutations[index])

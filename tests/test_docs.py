"""Every fenced block of README.md and docs/*.md is what it says: checked, run, or quoted from a file.

What stands in a comment on the line above a block says how; without one its language does:

    xml         a complete configuration: `pileus check` finds no errors in it
                <!-- check: ARGUMENTS -->         with these arguments, in the repository
    sh, console commands, run one after the other in a scratch copy of the repository, all of a page in one
                shell; in console blocks "$ " begins a command and the lines below are its output, where
                "..." stands for any lines and "…" for anything within a line
    python      run in the directory where the shell is then
    any         <!-- quoted: FILE -->             lines of that file, as they stand there
                <!-- quoted: FILE PART -->        those between "docs: PART" and "docs: end", less the indent
                <!-- written to: FILE -->         goes into that file of the scratch copy, for the commands
                <!-- not run: REASON -->
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest
from oracle.launch import BIN, MPIRUN, ROOT

TIMEOUT_S = 240
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MARKER = re.compile(r"<!-- (check|quoted|written to|not run): (.*?) -->")
FENCE = re.compile(r"^```(\S*)\s*$")
END = "@@pileus-docs@@"


@dataclass(frozen=True)
class Block:
    """A fenced block and what is said about it."""

    page: Path
    line: int
    language: str
    text: str
    how: str
    argument: str

    def __str__(self):
        return f"{self.page.name}:{self.line}"

    @property
    def is_run(self):
        return not self.how and self.language in ("sh", "console", "python") or self.how == "written to"


def blocks_of(page):
    """The blocks of a page in their order."""
    blocks, lines = [], page.read_text().splitlines()
    at = 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if fence:
            end = next((i for i in range(at + 1, len(lines)) if lines[i] == "```"), None)
            assert end is not None, f"{page.name}:{at + 1}: the block has no end"
            marker = MARKER.fullmatch(lines[at - 1]) if at > 0 else None
            text = "".join(line + "\n" for line in lines[at + 1 : end])
            how, argument = marker.groups() if marker else ("", "")
            blocks.append(Block(page, at + 1, fence[1], text, how, argument))
            at = end
        at += 1
    return blocks


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def part_of(path, part):
    """The lines of a file between "docs: PART" and "docs: end", less the indent of the first."""
    lines = path.read_text().splitlines(keepends=True)
    starts = [i for i, line in enumerate(lines) if re.search(rf"docs: {re.escape(part)}\b", line)]
    assert len(starts) == 1, f"{path.name} has {len(starts)} lines with docs: {part}"
    end = next(i for i in range(starts[0], len(lines)) if "docs: end" in lines[i])
    return textwrap.dedent("".join(lines[starts[0] + 1 : end]))


def is_checked(block):
    return block.how == "check" or (not block.how and block.language == "xml")


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_every_block_is_run_or_says_why_not(block):
    assert block.how or block.is_run or is_checked(block), f"{block}: a {block.language or 'plain'} block"
    assert not block.how or block.argument.strip()


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.how == "quoted"], ids=str)
def test_quotations_stand_in_their_files(block):
    path, _, part = block.argument.partition(" ")
    expected = part_of(ROOT / path, part) if part else (ROOT / path).read_text()

    if part:
        assert block.text == expected
    else:
        assert block.text in expected


@pytest.mark.parametrize("block", [block for block in BLOCKS if is_checked(block)], ids=str)
def test_configurations_are_without_errors(block, tmp_path):
    if not (BIN / "pileus").is_file():
        pytest.skip(f"no program {BIN / 'pileus'}: build it, or set PILEUS_BUILD")
    configuration = tmp_path / "run.xml"
    configuration.write_text(block.text)

    done = subprocess.run(
        [BIN / "pileus", "check", configuration, *shlex.split(block.argument)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stdout + done.stderr


def test_how_it_works_names_every_room():
    table = (ROOT / "docs" / "how-it-works.md").read_text().partition("\n## Rooms\n")[2]
    sources = [path for path in (ROOT / "src").glob("*/**/*") if path.suffix in (".h", ".cpp")]

    assert set(re.findall(r"^\| `(\w+)` \|", table, re.M)) == {
        path.relative_to(ROOT / "src").parts[0] for path in sources
    }


@dataclass
class Command:
    """One command of a page, and the lines that it has to print; None: any."""

    where: str
    text: str
    expected: list | None


def commands_of(block):
    if block.how == "written to":
        path = shlex.quote(block.argument)
        here = f"cat > {path} <<'{END}'\n{block.text}{END}"
        return [Command(str(block), here, None)]
    if block.language == "python":
        return [Command(str(block), f"{sys.executable} - <<'{END}'\n{block.text}{END}", None)]
    if block.language == "sh":
        lines = block.text.rstrip("\n").replace("\\\n", "").splitlines()
        return [Command(str(block), line, None) for line in lines if line and not line.startswith("#")]
    commands = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append(Command(str(block), line[2:], []))
        elif commands and commands[-1].text.endswith("\\"):
            commands[-1].text += "\n" + line
        else:
            assert commands, f"{block}: output before the first command"
            commands[-1].expected.append(line)
    return commands


def pattern_of(lines):
    """Expected lines as a regular expression for the whole output."""
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append("[^\n]*".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ \t]*\n")
    return "".join(parts)


@pytest.fixture
def clone(tmp_path):
    """A clone and a build as a reader has them; the build is the one that is tested."""
    home = tmp_path / "pileus"
    home.mkdir()
    for name in ("examples", "docs", "include", "bindings", "cmake", "tests/configurations"):
        shutil.copytree(ROOT / name, home / name)
    (home / "build").mkdir()
    (home / "build" / "release").symlink_to(BIN.parent)
    return home


def environment(tools):
    """An environment like that of a machine with enough cores, so that commands need no flags."""
    (tools / "mpirun").write_text(f'#!/bin/sh\nexec {shutil.which(MPIRUN)} "$@"\n')
    (tools / "mpirun").chmod(0o755)
    where = dict(
        os.environ,
        PYTHONPATH=str(ROOT / "bindings" / "python"),
        PILEUS_PREFIX=str(BIN.parent),
        PATH=f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        MPLBACKEND="Agg",
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
        OMPI_MCA_hwloc_base_binding_policy="none",
        OMPI_MCA_mpi_yield_when_idle="1",
    )
    return where


RUN_PAGES = [page for page in PAGES if any(block.page == page and block.is_run for block in BLOCKS)]


@pytest.mark.parametrize("page", RUN_PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run_and_print_what_it_says(page, clone, tmp_path):
    if not (BIN / "smoke_c").is_file():
        pytest.skip(f"no program {BIN / 'smoke_c'}: build it, or set PILEUS_BUILD")
    commands = [c for block in BLOCKS if block.page == page and block.is_run for c in commands_of(block)]
    script = tmp_path / "commands.sh"
    script.write_text("".join(f"{command.text}\nprintf '\\n{END}%d\\n' $?\n" for command in commands))
    (tmp_path / "tools").mkdir()

    done = subprocess.run(
        ["bash", script],
        stdin=subprocess.DEVNULL,
        cwd=clone,
        env=environment(tmp_path / "tools"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )

    outputs = re.split(rf"\n?{END}(\d+)\n", done.stdout)
    assert len(outputs) == 2 * len(commands) + 1, done.stdout
    for command, output, status in zip(commands, outputs[::2], outputs[1::2], strict=False):
        said = f"{command.where}: {command.text}\n{output}"
        assert status == "0", said
        if command.expected is not None:
            output = output if not output or output.endswith("\n") else output + "\n"
            assert re.fullmatch(pattern_of(command.expected), output), said

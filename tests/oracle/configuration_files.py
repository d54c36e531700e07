"""The good configurations of the repository, for tests that ask something of each."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Configuration:
    """One of them: the file that it is in, or the page that shows it."""

    where: str
    text: str

    def __str__(self):
        return self.where


def from_files():
    """The configurations of the examples and tests."""
    paths = [
        *(ROOT / "examples").glob("*/*.xml"),
        *(ROOT / "tests" / "configurations").glob("*.xml"),
    ]
    return [Configuration(str(path.relative_to(ROOT)), path.read_text()) for path in sorted(paths)]


def from_pages():
    """Complete ones that the documentation shows."""
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = page.read_text()
        for block in re.finditer(r"^```xml\n(.*?)^```$", text, re.M | re.S):
            line = text[: block.start()].count("\n") + 1
            if block[1].lstrip().startswith(("<?xml", "<!--", "<io-configuration")):
                found.append(Configuration(f"{page.relative_to(ROOT)}:{line}", block[1]))
    return found

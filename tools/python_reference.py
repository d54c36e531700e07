#!/usr/bin/env python3
"""Prints docs/python-reference.md, made from the signatures and docstrings of the package."""

import inspect
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bindings" / "python"))

import pileus  # noqa: E402
from pileus import errors, results  # noqa: E402

CLASSES = ["Run", "Step", "Field", "TextField", "MapField", "Input", "WantedField", "PublishedFile"]
FUNCTIONS = ["check", "explain", "state", "checkpoints", "open", "serve", "program"]
HEAD = """# The package `pileus`

Made by `tools/python_reference.py` from the package's own docstrings. [Pileus from Python](python.md)
says how to use it.
"""


def signature_of(name, thing):
    text = str(inspect.signature(thing)).replace("(self, ", "(").replace("(self)", "()")
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    text = re.sub(r"<class '([\w.]+)'>", r"\1", text)
    return name + re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z]\w*)", "", text)


def words_of(thing):
    """A docstring in Markdown: sections become lists."""
    lines, out, section = (inspect.getdoc(thing) or "").splitlines(), [], None
    for line in lines:
        heading = re.fullmatch(r"(Args|Attributes|Returns|Errors):(.*)", line)
        item = re.match(r"    (\w+(?:, \w+)*): (.*)", line)
        if heading:
            section = heading[1]
            if out and out[-1]:
                out.append("")
            if heading[2]:
                out.append(f"*{heading[1]}:*{heading[2]}")
        elif section in ("Args", "Attributes") and item:
            out.append(f"- `{item[1]}`: {item[2]}")
        elif section in ("Args", "Attributes") and line.startswith("        "):
            out.append("  " + line.strip())
        else:
            section = None if not line.startswith(" ") else section
            out.append(line.strip() if section else line)
    return "\n".join(out).strip()


def page():
    parts = [HEAD]
    for name in CLASSES:
        thing = getattr(pileus, name)
        parts.append(f"## `{signature_of(name, thing) if name == 'Run' else name}`\n\n{words_of(thing)}\n")
        for member, what in vars(thing).items():
            if member.startswith("_") or not (callable(what) or isinstance(what, property)):
                continue
            title = member if isinstance(what, property) else signature_of(member, what)
            parts.append(f"### `{name}.{title}`\n\n{words_of(what)}\n")
    parts.append(f"## `Results`\n\n{words_of(results.Results)}\n")
    parts.append("## Functions\n")
    for name in FUNCTIONS:
        parts.append(
            f"### `pileus.{signature_of(name, getattr(pileus, name))}`\n\n{words_of(getattr(pileus, name))}\n"
        )
    parts.append("## Errors\n")
    for name, thing in vars(errors).items():
        if inspect.isclass(thing) and name != "Finding" and thing.__module__ == errors.__name__:
            parts.append(f"### `pileus.{name}`\n\n{words_of(thing)}\n")
    parts.append(f"### `pileus.Finding`\n\n{words_of(errors.Finding)}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")

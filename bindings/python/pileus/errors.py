"""What can go wrong, by its cause."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a configuration, or worth knowing about it.

    Attributes:
        severity: "error", "warning" or "note".
        message: a sentence, with what to do.
        file: the file that has it, or "".
        line, column: where, from 1; None for the file as a whole.
        suggestion: the word that was probably meant, or None.
    """

    severity: str
    message: str
    file: str = ""
    line: int | None = None
    column: int | None = None
    suggestion: str | None = None

    def __str__(self) -> str:
        place = [self.file] if self.file else []
        place += [str(number) for number in (self.line, self.column) if number is not None]
        return ": ".join([":".join(place)] * bool(place) + [self.severity, self.message])


class Error(Exception):
    """Anything that Pileus refuses or could not do."""


class UsageError(Error, ValueError):
    """A call in the wrong order, a wrong shape, a wrong type: nothing has changed, and the run goes on."""


class ConfigError(Error):
    """The configuration is wrong, or what the model registered does not fit it.

    Attributes:
        findings: every mistake, as `Finding`.
        file, line, column, suggestion: those of the first.
    """

    def __init__(self, text: str, findings: "list[Finding] | None" = None):
        super().__init__(text)
        self.findings = findings_of(text) if findings is None else findings
        first = next((one for one in self.findings if one.severity == "error"), Finding("error", text))
        self.file, self.line, self.column = first.file, first.line, first.column
        self.suggestion = first.suggestion


class OutputError(Error, OSError):
    """A file could not be written, or the servers have stopped the run: `Run.finish` is the next call."""


class TransportError(Error, ConnectionError):
    """Servers cannot be reached, or sent something unknown."""


class InternalError(Error, RuntimeError):
    """Anything else, such as a lack of memory."""


BY_STATUS: dict[int, type[Error]] = {
    2: UsageError,
    3: ConfigError,
    4: OutputError,
    5: TransportError,
    6: InternalError,
}

_PLACED = re.compile(r"(?:(.+?):(\d+):(?:(\d+):)? )?(error|warning|note): (.*)")
_SUGGESTED = re.compile(r'did you mean "([^"]*)"')


def findings_of(text: str) -> list[Finding]:
    """Reads the findings of a text that has one on each line."""
    findings = []
    for line in text.splitlines():
        found = _PLACED.fullmatch(line)
        if not found:
            continue
        file, row, column, severity, message = found.groups()
        suggested = _SUGGESTED.search(message)
        findings.append(
            Finding(
                severity,
                message,
                file or "",
                int(row) if row else None,
                int(column) if column else None,
                suggested[1] if suggested else None,
            )
        )
    return findings

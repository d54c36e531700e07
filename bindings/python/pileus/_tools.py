"""What the program `pileus` says of configurations and folders, for programs."""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping

from pileus import _library
from pileus.errors import ConfigError, Finding, InternalError, UsageError, findings_of

_UNNAMED = "configuration.xml"


def check(
    configuration: str | os.PathLike,
    *,
    options: Mapping[str, object] | None = None,
    model: str | os.PathLike | None = None,
) -> list[Finding]:
    """Names everything that is wrong with a configuration.

    Args:
        configuration: a path, or XML, which begins with "<".
        options: what {key} in it stands for.
        model: a description of the model, as `Run(describe_model=...)` writes it.
    Returns: errors, warnings and notes; none of them an error means that it is right.
    Errors: FileNotFoundError.
    """
    arguments = _options(options)
    if model is not None:
        arguments += ["--model", os.fspath(model)]
    done = _run("check", configuration, ["--json", *arguments])
    if not done.stdout.strip():
        raise UsageError(done.stderr.strip())
    findings = []
    for one in json.loads(done.stdout):
        if one["status"] == 2 and not os.path.exists(one["file"]):
            raise FileNotFoundError(f"{one['file']}: {one['findings'][0]['message']}")
        for found in one["findings"]:
            findings.append(
                Finding(
                    found["severity"],
                    found["message"],
                    _name_of(found["file"], configuration),
                    found["line"],
                    found["column"],
                    found["suggestion"],
                )
            )
    return findings


def explain(
    configuration: str | os.PathLike,
    model: str | os.PathLike,
    *,
    options: Mapping[str, object] | None = None,
    timestep: float | None = None,
    steps: int | None = None,
) -> dict:
    """What a run will make of a configuration: files, sizes, messages, memory.

    Args:
        configuration: a path, or XML, which begins with "<".
        model: a description of the model, as `Run(describe_model=...)` writes it.
        options: what {key} in it stands for.
        timestep: length of a step in s.
        steps: how many the run has.
    Errors: ConfigError, UsageError.
    """
    arguments = ["--json", "--model", os.fspath(model), *_options(options)]
    if timestep is not None:
        arguments += ["--timestep", repr(float(timestep))]
    if steps is not None:
        arguments += ["--steps", str(int(steps))]
    done = _run("explain", configuration, arguments)
    if done.returncode == 0:
        return json.loads(done.stdout)
    text = (done.stderr + done.stdout).strip()
    if findings_of(text):
        raise ConfigError(text)
    raise UsageError(text)


def state(directory: str | os.PathLike = ".") -> dict:
    """The checkpoints in a folder, and what they hold. Errors: UsageError where it cannot be read."""
    done = subprocess.run(
        [_library.program("pileus"), "state", "--json", os.fspath(directory)], capture_output=True, text=True
    )
    if done.returncode == 2 or not done.stdout.strip():
        raise UsageError(done.stderr.strip() or done.stdout.strip())
    return json.loads(done.stdout)


def _is_text(configuration) -> bool:
    return isinstance(configuration, str) and configuration.lstrip().startswith("<")


def _name_of(file: str | None, configuration) -> str:
    """What people know a file by: a text has none."""
    return "configuration" if file and file.endswith(_UNNAMED) and _is_text(configuration) else file or ""


def _options(options: Mapping[str, object] | None) -> list[str]:
    arguments = []
    for key, value in (options or {}).items():
        arguments += ["--set", f"{key}={value}"]
    return arguments


def _run(command: str, configuration, arguments: list[str]) -> subprocess.CompletedProcess:
    program = _library.program("pileus")

    def run(path: str) -> subprocess.CompletedProcess:
        path = os.path.join(".", path) if path.startswith("-") else path
        done = subprocess.run([program, command, path, *arguments], capture_output=True, text=True)
        if done.returncode < 0:
            raise InternalError(f"pileus {command} was ended by signal {-done.returncode}: {done.stderr}")
        return done

    if not _is_text(configuration):
        return run(os.fspath(configuration))
    with tempfile.TemporaryDirectory(prefix="pileus-") as folder:
        path = os.path.join(folder, _UNNAMED)
        with open(path, "w", encoding="utf-8") as file:
            file.write(configuration)
        return run(path)

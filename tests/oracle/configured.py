"""Configurations for the model of the tests, written in a line or two, and the run of it."""

import netCDF4
import numpy as np

from oracle import launch
from oracle.launch import Layout, require_programs, run_model
from oracle.model_time import Sample
from oracle.published import read

LAYOUT = Layout(3, 2, 2, True)
SIZE = (3, 4, 5)  # z, y, x
STEPS = 12
W = '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
PATH = '<field name="path" size="y,x" collective="true"/>'
NUMBER = '<field name="number" data_type="integer"/>'
DT = '<field name="dt" units="s"/>'
FILL = netCDF4.default_fillvals


def group(fields, frequency=1, name="state", more=""):
    return f'<data-definition name="{name}" frequency="{frequency}" {more}>{fields}</data-definition>'


def extreme(operator, result, field="w"):
    """A diagnostic: the extreme of a field."""
    return (
        f'<diagnostic field="{result}"><operator name="localreduce" operator="{operator}" field="{field}" '
        f'result="{result}_here"/><communication name="reduction" operator="{operator}" '
        f'field="{result}_here" result="{result}"/></diagnostic>'
    )


def include(*fields, manipulation="none", every=None, more=""):
    frequency = f'output_frequency="{every}"' if every else ""
    return "".join(
        f'<include field="{field}" time_manipulation="{manipulation}" {frequency} {more}/>'
        for field in fields
    )


def file(name, content, period=1000, more=""):
    return f'<file name="{name}" write_time_frequency="{period}" {more}>{content}</file>'


def writing(*files):
    return f"<data-writing>{''.join(files)}</data-writing>"


def handling(*diagnostics, namespace=""):
    inner = f' namespace="{namespace}"' if namespace else ""
    return f"<data-handling{inner}>{''.join(diagnostics)}</data-handling>"


def write(directory, *elements, name="run.xml"):
    path = directory / name
    path.write_text(f"<io-configuration>{''.join(elements)}</io-configuration>", encoding="utf-8")
    return path


def run(directory, *elements, options=(), steps=STEPS, sequence="varying", out="out", within=()):
    """The paths of what a run publishes, by name."""
    require_programs()
    more = ["--size", ",".join(map(str, SIZE)), "--steps", steps, "--sequence", sequence]
    for option in options:
        more += ["--option", option]
    return run_model(LAYOUT, write(directory, *elements), directory / out, *more, within=within)


def job(directory, configuration, steps, *options, layout=LAYOUT):
    """The finished process of a run of a configuration's file."""
    directory.mkdir(exist_ok=True)
    size = ["--size", ",".join(map(str, SIZE))]
    command = launch.model_command(layout, configuration, directory, *size, "--steps", steps, *options)
    return launch.run(command, str(layout))


def files_of(directory, configuration, steps, *options, layout=LAYOUT):
    """The paths of the files of such a run, by name; beside them it may leave checkpoints."""
    done = job(directory, configuration, steps, *options, layout=layout)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path for path in directory.glob("*.nc")}


def bytes_of(files):
    return {name: path.read_bytes() for name, path in files.items()}


def contents(files):
    """The variables of the only file."""
    (path,) = files.values()
    return read(path)


def attributes(path, variable):
    with netCDF4.Dataset(path) as dataset:
        return {name: dataset[variable].getncattr(name) for name in dataset[variable].ncattrs()}


def lengths(steps=STEPS):
    """The lengths of the model's steps in s, from the first one on (sequence varying)."""
    return [1.25 + 0.75 * (n % 5) + (9.5 if n % 7 == 0 else 0) for n in range(1, steps + 1)]


def samples(numbers=None):
    """The steps of these numbers in model time."""
    ends = np.cumsum(lengths())
    chosen = range(1, STEPS + 1) if numbers is None else numbers
    return [Sample(i, float(ends[n - 1]), lengths()[n - 1]) for i, n in enumerate(chosen)]


def number_of(step):
    """The model's field "number"."""
    return step * step * 1000003 - 5000000000

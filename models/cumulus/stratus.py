#!/usr/bin/env python3
"""Prints the configuration of Pileus for a list of diagnostics such as stratus.list.

    models/cumulus/stratus.py [--sums] [LIST [NUMBER]] > stratus.xml

NUMBER: only so many of its diagnostics, spread over the list. --sums: for a model that hands over sums
(`cumulus --sums LIST`).
"""

import sys
from pathlib import Path
from typing import NamedTuple

FIELDS = {  # dimensions, units, what it is
    "u": ("z,y,x_face", "m s-1", "wind to the east"),
    "v": ("z,y_face,x", "m s-1", "wind to the north"),
    "w": ("z_face,y,x", "m s-1", "upward wind"),
    "u_centre": ("z,y,x", "m s-1", "wind to the east at the centres of the cells"),
    "v_centre": ("z,y,x", "m s-1", "wind to the north at the centres of the cells"),
    "w_centre": ("z,y,x", "m s-1", "upward wind at the centres of the cells"),
    "theta": ("z,y,x", "K", "potential temperature"),
    "qv": ("z,y,x", "kg kg-1", "water vapour mixing ratio"),
    "ql": ("z,y,x", "kg kg-1", "cloud water mixing ratio"),
    "p": ("z,y,x", "Pa", "pressure minus that of the base state"),
    "vwp": ("y,x", "kg m-2", "water vapour path"),
    "lwp": ("y,x", "kg m-2", "cloud water path"),
    "dt": ("", "s", "length of the time step"),
    "cfl": ("", "1", "Courant number of the wind"),
}


class Diagnostic(NamedTuple):
    """One line of the list."""

    name: str
    reduction: str
    dimensions: str
    factors: str
    units: str


class DiagnosticList(NamedTuple):
    """The whole list, with the name of its file and the seconds of a mean and of a file."""

    file: str
    interval: str
    period: str
    diagnostics: list


def read_list(path):
    """Reads a list of diagnostics."""
    file = interval = period = None
    diagnostics = []
    for line in Path(path).read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("output "):
            _, file, interval, period = line.split()
        else:
            diagnostics.append(Diagnostic(*line.split(None, 4)))
    return DiagnosticList(file, interval, period, diagnostics)


def reduced_mean(name, factors, dimensions):
    """The rules for the mean of a product of fields, whose result is `name`."""
    rules, product = [], factors
    if "*" in factors:
        product = f"{name}_product"
        rules.append(f'<operator name="arithmetic" equation="{factors}" result="{product}"/>')
    return rules + reduced("mean", name, product, dimensions)


def reduced(reduction, name, field, dimensions):
    """The rules for the reduction of a field over dimensions on each server, then over all servers."""
    return [f'<operator name="localreduce" operator="{reduction}" dimensions="{dimensions}" '
            f'field="{field}" result="{name}_part"/>',
            f'<communication name="reduction" operator="{reduction}" field="{name}_part" result="{name}"/>']


def rules_of(diagnostic):
    """The rules of one diagnostic."""
    name, reduction, dimensions, factors, _ = diagnostic
    if reduction == "value":
        return []
    if reduction != "cov":
        return (reduced_mean(name, factors, dimensions) if reduction == "mean"
                else reduced(reduction, name, factors, dimensions))
    left, right = factors.split("*")
    rules = reduced_mean(f"{name}_both", factors, dimensions)
    rules += reduced_mean(f"{name}_left", left, dimensions)
    if right != left:
        rules += reduced_mean(f"{name}_right", right, dimensions)
    other = "left" if right == left else "right"
    rules.append(f'<operator name="arithmetic" equation="{name}_both - {name}_left*{name}_{other}" '
                 f'result="{name}"/>')
    return rules


class Sums:
    """The rules and fields of a model that sums up itself: cumulus_local_sums.F90 has the names."""

    def __init__(self):
        self.fields = {}

    def field(self, reduction, factors, dimensions):
        """Notes that a sum or an extreme of each rank is needed, and returns its name."""
        levels = FIELDS[factors.split("*")[0]][0].split(",")[0]
        has_levels = levels.startswith("z")
        is_whole = has_levels and dimensions.startswith("z")
        name = f"{reduction}_{factors.replace('*', '_')}{'_all' if is_whole else ''}"
        self.fields[name] = levels if has_levels and not is_whole else ""
        return name

    def mean(self, name, factors, dimensions):
        """The rules of a mean, up to the sum over all ranks, and the equation of the mean."""
        levels = {"z": "*{nz}", "z_face": "*({nz} + 1)"}.get(dimensions.split(",")[0], "")
        field = self.field("sum", factors, dimensions)
        rule = f'<communication name="reduction" operator="sum" field="{field}" result="{name}_sum"/>'
        return [rule], f"{name}_sum/({{nx}}*{{ny}}{levels})"

    def rules_of(self, diagnostic):
        """The rules of one diagnostic."""
        name, reduction, dimensions, factors, _ = diagnostic
        if reduction == "value":
            self.fields[factors] = ""
            return []
        if reduction in ("min", "max"):
            field = self.field(reduction, factors, dimensions)
            return [f'<communication name="reduction" operator="{reduction}" field="{field}" '
                    f'result="{name}"/>']
        parts = {"": factors}
        if reduction == "cov":
            parts = dict(zip(("_both", "_left", "_right"), (factors, *factors.split("*")), strict=True))
        rules, means = [], []
        for ending, product in parts.items():
            more, mean = self.mean(name + ending, product, dimensions)
            rules += more
            means.append(mean)
        equation = " - ".join([means[0], *(["*".join(means[1:])] if means[1:] else [])])
        return [*rules, f'<operator name="arithmetic" equation="{equation}" result="{name}"/>']

    def definitions(self):
        """The lines that define the fields."""
        for field, levels in sorted(self.fields.items()):
            shape = f'type="array" size="{levels}"' if levels else 'type="scalar"'
            yield f'    <field name="{field}" {shape}/>'


def field_definitions(wanted):
    """The lines that define the fields which the model hands over as they are."""
    needed = {field for diagnostic in wanted.diagnostics for field in diagnostic.factors.split("*")}
    for field, (size, units, long_name) in FIELDS.items():
        if field in needed:
            shape = f'type="array" size="{size}" collective="true"' if size else 'type="scalar"'
            yield f'    <field name="{field}" {shape} units="{units}" long_name="{long_name}"/>'


def configuration(wanted, sums=None):
    """The lines of the configuration. sums : of a model that sums up itself."""
    rules_of_each = {diagnostic: (sums.rules_of if sums else rules_of)(diagnostic)
                     for diagnostic in wanted.diagnostics}
    yield "<io-configuration>"
    yield '  <data-definition name="state" frequency="1">'
    yield from sums.definitions() if sums else field_definitions(wanted)
    yield "  </data-definition>"
    yield "  <data-handling>"
    for diagnostic, rules in rules_of_each.items():
        if rules:
            yield (f'    <diagnostic field="{diagnostic.name}" units="{diagnostic.units}" '
                   f'long_name="{diagnostic.reduction} of {diagnostic.factors}">')
            yield from (f"      {rule}" for rule in rules)
            yield "    </diagnostic>"
    yield "  </data-handling>"
    yield '  <group name="all">'
    for diagnostic in wanted.diagnostics:
        member = diagnostic.factors if diagnostic.reduction == "value" else diagnostic.name
        yield f'    <member name="{member}"/>'
    yield "  </group>"
    yield "  <data-writing>"
    yield f'    <file name="{wanted.file}.nc" write_time_frequency="{wanted.period}" title="Diagnostics">'
    yield f'      <include group="all" time_manipulation="averaged" output_frequency="{wanted.interval}"/>'
    yield "    </file>"
    yield "  </data-writing>"
    yield "</io-configuration>"


def main():
    """Prints the configuration for the list and the number that the command line names."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--sums"]
    path = arguments[0] if arguments else Path(__file__).with_name("stratus.list")
    wanted = read_list(path)
    if len(arguments) > 1:
        count, number = len(wanted.diagnostics), int(arguments[1])
        wanted = wanted._replace(diagnostics=[wanted.diagnostics[i * count // number] for i in range(number)])
    print("\n".join(configuration(wanted, Sums() if "--sums" in sys.argv else None)))


if __name__ == "__main__":
    main()

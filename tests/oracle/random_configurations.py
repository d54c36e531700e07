"""Configurations drawn at random from a seed, and what is to be in their files.

Expressions and rules over all fields and grids of cumulus, groups of several frequencies, static fields,
manipulations, frequencies that fit nothing, formats. What goes into a file is worked out from the fields
themselves, which the same run writes in every step, by NumPy, fractions and the text of decision D11
(model_time.py).
"""

import random
import re
from dataclasses import dataclass, field
from fractions import Fraction
from xml.sax.saxutils import quoteattr

import numpy as np

from oracle.chains import Chain, draw_chain
from oracle.dated import EPOCH, Dated, draw_dated
from oracle.manipulations import MANIPULATIONS, Counted
from oracle.model_time import averages, instants
from oracle.random_expressions import (
    CLOCK,
    GRIDS,
    PLANES,
    SCALARS,
    VOLUMES,
    Drawn,
    Draws,
    Exact,
    dimensions_of,
)
from oracle.random_rules import Rules

FREQUENCIES = ("0.37", "1", "2.5", "3.7", "7", "10", "13.33", "1000")
PERIODS = ("5", "17.3", "20", "1000", "1e6")
DIMENSIONS = ("z", "z_face", "y", "y_face", "x", "x_face")


@dataclass
class Variable:
    """One that a file has: of a group, made of a drawn value, with its manipulation."""

    name: str
    group: str
    value: Drawn
    manipulation: str
    frequency: str | None
    file: str
    is_double: bool
    has_final: bool  # of instants: the last step is among them
    is_static: bool  # made of static fields alone: once in each file, without a time
    chain: Chain | Dated | None = None  # in place of manipulation and frequency


@dataclass
class Configuration:
    text: str
    sparse_frequency: str  # steps, or a time with its unit
    groups: dict  # of field names
    variables: list = field(default_factory=list)


def order_of(values):
    """One that serves all of these: levels first."""
    used = set().union(*(value.dimensions for _, _, value in values))
    return ",".join(
        ["time", *(d for name in DIMENSIONS for d in sorted(used) if d.split("_every")[0] == name)]
    )


def field_element(name, group):
    if name in SCALARS:
        return f'<field name="{name}" type="scalar"/>'
    size = ",".join(reversed(dimensions_of(name)))
    static = ' static="true"' if group == "fixed" else ""
    return f'<field name="{name}" type="array" size="{size}" collective="true"{static}/>'


def truth(group, names):
    """The fields themselves; of static ones a file needs something with a time beside them."""
    names = [*names, "dt"] if group == "fixed" else names
    includes = "".join(f'<include field="{name}" time_manipulation="none"/>' for name in names)
    return f'<file name="truth_{group}.nc" write_time_frequency="1e6">{includes}</file>'


class Drawing:
    """One configuration, from its seed. `statics`: how many fields are those of the first step for ever."""

    def __init__(self, seed, diagnostics, statics):
        self.random = random.Random(seed)
        self.calendar = self.random.choice(("standard", "noleap", "360_day", "julian"))
        sparse = self.random.sample([*VOLUMES, "lwp"], 3)
        dense = [name for name in (*VOLUMES, *PLANES, *SCALARS) if name not in sparse]
        fixed = self.random.sample([name for name in dense if name not in SCALARS], statics)
        dense = [name for name in dense if name not in fixed]
        self.groups = {"dense": dense, "sparse": sparse, "fixed": fixed}
        self.elements, self.variables, self.files = [], [], []
        self.statics = set(fixed)  # names of what is written without a time
        values = [self.diagnostic(f"d{i}") for i in range(diagnostics)]
        values += [(name, "dense", self.plain(name)) for name in self.random.sample([*dense, *fixed], 2)]
        while values:
            values = self.file(values)

    def plain(self, name):
        dimensions = frozenset(dimensions_of(name))
        return Drawn(name, lambda of: of(name), dimensions, "bits", "spread" if dimensions else "computed")

    def diagnostic(self, name):
        group = "sparse" if self.random.random() < 0.2 else "dense"
        names = [*self.groups[group], *self.groups["fixed"]]
        grids = [grid for grid in GRIDS if any(VOLUMES.get(one) == grid for one in names)]
        if not grids:
            group, grids = "dense", ["centre"]
            names = [*self.groups["dense"], *self.groups["fixed"]]
        grid = self.random.choice(["centre", *grids]) if "centre" in grids else self.random.choice(grids)
        if self.random.random() < 0.25:
            element, value = Rules(self.random, grid, names).diagnostic(name)
        else:
            changing = self.groups[group]
            value = Draws(self.random, grid, names, changing).diagnostic(self.random.choice([1, 2, 2, 3]))
            element = f'<diagnostic field="{name}" expression={quoteattr(value.text)}/>'
        self.elements.append(element)
        if self.is_static(element):
            self.statics.add(name)
        elif not set(re.findall(r"\w+", element)) & set(self.groups["sparse"]):
            group = "dense"  # static fields and the clock, which every step has
        return name, group, value

    def is_static(self, element):
        """Tell whether it is made of static fields alone."""
        fields = set(re.findall(r"\w+", element)) & {*VOLUMES, *PLANES, *SCALARS, *CLOCK}
        return fields <= set(self.groups["fixed"])

    def file(self, values):
        """Puts some of the values into a file; those that are left."""
        count = self.random.randint(1, 5)
        name = f"f{len(self.files)}"
        period = self.random.choice(PERIODS)
        attributes = [f'name="{name}.nc" write_time_frequency="{period}"']
        precision = self.random.choice(["", "", "", "float"])
        bits = self.random.choice(["", "", "", "12"])
        final = self.random.choice(["", "true"])
        for key, value in (
            ("order", self.random.choice(["", order_of(values[:count])])),
            ("precision", precision),
            ("significant_bits", bits),
            ("deflate", self.random.choice(["", "", "1", "4"])),
            ("write_on_terminate", final),
        ):
            attributes += [f'{key}="{value}"'] if value else []
        includes = []
        if self.statics.issuperset(variable for variable, _, _ in values[:count]):
            # A file cannot be of static values alone.
            includes.append('<include field="dt" time_manipulation="none"/>')
        for variable, group, value in values[:count]:
            manipulation = self.random.choice([*MANIPULATIONS, "averaged"])
            frequency = None if manipulation == "none" else self.random.choice(FREQUENCIES)
            said = "" if frequency is None else f' output_frequency="{frequency}"'
            said = f' time_manipulation="{manipulation}"{said}'
            draw_one = self.random.choice((draw_chain, draw_chain, draw_dated))
            chain = draw_one(self.random) if self.random.random() < 0.35 else None
            includes.append(f'<include field="{variable}"{chain.attributes() if chain else said}/>')
            is_double = not precision and not bits
            self.variables.append(
                Variable(
                    variable,
                    group,
                    value,
                    manipulation,
                    frequency,
                    name,
                    is_double,
                    bool(final),
                    variable in self.statics,
                    chain,
                )
            )
        self.files.append(f"<file {' '.join(attributes)}>{''.join(includes)}</file>")
        return values[count:]

    def configuration(self):
        sparse_frequency = self.random.choice(["2", "3", "1.3 s", "2.6 s"])
        lines = ["<io-configuration>", f'<time calendar="{self.calendar}" epoch="{EPOCH}"/>']
        for group, frequency in (("dense", 1), ("sparse", sparse_frequency), ("fixed", 5)):
            if not self.groups[group]:
                continue
            fields = "".join(field_element(name, group) for name in self.groups[group])
            lines.append(
                f'<data-definition name="{group}" frequency="{frequency}">{fields}</data-definition>'
            )
        lines += ["<data-handling>", *self.elements, "</data-handling>", "<data-writing>", *self.files]
        lines += [truth(group, names) for group, names in self.groups.items() if names]
        lines += ["</data-writing>", "</io-configuration>", ""]
        return Configuration("\n".join(lines), sparse_frequency, self.groups, self.variables)


def draw(seed, diagnostics=12, statics=0):
    return Drawing(seed, diagnostics, statics).configuration()


def records_of(variable, samples, end):
    """The records that the variable is to have, of the samples of its group; the run ends at `end`."""
    if variable.chain:
        return [(record.time, record.weights) for record in variable.chain.records(samples)]
    if variable.manipulation == "none":
        return [(sample.time, ((i, 1.0),)) for i, sample in enumerate(samples)]
    times = instants if variable.manipulation == "instantaneous" else averages
    records = [(record.time, record.weights) for record in times(samples, float(variable.frequency))]
    last = len(samples) - 1
    if variable.manipulation == "instantaneous" and variable.has_final and samples[-1].time == end:
        if not records or records[-1][1][0][0] != last:
            records.append((samples[-1].time, ((last, 1.0),)))
    return records


def expected_record(manipulation, values, weights, ends=None, before=None):
    """The record of the samples' values, Exact or Named, that count in it: an array of doubles."""
    doubles = [one.rounded().values if isinstance(one, Exact) else one.values for one in values]
    exact = [fractions_of(one) for one in values]
    before = fractions_of(before or values[0])
    return MANIPULATIONS[manipulation].record(
        Counted(doubles, exact, [Fraction(weight) for weight in weights], ends, before)
    )


def fractions_of(value):
    return np.vectorize(as_fraction, otypes=[object])(value.values)


def as_fraction(value):
    return value if isinstance(value, Fraction) else Fraction(float(value))

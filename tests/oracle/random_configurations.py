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
class Trigger:
    """Holds in steps at the beginning of each period of model time; its file is of the steps behind them."""

    name: str
    period: float
    share: float
    field: str  # in the file, with dt

    def element(self):
        condition = f"dt > 0 and model_time % {self.period} < {self.share}"
        return f'<trigger name="{self.name}" when={quoteattr(condition)}/>'

    def file(self):
        includes = "".join(f'<include field="{one}" time_manipulation="none"/>' for one in ("dt", self.field))
        return (
            f'<file name="{self.name}.nc" write_time_frequency="1e6" trigger="{self.name}">{includes}</file>'
        )

    def times(self, times):
        """Of all steps, those that are written."""
        held = [time % self.period < self.share for time in times]
        return [time for time, before in zip(times[1:], held[:-1], strict=True) if before]


@dataclass
class Configuration:
    text: str
    sparse_frequency: str  # steps, or a time with its unit
    groups: dict  # of field names
    variables: list = field(default_factory=list)
    triggers: list = field(default_factory=list)


def order_of(values):
    """One that serves all of these: levels first."""
    used = set().union(*(value.dimensions for _, _, value in values))
    return ",".join(
        ["time", *(d for name in DIMENSIONS for d in sorted(used) if d.split("_every")[0] == name)]
    )


def field_element(name, group, holds):
    if name in SCALARS:
        return f'<field name="{name}" type="scalar"/>'
    size = ",".join(reversed(dimensions_of(name)))
    more = ' static="true"' if group == "fixed" else ' hold="true"' if holds else ""
    return f'<field name="{name}" type="array" size="{size}" collective="true"{more}/>'


def truth(group, names):
    """The fields themselves; of static ones a file needs something with a time beside them."""
    names = [*names, "dt"] if group == "fixed" else names
    includes = "".join(f'<include field="{name}" time_manipulation="none"/>' for name in names)
    return f'<file name="truth_{group}.nc" write_time_frequency="1e6">{includes}</file>'


class Drawing:
    """One configuration, from its seed. `statics`: how many fields are those of the first step for ever."""

    def __init__(self, seed, diagnostics, statics):
        self.seed, self.random = seed, random.Random(seed)
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
        others = [(name, value) for name, group, value in values if group == "dense"]
        while values:
            values = self.file(values)
        # What was drawn so far stays so for a seed.
        self.random = random.Random(f"more of {seed}")
        arrays = [name for name in [*dense, *sparse] if name not in SCALARS]
        self.held = set(self.random.sample(arrays, self.random.randint(0, 3)))
        self.spectra = [self.spectrum(number, others) for number in range(self.random.randint(0, 2))]
        self.triggers = [self.trigger(number, others) for number in range(self.random.randint(0, 2))]

    def changing(self, others):
        return self.random.choice([name for name, _ in others if name not in self.statics] or ["theta"])

    def spectrum(self, number, others):
        """Of means over even times, as steps are not even."""
        period = self.random.choice(("0.9", "1.3", "2.1"))
        samples = self.random.choice((2, 3, 4))
        output = Fraction(period) * samples * self.random.choice((1, 2))
        more = self.random.choice(("", ' window="hann"', ' overlap="half"', ' detrend="linear"'))
        how = f'time_manipulation="averaged over {period} s, time_spectrum" samples="{samples}"{more}'
        every = f'output_frequency="{float(output)}"'
        return (
            f'<file name="spectrum_{number}.nc" write_time_frequency="1e6">'
            f'<include field="{self.changing(others)}" name="density" {how} {every}/>'
            "</file>"
        )

    def trigger(self, number, others):
        period = self.random.choice((2.7, 3.3, 5.1))
        share = round(period * self.random.choice((0.3, 0.5, 0.8)), 2)
        return Trigger(f"trigger_{number}", period, share, self.changing(others))

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
        # Drawn apart, so that all else of a seed stays what it was.
        writers = random.Random(f"{self.seed} {name}").choice(["", "", "1", "2", "auto"])
        attributes += [f'writers="{writers}"'] if writers else []
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
            fields = "".join(field_element(name, group, name in self.held) for name in self.groups[group])
            lines.append(
                f'<data-definition name="{group}" frequency="{frequency}">{fields}</data-definition>'
            )
        lines += ["<data-handling>", *self.elements, *[one.element() for one in self.triggers]]
        lines += ["</data-handling>", "<data-writing>", *self.files, *self.spectra]
        lines += [one.file() for one in self.triggers]
        lines += [truth(group, names) for group, names in self.groups.items() if names]
        lines += ["</data-writing>", "</io-configuration>", ""]
        return Configuration("\n".join(lines), sparse_frequency, self.groups, self.variables, self.triggers)


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

"""Chains, running windows and spans of time, drawn at random, and what they are to give.

A record of a stage is a sample of the next one that stands for the stage's period; the last stage has the
output_frequency. A running window is made of the windows of one output_frequency that end with it.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from oracle.model_time import START_S, Record, Sample, averages
from oracle.named import Named

PERIODS = ("0.37", "1", "2.5", "3.7")
# Differences of what is almost equal have few digits, so moments are not taken of records.
LATER = (
    "averaged",
    "averaged",
    "accumulated",
    "minimum",
    "maximum",
    "root_mean_square",
    "range",
    "first",
    "last",
)
FIRST = (*LATER, "variance", "standard_deviation", "longest_run", "difference", "tendency")
LAST = (*LATER, "longest_run", "difference", "tendency", "time_of_minimum", "time_of_maximum")
ALONE = (*FIRST, "skewness", "kurtosis", "time_of_minimum", "time_of_maximum")


@dataclass(frozen=True)
class Made:
    """A record, and the number of the sample that ended the period before; None: there is none.

    `ends`: when what each of the record's samples stands for in it ends, in s.
    """

    record: Record
    before: int | None
    ends: tuple


def made(records, samples, period):
    befores = [None, *(one.weights[-1][0] for one in records)]
    return [
        Made(one, before, tuple(min(one.end, samples[i].snapped(period)) for i, _ in one.weights))
        for one, before in zip(records, befores, strict=False)
    ]


@dataclass(frozen=True)
class Chain:
    stages: tuple  # of (manipulation, period as text), the last with the output_frequency
    running: int  # a record covers so many times the output_frequency
    span: tuple  # of model time that counts, in s

    @property
    def manipulations(self):
        return [name for name, _ in self.stages]

    def attributes(self):
        *before, (last, output) = self.stages
        text = "".join(f"{name} over {period}, " for name, period in before) + last
        if self.running > 1:
            text += f" over {Decimal(output) * self.running}"
        said = f' time_manipulation="{text}" output_frequency="{output}"'
        begin, end = self.span
        said += f' from="{begin}"' if begin > START_S else ""
        return said + (f' until="{end}"' if end < float("inf") else "")

    def levels(self, samples):
        """By stage: what is made of its samples, which are the records of the stage before."""
        levels, lengths = [], None
        for _, period in self.stages:
            records = averages(samples, float(period), self.span)
            if lengths:  # a record stands for its own period, whatever the next stage calls the end of that
                records = [
                    replace(one, weights=tuple((i, lengths[i]) for i, _ in one.weights)) for one in records
                ]
            lengths = [one.end - one.begin for one in records]
            levels.append(made(records, samples, float(self.stages[0][1])))
            samples = [Sample(i, one.end, one.end - one.begin) for i, one in enumerate(records)]
        if self.running > 1:
            levels[-1] = self.whole(levels[-1])
        return levels

    def records(self, samples):
        return [one.record for one in self.levels(samples)[-1]]

    def whole(self, parts):
        """The running windows of these, of which the first may be cut short and the last too."""
        output = Fraction(self.stages[-1][1])
        found = []
        for last in range(self.running - 1, len(parts)):
            counted = parts[last + 1 - self.running : last + 1]
            if not all(
                is_near(Fraction(one.record.end) - Fraction(one.record.begin), output) for one in counted
            ):
                continue
            end = counted[-1].record.end
            weights = tuple(pair for one in counted for pair in one.record.weights)
            record = Record(end, counted[0].record.begin, end, weights, counted[-1].record.length)
            ends = tuple(end for one in counted for end in one.ends)
            found.append(Made(record, counted[0].before, ends))
        return found

    def values(self, samples, made_of, expected_record):
        """The values of its records, of those of the samples."""
        dimensions = made_of[0].dimensions
        for manipulation, records in zip(self.manipulations, self.levels(samples), strict=True):
            made_of = [
                Named(expected_record(manipulation, *self.counted(one, made_of)), dimensions)
                for one in records
            ]
        return [one.values for one in made_of]

    def counted(self, made, values):
        """The arguments of expected_record."""
        numbers, weights = zip(*made.record.weights, strict=True)
        before = None if made.before is None else values[made.before]
        return [values[i] for i in numbers], list(weights), list(made.ends), before


def is_near(a, b):
    return abs(a - b) < Fraction(1, 10**6)


def draw_chain(random):
    period = Decimal(random.choice(PERIODS))
    running = random.choice([1, 1, 2, 4])
    count = random.choice([1, 2, 2, 2, 3, 4])
    stages = []
    for number in range(count):
        is_last = number == count - 1
        words = ALONE if count == 1 else FIRST if number == 0 else LAST if is_last else LATER
        stages.append((random.choice(words), str(period)))
        period *= random.choice([1, 2, 3])
    span = random.choice([(START_S, float("inf"))] * 3 + [(2.3, float("inf")), (1.85, 17.0), (0.0, 12.5)])
    return Chain(tuple(stages), running, span)

"""Chains, running windows and spans of time, drawn at random, and what they are to give.

A record of a stage is a sample of the next one that stands for the stage's period; the last stage has the
output_frequency. A running window is made of the windows of one output_frequency that end with it.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from oracle.model_time import START_S, Record, Sample, averages
from oracle.named import Named

PERIODS = ("0.37", "1", "2.5", "3.7")
FIRST = ("averaged", "accumulated", "minimum", "maximum", "variance", "root_mean_square")
# Differences of what is almost equal have few digits, so none are taken of records.
LATER = ("averaged", "accumulated", "minimum", "maximum", "root_mean_square")


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
        """By stage: its records, which are the samples of the next stage."""
        levels = []
        for _, period in self.stages:
            records = averages(samples, float(period), self.span)
            levels.append(records)
            samples = [Sample(i, one.end, one.end - one.begin) for i, one in enumerate(records)]
        return [*levels[:-1], self.whole(levels[-1])] if self.running > 1 else levels

    def whole(self, records):
        """The running windows of these, of which the last may be cut short and the first too."""
        output = Fraction(self.stages[-1][1])
        records = [one for one in records if is_near(Fraction(one.end) - Fraction(one.begin), output)]
        found = []
        for last in range(self.running - 1, len(records)):
            parts = records[last + 1 - self.running : last + 1]
            weights = {}
            for index, weight in (pair for part in parts for pair in part.weights):
                weights[index] = weights.get(index, Fraction(0)) + Fraction(weight)
            end = parts[-1].end
            found.append(Record(end, parts[0].begin, end, tuple(weights.items()), parts[-1].length))
        return found

    def values(self, samples, made, expected_record):
        """The values of its records, of those of the samples."""
        dimensions = made[0].dimensions
        for manipulation, records in zip(self.manipulations, self.levels(samples), strict=True):
            made = [
                Named(
                    expected_record(
                        manipulation, [made[i] for i, _ in one.weights], [w for _, w in one.weights]
                    ),
                    dimensions,
                )
                for one in records
            ]
        return [one.values for one in made]


def is_near(a, b):
    return abs(a - b) < Fraction(1, 10**6)


def draw_chain(random):
    period = Decimal(random.choice(PERIODS))
    stages = []
    for number in range(random.choice([1, 2, 2, 2, 3, 4])):
        stages.append((random.choice(LATER if number else FIRST), str(period)))
        period *= random.choice([1, 2, 3])
    running = random.choice([1, 1, 2, 4])
    span = random.choice([(START_S, float("inf"))] * 3 + [(2.3, float("inf")), (1.85, 17.0), (0.0, 12.5)])
    return Chain(tuple(stages), running, span)

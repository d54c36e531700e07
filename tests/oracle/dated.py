"""Windows of the calendar and parts of the day, drawn at random, and what they are to give.

Model time 0 is ten seconds before the first of December, so that a season, a year from December and a day end
with these ten seconds, and so does a minute. A run is shorter than the next minute.
"""

from dataclasses import dataclass
from fractions import Fraction

from oracle.chains import made
from oracle.model_time import START_S, TOLERANCE, Record
from oracle.named import Named

EPOCH, BOUNDARY_S = "1999-11-30 23:59:50", 10.0
PERIODS = (
    "1 season",
    "3 months from March",
    "1 year from December",
    "6 months from June",
    "4 months from April",
)
WINDOWS = (
    "averaged",
    "accumulated",
    "minimum",
    "maximum",
    "variance",
    "range",
    "first",
    "last",
    "tendency",
)
OF_PARTS = ("averaged", "accumulated", "minimum", "maximum")


@dataclass(frozen=True)
class Dated:
    """Has the interface of a chain of one stage."""

    manipulation: str
    period: str
    bins: int  # of the day; 0: a record of each window

    @property
    def manipulations(self):
        return [self.manipulation]

    def attributes(self):
        said = f' time_manipulation="{self.manipulation}" output_frequency="{self.period}"'
        return said + (f' diurnal="{self.bins}"' if self.bins else "")

    def records(self, samples):
        spans, last = [], START_S
        for sample in samples:
            distance = abs(Fraction(sample.time) - Fraction(BOUNDARY_S))
            is_on = distance <= TOLERANCE * Fraction(sample.length)
            begin, last = last, BOUNDARY_S if is_on else sample.time
            spans.append((begin, last, sample))
        assert last < BOUNDARY_S + 60
        found = []
        for begin, end in ((START_S, min(BOUNDARY_S, last)), (BOUNDARY_S, last)):
            shares = []
            for span_begin, span_end, sample in spans:
                overlap = Fraction(min(span_end, end)) - Fraction(max(span_begin, begin))
                if overlap > 0:
                    shares.append((sample.index, float(overlap), sample.length))
            if shares:
                time = (begin + end) / 2 if self.bins else end
                weights = tuple((index, weight) for index, weight, _ in shares)
                found.append(Record(time, begin, end, weights, shares[-1][2]))
        return found

    def values(self, samples, made_of, expected_record):
        """The values of its records, of those of the samples."""
        values = []
        for one in made(self.records(samples), samples, BOUNDARY_S):
            numbers, weights = zip(*one.record.weights, strict=True)
            ends = [min(one.record.end, samples[i].snapped(BOUNDARY_S)) for i in numbers]
            before = None if one.before is None else made_of[one.before]
            record = expected_record(
                self.manipulation, [made_of[i] for i in numbers], list(weights), ends, before
            )
            values.append(Named(record, made_of[0].dimensions).values)
        return values


def draw_dated(random):
    if random.random() < 0.5:
        return Dated(
            random.choice(OF_PARTS), random.choice(("1 d", "2 d", "1 season")), random.choice((24, 1440))
        )
    return Dated(random.choice(WINDOWS), random.choice(PERIODS), 0)

"""The meaning of each sample in time, written from the text of decision D11 with exact fractions.

- A sample stands for (the previous sample of its group or the start, t].
- An average weights a sample by its overlap with the window; windows end at multiples of the output
  frequency; at the end of the run the window in progress is written with its true bounds.
- An instant is the first sample at or after each multiple of the output frequency, once a step; on the
  multiple it has the multiple's time.
- A windowed record belongs to the file that contains its window's end, an instant to that of its sample.
- A time within 1e-6 of the step of a boundary is on it.
Boundary k is the double nearest to k times the frequency, and a weight the double nearest to the overlap.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

TOLERANCE = Fraction(1, 10**6)
START_S = 0.0


@dataclass(frozen=True)
class Sample:
    """Number `index` of its file: model time at its end and the length of its step, in s."""

    index: int
    time: float
    length: float

    def snapped(self, frequency):
        """The multiple of the frequency that this time is on, or the time."""
        nearest = round(Fraction(self.time) / Fraction(frequency)) * frequency
        distance = abs(Fraction(nearest) - Fraction(self.time))
        return nearest if distance <= TOLERANCE * Fraction(self.length) else self.time


@dataclass(frozen=True)
class Record:
    """A record of a file: its time and bounds in s, and the samples that count in it with their weights."""

    time: float
    begin: float
    end: float
    weights: tuple  # of (index of the sample, weight in s)
    length: float  # of the step that ended it, in s


def averages(samples, frequency, span=(START_S, float("inf"))):
    """One record for each window that a sample overlaps, in the span of time that counts."""
    spans, last = [], START_S
    for sample in samples:
        begin, last = last, sample.snapped(frequency)
        spans.append((begin, last, sample))

    records = []
    number = floor(Fraction(span[0]) / Fraction(frequency)) + 1
    last = min(last, span[1])
    while max(span[0], (number - 1) * frequency) < last:
        window_begin, window_end = max(span[0], (number - 1) * frequency), min(last, number * frequency)
        weights, length = [], 0.0
        for span_begin, span_end, sample in spans:
            overlap = Fraction(min(span_end, window_end)) - Fraction(max(span_begin, window_begin))
            if overlap > 0:
                weights.append((sample.index, float(overlap)))
                length = sample.length
        records.append(Record(window_end, window_begin, window_end, tuple(weights), length))
        number += 1
    return records


def instants(samples, frequency):
    """One record for each sample that is the first at or after a multiple of the frequency above 0."""
    records, reached = [], 0
    for sample in samples:
        boundary = floor(Fraction(sample.snapped(frequency)) / Fraction(frequency))
        if sample.snapped(frequency) == (boundary + 1) * frequency:
            boundary += 1  # the double nearest to a multiple may lie below it
        if boundary > reached:
            time = sample.snapped(frequency)
            records.append(Record(time, time, time, ((sample.index, 1.0),), sample.length))
        reached = max(reached, boundary)
    return records


def by_file(records, base, write_frequency):
    """The records of each file, by its name."""
    files = {}
    for record in records:
        end = Sample(-1, record.end, record.length).snapped(write_frequency)
        period = ceil(Fraction(end) / Fraction(write_frequency))
        if end == (period - 1) * write_frequency:
            period -= 1  # the double nearest to a multiple may lie above it
        number = period * write_frequency
        name = f"{base}_{int(number) if number == int(number) else number!r}.nc"
        files.setdefault(name, []).append(record)
    return files

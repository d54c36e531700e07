#!/usr/bin/env python3
"""Measures gathering a field on points, beside the same by hand: nanoseconds a value.

Blocks of 32 columns whose points come in their order, or are dealt at random; meshes that are numbered at
random, or so that three cells follow each other on average, level by level and column by column. By hand
takes the loops of a model that knows how its arrays lie; where it could nest them in two ways, both are
measured. Both take turns in one run. Times are processor times. Then whole runs with a server: put and end of
a step beside the same by hand, on the wall.
"""

import ctypes
import tempfile
from pathlib import Path

import numpy as np
from figures import BUILD, Figures, read_settings
from runs import MODELS, run

SIZES = [(20_000, 60), (200_000, 60), (200_000, 1)]
WARM_UP = 2


def in_order(points, _):
    """The local element of each point."""
    return np.arange(points)


def at_random(points, random):
    """The same, dealt at random."""
    return random.permutation(points)


def in_threes(points, random):
    """The same in runs of three on average, which are dealt at random."""
    cuts = np.flatnonzero(random.random(points - 1) < 1 / 3) + 1
    runs = np.split(np.arange(points), cuts)
    return np.concatenate([runs[i] for i in random.permutation(len(runs))])


CASES = [("blocks of 32 in order", "blocks", in_order, ["blocks by level", "blocks by block"]),
         ("blocks of 32 at random", "blocks_random", at_random, ["elements of blocks"]),
         ("mesh by levels at random", "levels_random", at_random, ["elements"]),
         ("mesh by levels in threes", "levels_threes", in_threes, ["elements"]),
         ("mesh by levels at random to float", "levels_random_float", at_random, ["elements to float"]),
         ("mesh by columns at random", "columns_random", at_random, ["columns"])]

CONFIGURATION = """<io-configuration>
  <data-definition name="fields" frequency="1">
    <field name="field" type="array" data_type="double" size="{dimensions}" collective="true"/>
  </data-definition>
  <data-handling><diagnostic field="total" expression="max[cell,level](field)"/></data-handling>
  <data-writing>
    <file name="total.nc" write_time_frequency="1000">
      <include field="total" time_manipulation="averaged" output_frequency="1000"/>
    </file>
  </data-writing>
</io-configuration>
"""


def measure_puts(figures, points, levels, way, steps):
    """Put and end of a field on points, over the same gathered by hand."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "points.xml"
        dimensions = "level,cell" if way == "columns" else "cell,level"
        configuration.write_text(CONFIGURATION.format(dimensions=dimensions))
        model = [MODELS / "points_model", configuration, points, levels, way, steps + WARM_UP]
        said = run(1, model, servers=1, configuration=configuration, directory=folder,
                   ranks_may_yield=False).text
    lines = [[float(word) for word in line.split()] for line in said.splitlines()
             if line[:1].isdigit() and line.count(".") == 2]
    handed, by_hand = zip(*lines[WARM_UP:], strict=True)
    figures.add(f"{points} x {levels} {way}: put and end", "us", [1e6 * s for s in handed])
    figures.add(f"{points} x {levels} {way}: by hand", "us", [1e6 * s for s in by_hand])
    figures.add(f"{points} x {levels} {way}: put and end over by hand", "1",
                [a / b for a, b in zip(handed, by_hand, strict=True)],
                f"put_over_by_hand_{way}_{points}x{levels}")


def main():
    """Measures all cases and sizes, and reports."""
    settings = read_settings(__doc__, repeats=21)
    repeats = WARM_UP + (1 if settings.quick else settings.repeats)
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libgather_loops.so"))
    figures = Figures("gather", settings)
    random = np.random.default_rng(7)
    for points, levels in [(2000, 10)] if settings.quick else SIZES:
        for name, key, order_of, ways in CASES:
            order = order_of(points, random).astype(np.int32)
            size = f"{points} x {levels}"
            for way in ways:
                gathered, by_hand = np.zeros(repeats), np.zeros(repeats)
                pointers = [ctypes.c_void_p(array.ctypes.data) for array in (order, gathered, by_hand)]
                are_equal = library.bench_gather_ns(way.encode(), pointers[0], ctypes.c_size_t(points),
                                                    ctypes.c_size_t(levels), ctypes.c_int(repeats),
                                                    *pointers[1:])
                assert are_equal, name
                values = points * levels
                figures.add(f"{size} {name}: gather", "ns/value", list(gathered[WARM_UP:] / values))
                figures.add(f"{size} {name}: {way}, by hand", "ns/value", list(by_hand[WARM_UP:] / values))
                by = "_" + way.replace(" ", "_") if len(ways) > 1 else ""
                figures.add(f"{size} {name}: gather over {way}", "1",
                            list(gathered[WARM_UP:] / by_hand[WARM_UP:]),
                            f"gather_over_by_hand_{key}{by}_{points}x{levels}")
    for points, levels in [(2000, 10)] if settings.quick else SIZES[:2]:
        for way in ("blocks", "random", "columns"):
            measure_puts(figures, points, levels, way, 2 if settings.quick else settings.repeats)
    figures.report()


if __name__ == "__main__":
    main()

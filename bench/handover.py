#!/usr/bin/env python3
"""Measures handing over a field: the time in put and end, and in a memcpy of as many bytes and buffers.

One model rank has one server, which looks for the largest value. Each step copies the field, hands it over,
and then lets the server take it while the model computes.
"""

import tempfile
from pathlib import Path

from figures import Figures, read_settings
from runs import MODELS, run

CONFIGURATION = """<io-configuration>
  <data-definition name="fields" frequency="1">
    <field name="field" type="array" size="z,y,x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="total">
      <operator name="localreduce" operator="max" field="field" result="part"/>
      <communication name="reduction" operator="max" field="part" result="total"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="total.nc" write_time_frequency="1000">
      <include field="total" time_manipulation="averaged" output_frequency="1000"/>
    </file>
  </data-writing>
</io-configuration>
"""
WARM_UP = 3
HALO = 3


def measure(figures, kib, halo, steps):
    """The figures of fields of so many KiB."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "handover.xml"
        configuration.write_text(CONFIGURATION)
        model = [MODELS / "handover_model", configuration, kib * 1024, halo, steps + WARM_UP]
        said = run(1, model, servers=1, configuration=configuration, directory=folder,
                   ranks_may_yield=False).text
    lines = [[float(word) for word in line.split()] for line in said.splitlines()
             if line[:1].isdigit() and line.count(".") == 4]
    handed, copied, rows, in_mpi = zip(*lines[WARM_UP:], strict=True)
    size = f"{kib // 1024} MiB" if kib >= 1024 else f"{kib} KiB"
    name = f"{size}, {'halo' if halo else 'contiguous'}"
    figures.add(f"{name}: put and end", "us", [1e6 * s for s in handed])
    figures.add(f"{name}: memcpy", "us", [1e6 * s for s in copied])
    figures.add(f"{name}: put and end over memcpy", "1", [a / b for a, b in zip(handed, copied, strict=True)])
    if halo:
        figures.add(f"{name}: put and end over memcpy of rows", "1",
                    [a / b for a, b in zip(handed, rows, strict=True)])
    figures.add(f"{name}: other MPI calls of the model meanwhile", "us", [1e6 * s for s in in_mpi])


def main():
    """Measures all sizes, and reports."""
    settings = read_settings(__doc__, steps=41)
    figures = Figures("handover", settings)
    sizes = [64, 1024] if settings.quick else [64, 1024, 4096, 16384, 65536, 262144]
    for kib in sizes:
        for halo in (0, HALO):
            steps = 2 if settings.quick else min(settings.steps, max(9, 4 * 2**20 // kib))
            measure(figures, kib, halo, steps)
    figures.report()


if __name__ == "__main__":
    main()

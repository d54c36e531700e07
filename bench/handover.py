#!/usr/bin/env python3
"""Measures handing over a field: the time in put and end, and in a memcpy of as many bytes and buffers.

One model rank has one server, which looks for the largest value. Each step copies the field, hands it over,
and then lets the server take it while the model computes. Beside that: what a step and a field cost whatever
their size, from steps of 1 and of 200 fields of 64 bytes; how long it takes until a parcel is done with by a
server that has had nothing to do, by a step that follows at once and waits for it; and arrays that are lent.
"""

import statistics
import subprocess
import tempfile
from pathlib import Path

from figures import Figures, read_settings
from runs import MODELS, run

CONFIGURATION = """<io-configuration>
  <data-definition name="fields" frequency="1">
    <field name="field" type="array" data_type="{data_type}" size="z,y,x" collective="true"/>
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


def measure(figures, kib, steps, *, halo=0, where="copied", data_type="double"):
    """The figures of fields of so many KiB; `where` as the model takes it."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "handover.xml"
        configuration.write_text(CONFIGURATION.format(data_type=data_type))
        model = [MODELS / "handover_model", configuration, kib * 1024, halo, steps + WARM_UP, where]
        said = run(1, model, servers=1, configuration=configuration, directory=folder,
                   ranks_may_yield=False).text
    lines = [[float(word) for word in line.split()] for line in said.splitlines()
             if line[:1].isdigit() and line.count(".") == 5]
    handed, copied, rows, in_mpi, begun = zip(*lines[WARM_UP:], strict=True)
    size = f"{kib // 1024} MiB" if kib >= 1024 else f"{kib} KiB"
    key = size.replace(" ", "")
    if where != "copied":
        figures.add(f"{size}, stable, {where}: begin, put and end over memcpy", "1",
                    [(a + b) / c for a, b, c in zip(begun, handed, copied, strict=True)],
                    key=f"begin_and_put_over_memcpy_{where}_{key}")
        return
    name = f"{size}, {'halo' if halo else 'contiguous'}{' to float' if data_type == 'float' else ''}"
    figures.add(f"{name}: put and end", "us", [1e6 * s for s in handed])
    figures.add(f"{name}: memcpy", "us", [1e6 * s for s in copied])
    figures.add(f"{name}: put and end over memcpy", "1",
                [a / b for a, b in zip(handed, copied, strict=True)],
                key=None if halo else f"put_over_memcpy_{data_type}_{key}")
    if halo:
        figures.add(f"{name}: put and end over memcpy of rows", "1",
                    [a / b for a, b in zip(handed, rows, strict=True)], key=f"put_over_memcpy_halo_{key}")
    figures.add(f"{name}: other MPI calls of the model meanwhile", "us", [1e6 * s for s in in_mpi])


MANY = 200
SMALL_FIELDS = """<io-configuration>
  <server-configuration><memory budget="{budget}"/></server-configuration>
  <data-definition name="fields" frequency="1">{fields}</data-definition>
  <data-handling>{diagnostics}</data-handling>
  <data-writing>
    <file name="total.nc" write_time_frequency="1000000">
      {includes}
    </file>
  </data-writing>
</io-configuration>
"""


def steps_of_small_fields(fields, steps, pause_us, every, budget="64 MiB"):
    """Seconds in Pileus of each step of so many fields."""
    def each(text):
        return "".join(text.format(i) for i in range(fields))

    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "steps.xml"
        configuration.write_text(SMALL_FIELDS.format(
            budget=budget,
            fields=each('<field name="f{0}" type="array" size="x" collective="true"/>'),
            diagnostics=each('<diagnostic field="s{0}" expression="sum[x](f{0})"/>'),
            includes=each('<include field="s{0}" time_manipulation="averaged" output_frequency="1000000"/>')))
        model = [MODELS / "steps_model", configuration, fields, steps, pause_us, every]
        said = run(1, model, servers=1, configuration=configuration, directory=folder,
                   ranks_may_yield=False).text
    return [float(line) for line in said.splitlines() if line[:2] == "0." and line.replace(".", "").isdigit()]


def measure_fixed_costs(figures, rounds, steps):
    """What a step costs without fields, and each field of it."""
    steps_us, fields_ns = [], []
    for _ in range(rounds):
        of_one, of_many = (statistics.median(steps_of_small_fields(fields, steps, 1000, 1)[WARM_UP:])
                           for fields in (1, MANY))
        fields_ns.append(1e9 * (of_many - of_one) / (MANY - 1))
        steps_us.append(1e6 * of_one - 1e-3 * fields_ns[-1])
    figures.add("a step, without its fields", "us", steps_us, key="fixed_us_per_step")
    figures.add("a field of 64 bytes", "ns", fields_ns, key="fixed_ns_per_field")


def measure_waking(figures, steps):
    """How soon a server that had nothing to do has a message, and is done with a parcel.

    The latter by how long the next step waits for the memory, with its own waking and the analysis.
    """
    said = subprocess.run([MODELS / "wake_times", str(steps + WARM_UP), "300"], check=True,
                          capture_output=True, text=True).stdout
    figures.add("a message in shared memory to a peer that sleeps deep", "us",
                [1e6 * float(line) for line in said.split()][WARM_UP:], key="awake_us_shared")
    for name, key, pause_us in (("for 1 ms", "awake", 1000), ("for 300 ms", "asleep", 300_000)):
        # Memory for one parcel: the second of two steps waits until the server is done with the first one's.
        waited = steps_of_small_fields(1, 2 * (steps + WARM_UP), pause_us, 2, budget="1")
        figures.add(f"a parcel is done with by a server that had nothing to do {name}", "us",
                    [1e6 * s for s in waited[2 * WARM_UP + 2::2]], key=f"parcel_done_us_{key}")


def main():
    """Measures all sizes, and reports."""
    settings = read_settings(__doc__, steps=41)
    figures = Figures("handover", settings)
    sizes = [64, 1024] if settings.quick else [64, 1024, 4096, 16384, 65536, 262144]
    for kib in sizes:
        steps = 2 if settings.quick else min(settings.steps, max(9, 4 * 2**20 // kib))
        measure(figures, kib, steps)
        measure(figures, kib, steps, halo=HALO)
        measure(figures, kib, steps, data_type="float")
        for where in ("own", "given"):
            measure(figures, kib, steps, where=where)
    measure_fixed_costs(figures, *((1, 20) if settings.quick else (5, 400)))
    measure_waking(figures, 2 if settings.quick else 20)
    figures.report()


if __name__ == "__main__":
    main()

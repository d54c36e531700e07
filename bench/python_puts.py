#!/usr/bin/env python3
"""Measures what handing a field over costs from Python, above the call of C that does the work.

One process, which analyses itself at the end of each step. Many small fields are put one after the other; the
library says how much of that time was spent within its calls, and the rest is Python's. The same for asking
whether a field is wanted. Large arrays cost what they cost in C, as the copy is made there.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from figures import BUILD, CANNOT, ROOT, Figures, read_settings

os.environ.setdefault("PILEUS_PREFIX", str(BUILD))
sys.path.insert(0, str(ROOT / "bindings" / "python"))

FIELDS = 400


def configuration(names, size):
    fields = "".join(f'<field name="{name}" type="array" size="{size}" collective="true"/>' for name in names)
    includes = "".join(
        f'<include field="max_{name}" time_manipulation="averaged" output_frequency="1000"/>'
        for name in names
    )
    handling = "".join(f'<diagnostic field="max_{name}" expression="max({name})"/>' for name in names)
    return f"""<io-configuration>
  <data-definition name="state" frequency="1">{fields}</data-definition>
  <data-handling>{handling}</data-handling>
  <data-writing>
    <file name="run.nc" write_time_frequency="1000" overwrite="true">{includes}</file>
  </data-writing>
</io-configuration>"""


def small(pileus, steps, folder):
    """For each step: seconds of Python for a put, seconds to ask whether a field is wanted, and of a step."""
    names = [f"f{i}" for i in range(FIELDS)]
    figures = []
    with pileus.Run(configuration(names, "x,y"), directory=folder) as run:
        run.dimension("x", 4)
        run.dimension("y", 4)
        fields = [run.field(name, ("y", "x")) for name in names]
        run.commit()
        array = np.ones((6, 6))[1:-1, 1:-1]
        for step in range(1, steps + 1):
            begin = time.perf_counter()
            with run.step(step, step, 1, final=step == steps):
                inside, _ = run.times
                began = time.perf_counter()
                for field in fields:
                    field.put(array)
                took = time.perf_counter() - began
                of_library = run.times[0] - inside
                began = time.perf_counter()
                for field in fields:
                    field.wanted  # noqa: B018
                asked = time.perf_counter() - began
            figures.append(((took - of_library) / FIELDS, asked / FIELDS, time.perf_counter() - begin))
    return figures


def main():
    settings = read_settings(__doc__, steps=200)
    try:
        import pileus

        pileus.checkpoints(".")
    except Exception as error:  # noqa: BLE001
        print(f"the package cannot be used: {error}", file=sys.stderr)
        sys.exit(CANNOT)
    steps = 10 if settings.quick else settings.steps
    figures = Figures(Path(__file__).stem, settings)
    with tempfile.TemporaryDirectory() as folder:
        puts, asks, whole = zip(*small(pileus, steps, folder)[steps // 10 :], strict=True)
        figures.add("a put, above the call of C", "us", [1e6 * value for value in puts], key="put_us")
        figures.add("whether a field is wanted", "us", [1e6 * value for value in asks], key="wanted_us")
        figures.add(f"a step with {FIELDS} puts", "ms", [1e3 * value for value in whole])
    figures.report()


if __name__ == "__main__":
    main()

"""Runs of one process for the tests of the package."""

import numpy as np

import pileus

SIZES = {"x": 5, "y": 4, "z": 3}


def configuration(fields, includes, handling="", more="", frequency=4):
    """A configuration with one file, out.nc, that has `includes`, of a write every `frequency` s."""
    handled = f"<data-handling>{handling}</data-handling>" if handling else ""
    return f"""<io-configuration>{more}
  <data-definition name="state" frequency="1">{fields}</data-definition>
  {handled}
  <data-writing><file name="out.nc" write_time_frequency="{frequency}">{includes}</file></data-writing>
</io-configuration>"""


def include(field, frequency=1, manipulation="instantaneous"):
    return f'<include field="{field}" time_manipulation="{manipulation}" output_frequency="{frequency}"/>'


ARRAY = configuration(
    '<field name="theta" type="array" size="x,y,z" collective="true" units="K"/>', include("theta")
)


def values_of(step, dtype=np.float64):
    count = np.prod(list(SIZES.values()))
    return (np.arange(count).reshape(3, 4, 5) * 7 % 11 + step).astype(dtype)


def started(directory, text=ARRAY, **settings):
    run = pileus.Run(text, directory=directory, **settings)
    for name, size in SIZES.items():
        run.dimension(name, size)
    return run


def make(
    directory, put=lambda field, step: field.put(values_of(step)), steps=4, dtype=np.float64, text=ARRAY
):
    """Results of a run with one field, which `put` hands over in each step."""
    with started(directory, text) as run:
        theta = run.field("theta", ("z", "y", "x"), dtype=dtype)
        run.commit()
        for step in range(1, steps + 1):
            with run.step(step, step, 1, final=step == steps):
                put(theta, step)
    return run.results()

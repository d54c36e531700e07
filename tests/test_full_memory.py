"""A server that is far too slow for its model: its memory is bounded, and files keep what they promise."""

import json

import netCDF4
import numpy as np
import pytest
from oracle.launch import BUILD, SERVER, mpi_command, run
from test_memory import MIB, MODEL, MOST_BYTES

OPERATORS = BUILD / "tests" / "libslow_operator.so"
SLOW, FIELDS, STEPS, LEVELS = 6, 8, 300, 60
BUDGET = MIB  # parcels of 136 steps in its half: a model that is held up still gets that far ahead


def configuration(policy, more=""):
    """Six fields are doubled slowly, 5 ms each, for slow.nc alone; the others are averaged.

    `more`: attributes of the memory.
    """
    slow = range(SLOW)
    others = range(SLOW, FIELDS)
    fields = "".join(f'<field name="sum_{f}" type="array" size="z"/>' for f in range(FIELDS))
    doubled = "".join(
        f'<diagnostic field="doubled_{f}"><operator name="slow_double" field="sum_{f}" '
        f'result="doubled_{f}"/></diagnostic>'
        for f in slow
    )
    totals = "".join(
        f'<diagnostic field="total_{f}"><communication name="reduction" operator="sum" field="sum_{f}" '
        f'result="total_{f}"/></diagnostic>'
        for f in others
    )
    return f"""<io-configuration>
      <server-configuration>
        <memory budget="{BUDGET}" {more}/><events/><thread_pool number="1"/>
        <operator-library file="{OPERATORS}"/>
      </server-configuration>
      <data-definition name="sums" frequency="1">{fields}</data-definition>
      <data-handling>{doubled}{totals}</data-handling>
      <group name="doubled">{"".join(f'<member name="doubled_{f}"/>' for f in slow)}</group>
      <group name="totals">{"".join(f'<member name="total_{f}"/>' for f in others)}</group>
      <data-writing>
        <file name="slow.nc" write_time_frequency="{STEPS}" when_memory_full="{policy}">
          <include group="doubled" time_manipulation="none"/></file>
        <file name="means.nc" write_time_frequency="{STEPS}">
          <include group="totals" time_manipulation="averaged" output_frequency="10"/></file>
      </data-writing>
    </io-configuration>"""


def profile(field, step):
    """What bench/profiles_model hands over."""
    return 290 + np.arange(LEVELS) + (step * 7 + field) % 13 / 13.0


def assert_every_mean(directory):
    with netCDF4.Dataset(directory / f"means_{STEPS}.nc") as file:
        assert file["time"][:].tolist() == list(range(10, STEPS + 1, 10))
        for field in (SLOW, FIELDS - 1):
            samples = np.array([profile(field, step) for step in range(1, STEPS + 1)])
            means = samples.reshape(-1, 10, LEVELS).mean(axis=1)
            np.testing.assert_allclose(file[f"total_{field}"][:], means, rtol=1e-13)


def records_and_remark(directory):
    """The times of the slow file, whose records are all whole, and what it says of others."""
    with netCDF4.Dataset(directory / f"slow_{STEPS}.nc") as file:
        times = file["time"][:].astype(int).tolist()
        for field in range(SLOW):
            right = np.array([2 * profile(field, step) for step in times])
            np.testing.assert_array_equal(np.asarray(file[f"doubled_{field}"][:]), right)
        return times, getattr(file, "dropped_records", None)


@pytest.mark.parametrize("policy", ["wait", "thin", "drop"])
def test_a_server_that_is_too_slow_takes_no_more_memory_and_keeps_its_promises(policy, tmp_path):
    for needed in (MODEL, OPERATORS):
        if not needed.is_file():
            pytest.skip(f"no {needed}: build it, or set PILEUS_BUILD")
    written, report = tmp_path / "run.xml", tmp_path / "report.json"
    written.write_text(configuration(policy), encoding="utf-8")
    server = [SERVER, written, "--directory", tmp_path]
    words = mpi_command((1, [MODEL, written, FIELDS, STEPS]), (1, server))
    done = run(words, policy, PILEUS_REPORT=str(report))
    assert done.returncode == 0, done.stdout + done.stderr

    said = json.loads(report.read_text())
    assert not said["errors"]
    (figures,), overloads = said["servers"], said["overloads"]
    assert figures["most_parcel_bytes"] <= BUDGET / 2
    assert figures["most_memory_bytes"] - figures["memory_at_start_bytes"] <= MOST_BYTES
    assert overloads["times"] > 0

    assert_every_mean(tmp_path)
    times, remark = records_and_remark(tmp_path)
    dropped = STEPS - len(times)
    assert times == sorted(set(times))
    assert times[-1] == STEPS
    assert overloads["dropped_records"] == ({} if policy == "wait" else {"slow.nc": dropped})
    if policy == "wait":
        assert dropped == 0 and remark is None
        assert said["model_ranks"][0]["waiting_s"] > 0
    else:
        assert dropped > 0
        assert remark.startswith(f"{dropped} of {STEPS} records were left out")
    if policy == "thin":
        assert np.diff(times).max() <= 2

    events = [json.loads(line) for line in (tmp_path / "pileus-events.jsonl").read_text().splitlines()]
    named = [event["event"] for event in events]
    assert named.count("overloaded") == named.count("overload_over") == overloads["times"]
    assert sum(event["records"] for event in events if event["event"] == "dropped") == dropped
    assert (
        sum(event.get("dropped_records", 0) for event in events if event["event"] == "published") == dropped
    )

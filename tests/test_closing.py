"""A model that says only after its last step that it was the last."""

import numpy as np
import pytest
from oracle import launch
from oracle.configured import (
    DT,
    NUMBER,
    W,
    bytes_of,
    extreme,
    file,
    files_of,
    group,
    handling,
    include,
    lengths,
    number_of,
    write,
    writing,
)
from oracle.published import read

STEPS = 9
AT_END = 'write_on_terminate="true"'
CONFIGURATION = (
    group(W, 2),
    group(DT, 0, "last"),
    group(NUMBER, 4, "sent", 'send_on_terminate="true"'),
    handling(extreme("max", "w_max")),
    writing(
        file("all.nc", include("dt", "number"), 0, AT_END),
        f'<file name="late.nc" write_timestep_frequency="8" {AT_END}>'
        + include("w", "w_max", manipulation="instantaneous", every=100)
        + "</file>",
        file("numbers.nc", include("number", manipulation="averaged", every=1000)),
        file("means.nc", include("w_max", manipulation="averaged", every=5), 10),
    ),
)


@pytest.fixture(scope="module", autouse=True)
def programs():
    launch.require_programs()


@pytest.fixture(scope="module")
def configuration(tmp_path_factory):
    return write(tmp_path_factory.mktemp("configuration"), *CONFIGURATION)


@pytest.fixture(scope="module")
def closed(configuration, tmp_path_factory):
    return files_of(tmp_path_factory.mktemp("closed"), configuration, STEPS, "--close")


def test_what_is_due_at_the_end_is_handed_over_once_more(closed):
    every = read(closed["all.nc"])
    assert every["dt"].tolist() == [lengths(STEPS)[-1]]
    assert every["number"].tolist() == [number_of(step) for step in (4, 8, 9)]


def test_no_mean_counts_it(closed):
    ends, numbers = np.cumsum(lengths(STEPS)), read(closed["numbers_1000.nc"])

    weighted = number_of(4) * ends[3] + number_of(8) * (ends[7] - ends[3])
    assert numbers["number"][-1] == pytest.approx(weighted / ends[7], rel=1e-15)
    assert numbers["time"][-1] == ends[7]


def test_the_rest_is_as_if_the_last_step_had_been_marked(closed, configuration, tmp_path):
    marked = files_of(tmp_path / "out", configuration, STEPS)

    assert sorted(marked) == sorted(closed)
    for name, path in marked.items():
        if not name.startswith("numbers"):
            assert path.read_bytes() == closed[name].read_bytes(), name


@pytest.mark.parametrize("layout", [launch.Layout(1, 0, 1, False), launch.Layout(2, 1, 1, True)], ids=str)
def test_every_layout_gives_the_same_bytes(layout, closed, configuration, tmp_path):
    files = files_of(tmp_path / "out", configuration, STEPS, "--close", layout=layout)

    assert bytes_of(files) == bytes_of(closed)

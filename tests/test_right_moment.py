"""A model that lets its messages go on while it computes, and waits until they have left."""

import pytest
from oracle import launch
from oracle.configured import W, bytes_of, extreme, file, files_of, group, handling, include, write, writing

STEPS = 12
CONFIGURATION = (
    group(W, 1),
    handling(extreme("max", "w_max")),
    writing(file("all.nc", include("w", "w_max"), 10)),
)
LAYOUTS = [launch.Layout(1, 0, 1, False), launch.Layout(3, 0, 1, False), launch.Layout(3, 2, 1, False)]


@pytest.fixture(scope="module")
def configuration(tmp_path_factory):
    launch.require_programs()
    return write(tmp_path_factory.mktemp("configuration"), *CONFIGURATION)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_the_files_are_the_same_and_no_call_waits_for_ever(layout, configuration, tmp_path):
    plain = files_of(tmp_path / "plain", configuration, STEPS, layout=layout)
    moved = files_of(tmp_path / "moved", configuration, STEPS, "--moves", layout=layout)

    assert plain
    assert bytes_of(moved) == bytes_of(plain)

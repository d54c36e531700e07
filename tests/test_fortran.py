"""Files hold what a Fortran model hands over, of every kind and from every sort of array."""

import numpy as np
import pytest
from oracle.launch import BIN, ROOT, mpi_command, run
from oracle.published import only

MODEL = BIN / "pileus_every_kind"
CONFIGURATION = ROOT / "tests" / "configurations" / "every_kind.xml"
NX, NY, NZ, STEPS = 7, 5, 3, 3


@pytest.fixture(scope="module", autouse=True)
def programs():
    if not MODEL.is_file():
        pytest.skip(f"no program {MODEL}: build it, or set PILEUS_BUILD")


def published(directory, command):
    directory.mkdir(parents=True, exist_ok=True)
    done = run(["env", "-C", directory, *command], str(command))
    assert done.returncode == 0, done.stdout + done.stderr
    files = {path.name: path for path in directory.glob("*.nc")}
    return only(files, "kinds")


@pytest.fixture(scope="module", params=["mpi_f08", "integer"])
def alone(request, tmp_path_factory):
    return published(tmp_path_factory.mktemp("alone"), [MODEL, CONFIGURATION, request.param])


def index(*names):
    """Global indices from 1, as the model counts them, on the axes of a variable of (time, ...)."""
    sizes = {"step": STEPS, "b": 2, "e": 2, "z": NZ, "y": NY, "x": NX}
    grids = np.meshgrid(*(np.arange(1, sizes[name] + 1) for name in names), indexing="ij")
    return dict(zip(names, grids, strict=True))


def value_at(i, e):
    """The formula of every_kind.f90."""
    return 1000 * e + 100 * i["x"] + 10 * i["y"] + i["z"] + 0.25 * i["step"]


def test_a_scalar(alone):
    assert alone["dt"].tolist() == [1.5, 2.0, 2.5]
    assert alone["time"].tolist() == [1.5, 3.5, 6.0]


def test_a_slice_without_its_halo_and_from_behind(alone):
    i = index("step", "z", "y", "x")

    assert np.array_equal(alone["theta"], value_at(i, 1))


def test_four_dimensions_in_single_precision(alone):
    i = index("step", "e", "z", "y", "x")

    assert alone["q"].dtype == np.float32
    assert np.array_equal(alone["q"], value_at(i, i["e"]).astype(np.float32))


def test_five_dimensions_of_every_second_element(alone):
    i = index("step", "b", "e", "z", "y", "x")

    assert np.array_equal(alone["spectrum"], value_at(i, i["e"]) * np.where(i["b"] == 1, 1, 10))


def test_integers_of_both_sizes(alone):
    i, j = index("step", "y"), index("step", "y", "x")

    assert alone["particles"].dtype == np.int32
    assert np.array_equal(alone["particles"], 100 * i["step"] + i["y"])
    assert alone["identity"].dtype == np.int64
    assert np.array_equal(alone["identity"], 2**40 + 100 * j["x"] + j["y"])


def test_logicals_of_any_kind(alone):
    i, j = index("step", "y"), index("step", "y", "x")

    assert alone["is_cloudy"].dtype == np.int8
    assert np.array_equal(alone["is_cloudy"], (j["x"] * j["y"] + j["step"]) % 3 == 0)
    assert np.array_equal(alone["is_land"], (i["y"] + i["step"]) % 2 == 0)


def test_the_mean_of_logicals_is_the_part_that_is_true(alone):
    j = index("step", "y", "x")
    cloudy = (j["x"] * j["y"] + j["step"]) % 3 == 0

    assert np.array_equal(alone["cloud_cover"], cloudy.sum(axis=(1, 2)) / (NX * NY))


def test_a_component_of_a_derived_type(alone):
    j = index("step", "y", "x")

    assert np.array_equal(alone["skin"], j["x"] + 0.1 * j["y"] - j["step"])


def test_texts_of_every_rank(alone):
    expected = [[f"row {y}/{step}" for y in range(1, NY + 1)] for step in range(1, STEPS + 1)]

    assert alone["station"].tolist() == expected


def test_a_map(alone):
    expected = [["case", "wet cone"], ["version", "0.1"], ["", ""]]

    assert alone["options_database"].tolist() == [expected] * STEPS


@pytest.mark.parametrize("ranks", [3, 6])
@pytest.mark.parametrize("servers", [0, 2])
def test_many_ranks_some_without_a_part_publish_the_same(alone, tmp_path, ranks, servers):
    server = [BIN / "pileus-server", CONFIGURATION]
    pairs = [(ranks, [MODEL, CONFIGURATION])] + ([(servers, server)] if servers else [])

    together = published(tmp_path, mpi_command(*pairs))

    assert alone.keys() == together.keys()
    for name, values in alone.items():
        assert np.array_equal(values, together[name]), name

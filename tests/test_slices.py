"""A slice that meets a whole field: the same bytes wherever ranks are, and what NumPy makes of the fields."""

import netCDF4
import numpy as np
import pytest
from oracle import launch
from oracle.configured import FILL, file, group, handling, include, write, writing
from oracle.launch import Layout
from oracle.published import read

STEPS = 8
FIELDS = (
    '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
    '<field name="theta" size="z,y,x" collective="true"/>'
    '<field name="path" size="y,x" collective="true"/>'
    '<field name="cells" data_type="integer" size="y,x" collective="true"/>'
    '<field name="ice" size="y,x" collective="true" missing_value="-999.9"/>'
    '<field name="layers" data_type="integer" size="y,x" collective="true" missing_value="-1"/>'
)
STATIC = '<field name="area" size="y,x" collective="true"/>'
# Result: what is sliced, at which index of which dimension.
SLICES = {
    "w3": ("w", "y", 3),
    "w7": ("w", "y", 7),
    "theta3": ("theta", "y", 3),
    "level": ("w", "z", 1),
    "line": ("w3", "x", 2),  # a slice of a slice
    "cells2": ("cells", "y", 2),
    "ice2": ("ice", "y", 2),
    "layers6": ("layers", "x", 6),
    "area1": ("area", "y", 1),
    "nan4": ("logarithm", "x", 4),
}
EXPRESSIONS = {
    "logarithm": "log(w)",
    "departure": "w - w3",
    "twice": "2*w3 - 1",  # stays with the slice, until it meets
    "product": "theta*twice + w7",
    "between": "w3 - w7",
    "between_and_back": "w - between",
    "along_line": "w3 - line",
    "from_line": "w*line",
    "single": "theta - theta3",
    "of_level": "w - level",
    "level_of": "level*path",
    "whole": "cells - cells2",
    "lacking": "ice - ice2",
    "lacking_whole": "layers*layers6 + ice",
    "no_number": "w + nan4",
    "chosen": "where(w &gt; w3, w3, w - 1)",
    "above": "sum(w | w &gt; w3)",
    "share": "mean[y,x](w &gt; w3)",
    "together": "cov[y,x](w, w3)",
    "of_slices": "cov[x](w3, w7)",
    "anomaly": "mean[y](w) - w3",
    "zonal": "w - (w3 - mean[x](w3))",
    "fixed": "area - area1",
    "weighted": "mean[y,x](w*(area - area1))",
}
COARSE = (
    '<diagnostic field="w_coarse"><operator name="field_coarsener" field="w" dimension="x" period="2" '
    'result="w_coarse"/></diagnostic><diagnostic field="w3_coarse"><operator name="field_coarsener" '
    'field="w3" dimension="x" period="2" result="w3_coarse"/></diagnostic>'
    '<diagnostic field="coarse" expression="w_coarse - w3_coarse"/>'
)
WRITTEN = [name for name in EXPRESSIONS if name != "fixed"] + ["coarse"]
NAMES = ["w", "theta", "path", "cells", "ice", "layers", "area", *SLICES, *WRITTEN, "fixed"]
LAYOUTS = [
    Layout(is_alone=True),
    Layout(2),  # each half of y
    Layout(4, 1),  # quarters in y and x
    Layout(3, 2, 2, True),
    Layout(6, 3, 2, True),
]


def sliced(name, field, dimension, index):
    return (
        f'<diagnostic field="{name}"><operator name="field_slicer" field="{field}" dimension="{dimension}" '
        f'index="{index}" result="{name}"/></diagnostic>'
    )


@pytest.fixture(scope="module")
def configuration(tmp_path_factory):
    launch.require_programs()
    computed = [f'<diagnostic field="{name}" expression="{text}"/>' for name, text in EXPRESSIONS.items()]
    return write(
        tmp_path_factory.mktemp("configuration"),
        group(FIELDS),
        group(STATIC, name="constants"),
        handling(*(sliced(name, *what) for name, what in SLICES.items()), *computed, COARSE),
        writing(
            file("samples", include(*NAMES)),
            file("means", include(*WRITTEN, manipulation="averaged", every=7), 10),
            file("spread", include("departure", "above", "together", manipulation="variance", every=9)),
        ),
    )


def run(layout, directory, configuration, *options, steps=STEPS):
    directory.mkdir(exist_ok=True)
    command = launch.model_command(layout, configuration, directory, "--steps", steps, "--static", *options)
    done = launch.run(command, str(layout))
    assert done.returncode == 0, f"{layout}\n{done.stdout}{done.stderr}"
    return {path.name: path.read_bytes() for path in directory.glob("*.nc")}


@pytest.fixture(scope="module")
def right(configuration, tmp_path_factory):
    directory = tmp_path_factory.mktemp("right")
    run(LAYOUTS[0], directory, configuration)
    return directory


def assert_right(files, right):
    expected = {path.name: path.read_bytes() for path in right.glob("*.nc")}
    assert sorted(files) == sorted(expected)
    assert not [name for name in expected if files[name] != expected[name]]


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=str)
def test_files_are_the_same_in_every_layout(layout, right, configuration, tmp_path):
    assert_right(run(layout, tmp_path / "out", configuration), right)


@pytest.mark.parametrize("order", [(0, 3), (4, 1)], ids=["one to three ranks", "six to two"])
def test_a_run_goes_on_in_another_layout(order, right, configuration, tmp_path):
    first, then = (LAYOUTS[i] for i in order)
    run(first, tmp_path / "out", configuration, "--checkpoint-every", 4, steps=5)
    assert_right(run(then, tmp_path / "out", configuration, "--continue"), right)


@pytest.fixture(scope="module")
def samples(right):
    (path,) = right.glob("samples_*.nc")
    return read(path)


def with_gaps(values):
    """The values in double precision, with NaN where there is none."""
    fill = np.asarray(FILL[values.dtype.str[1:]], values.dtype)
    return np.where(values == fill, np.nan, values.astype(float))


def assert_gaps(stored, expected):
    np.testing.assert_array_equal(stored, np.where(np.isnan(expected), FILL["f8"], expected))


def test_differences_from_a_slice_are_those_of_each_of_its_elements(samples):
    """Dimensions are (time, x, y, z)."""
    w, theta = samples["w"], samples["theta"].astype(float)
    w3, w7, line = w[:, :, 3, :], w[:, :, 7, :], w[:, 2, 3, :]
    row3, row7 = w3[:, :, None, :], w7[:, :, None, :]
    expected = {
        "departure": w - row3,
        "product": theta * (2 * row3 - 1) + row7,
        "between": w3 - w7,
        "between_and_back": w - (row3 - row7),
        "along_line": w3 - line[:, None, :],
        "from_line": w * line[:, None, None, :],
        "single": theta - theta[:, :, [3], :],
        "of_level": w - w[:, :, :, [1]],
        "level_of": w[:, :, :, 1] * samples["path"],
        "whole": samples["cells"].astype(float) - samples["cells"][:, :, [2]],
        "chosen": np.where(w > row3, row3, w - 1),
        "coarse": w[:, ::2] - row3[:, ::2],
    }
    for name, values in expected.items():
        np.testing.assert_array_equal(samples[name], values, name)


def test_elements_without_a_value_leave_none_and_nan_stays(samples):
    ice, layers = with_gaps(samples["ice"]), with_gaps(samples["layers"])
    with np.errstate(invalid="ignore"):
        nan4 = np.log(samples["w"])[:, [4]]

    assert np.isnan(ice[:, :, 2]).any() and not np.isnan(ice[:, :, 2]).all()
    assert_gaps(samples["lacking"], ice - ice[:, :, [2]])
    assert_gaps(samples["lacking_whole"], layers * layers[:, [6]] + ice)
    np.testing.assert_array_equal(np.isnan(samples["no_number"]), np.isnan(samples["w"] + nan4))


def test_reductions_take_all_pairs(samples):
    w = samples["w"]
    row3 = w[:, :, [3], :]
    high = w > row3

    np.testing.assert_array_equal(samples["share"], high.mean(axis=(1, 2)))
    for time, total in enumerate(samples["above"]):
        kept = w[time][high[time]]
        assert total == pytest.approx(kept.sum(), abs=1e-12 * np.abs(kept).sum())
    both = np.broadcast_to(row3, w.shape)
    expected = (w * both).mean((1, 2)) - w.mean((1, 2)) * both.mean((1, 2))
    scale = np.abs(w * both).mean((1, 2)) + np.abs(w).mean((1, 2)) * np.abs(both).mean((1, 2))
    assert (np.abs(samples["together"] - expected) <= 1e-12 * scale).all()
    anomaly = w.mean(2) - w[:, :, 3, :]
    np.testing.assert_allclose(samples["anomaly"], anomaly, rtol=0, atol=1e-12 * np.abs(w).max())


def test_a_static_slice_makes_static_values(right, samples):
    area = samples["area"]
    np.testing.assert_array_equal(samples["fixed"], area - area[:, [1]])
    (path,) = right.glob("samples_*.nc")
    with netCDF4.Dataset(path) as dataset:
        assert dataset["fixed"].dimensions == ("x", "y")


def test_check_accepts_it_in_every_layout(configuration):
    done = launch.pileus("check", configuration)
    assert done.returncode == 0, done.stdout + done.stderr


DIFFERENCES = {"of_row": ("theta", "theta3"), "of_level": ("theta", "top"), "of_cells": ("cells", "cells2")}


@pytest.fixture(scope="module")
def with_operator(tmp_path_factory):
    library = launch.BIN.parent / "lib" / "libpair_operator.so"
    if not library.is_file():
        pytest.skip(f"no library {library}: build it, or set PILEUS_BUILD")
    used = {name: SLICES[name] for name in ("theta3", "cells2")} | {"top": ("theta", "z", 4)}
    rules = [
        f'<diagnostic field="{name}"><operator name="difference" field="{field}" with="{taken}" '
        f'result="{name}"/></diagnostic>'
        for name, (field, taken) in DIFFERENCES.items()
    ]
    return write(
        tmp_path_factory.mktemp("operator"),
        f'<server-configuration><operator-library file="{library}"/></server-configuration>',
        group(FIELDS),
        handling(*(sliced(name, *what) for name, what in used.items()), *rules),
        writing(file("samples", include("theta", "cells", *DIFFERENCES))),
    )


@pytest.mark.parametrize("layout", [LAYOUTS[0], LAYOUTS[1], LAYOUTS[3]], ids=str)
def test_an_operator_has_the_same_part_of_all_that_it_takes(layout, with_operator, tmp_path):
    run(layout, tmp_path / "out", with_operator)
    (path,) = (tmp_path / "out").glob("*.nc")
    samples = read(path)
    theta, cells = samples["theta"].astype(float), samples["cells"].astype(float)

    np.testing.assert_array_equal(samples["of_row"], theta - theta[:, :, [3]])
    np.testing.assert_array_equal(samples["of_level"], theta - theta[..., [4]])
    np.testing.assert_array_equal(samples["of_cells"], cells - cells[:, :, [2]])

"""Values that are made of elements on any ranks: means over blocks and regridding, whatever the layout."""

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, run

MODEL = BIN / "pileus_columns_model"
NX, NY, NZ, STEPS = 9, 7, 12, 4
FILL = netCDF4.default_fillvals["f8"]
EXPRESSIONS = {
    "blocks": "coarsen[y,x](t, 3, 2)",
    "blocks_of_levels": "coarsen[z](t, by=5)",
    "one_block": "coarsen[x,y](height, 100, 100)",
    "warm_blocks": "coarsen[y,x](t, 3, 2 | t > 265)",
    "static_blocks": "coarsen[y,x](orography, 4, 4)",
    "blocks_of_the_column": "coarsen[y,x](mean[z](t), 3, 2)",
    "blocks_of_a_profile": "coarsen[z](profile, by=4)",
    "blocks_of_blocks": "coarsen[y_by_3,x_by_2](coarsen[y,x](t, 3, 2), 2, 3)",
    "mean_of_blocks": "mean[y_by_3,x_by_2](blocks)",
    "difference": "coarsen[y,x](t * 2, 3, 2) - coarsen[y,x](height, 3, 2) / 100",
    "whole": "coarsen[y,x](t, 1, 1)",
    # Of one field, over dimensions of one size.
    "square": "coarsen[y,x](t, 3, 3)",
    "square_by_x": "coarsen[x_by_3](square, 2)",
    "square_by_y": "coarsen[y_by_3](square, 2)",
}
AVERAGED = ["blocks", "warm_blocks", "blocks_of_the_column", "mean_of_blocks", "difference"]
# Wanted in other steps than what is made beside it.
SELDOM = {"seldom": "coarsen[x_by_3](coarsen[y,x](height, 3, 3), 2)"}
CONFIGURATION = """<io-configuration>
  <dimension name="z" axis="Z" positive="up" standard_name="height"/>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="{order}" collective="true" units="K"/>
    <field name="p" size="{order}" collective="true" units="Pa"/>
    <field name="height" size="{order}" collective="true" units="m"/>
    <field name="profile" size="z" {parts} units="m"/>
    <field name="orography" size="x,y" collective="true" static="true" units="m"/>
  </data-definition>
  <data-handling>
{diagnostics}
  </data-handling>
  <data-writing>
    <file name="regridded.nc" write_time_frequency="8">
{includes}
    </file>
  </data-writing>
</io-configuration>
"""


def start(directory, ranks, servers, how, expressions=EXPRESSIONS):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(exist_ok=True)
    diagnostics = "\n".join(
        f'    <diagnostic field="{name}" units="K" expression="{text.replace(">", "&gt;")}"/>'
        for name, text in {**expressions, **SELDOM}.items()
    )
    written = ["t", "height", "profile", "orography", *expressions]
    includes = "\n".join(f'      <include field="{name}" time_manipulation="none"/>' for name in written)
    averages = "\n".join(
        f'      <include field="{name}" time_manipulation="averaged" output_frequency="4" '
        f'name="{name}_average"/>'
        for name in AVERAGED
    )
    averages += "".join(
        f'\n      <include field="{name}" time_manipulation="instantaneous" output_frequency="4"/>'
        for name in SELDOM
    )
    text = CONFIGURATION.replace("{includes}", includes + "\n" + averages)
    text = text.replace("{diagnostics}", diagnostics)
    text = text.replace("{parts}", 'collective="true"' if how == "levels" else 'parts="same"')
    text = text.replace("{order}", "x,y,z" if how == "surfaces" else "z,x,y")
    (directory / "run.xml").write_text(text)
    # The text of the configuration, with the names of its files, is an attribute of what it writes.
    model = (ranks, [MODEL, "run.xml", how])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = ["env", "-C", directory, *mpi_command(model, *server)]
    return run(command, f"{ranks} ranks, {servers} servers, {how}")


def published(directory, *layout):
    """The file of a run."""
    done = start(directory, *layout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    (file,) = directory.glob("*.nc")
    return file


@pytest.fixture(scope="module")
def by_column(tmp_path_factory):
    return published(tmp_path_factory.mktemp("columns") / "run", 1, 1, "rows")


@pytest.fixture(scope="module")
def by_level(tmp_path_factory):
    return published(tmp_path_factory.mktemp("levels") / "run", 3, 2, "surfaces")


@pytest.fixture(scope="module")
def numbers(by_column):
    """All variables, in double precision, with the dimensions (time, y, x, z)."""
    with netCDF4.Dataset(by_column) as file:
        file.set_auto_mask(False)
        return {name: np.asarray(file[name][:], np.float64) for name in file.variables}


def blocks(values, *lengths):
    """Means over blocks of the first dimensions behind time; elements are added up in the order of memory.
    NaN is missing."""
    axes = range(1, 1 + len(lengths))
    cuts = [range(0, values.shape[axis], length) for axis, length in zip(axes, lengths, strict=True)]
    made = np.full(values.shape[:1] + tuple(map(len, cuts)) + values.shape[1 + len(lengths) :], FILL)
    for at in np.ndindex(made.shape[1 : 1 + len(lengths)]):
        block = tuple(slice(cut[i], cut[i] + n) for cut, i, n in zip(cuts, at, lengths, strict=True))
        part = values[(slice(None), *block)]
        part = part.reshape((part.shape[0], -1) + values.shape[1 + len(lengths) :])
        total, count = np.zeros_like(part[:, 0]), np.zeros(part[:, 0].shape)
        for element in np.moveaxis(part, 1, 0):
            total = np.where(np.isnan(element), total, total + element)
            count += ~np.isnan(element)
        made[(slice(None), *at)] = np.where(count > 0, total / np.maximum(count, 1), FILL)
    return made


def test_means_over_blocks_are_those_of_numpy(numbers):
    t, height = numbers["t"], numbers["height"]

    assert np.array_equal(numbers["blocks"], blocks(t, 3, 2))
    assert np.array_equal(numbers["one_block"], blocks(height, 7, 9))
    assert np.array_equal(numbers["difference"], blocks(t * 2, 3, 2) - blocks(height, 3, 2) / 100)
    assert np.array_equal(numbers["whole"], t)
    levels = blocks(np.moveaxis(t, -1, 1), 5)
    assert np.array_equal(numbers["blocks_of_levels"], np.moveaxis(levels, 1, -1))
    assert np.array_equal(numbers["blocks_of_a_profile"], blocks(numbers["profile"], 4))


def test_dimension_of_blocks_says_what_that_of_their_elements_says(by_column):
    with netCDF4.Dataset(by_column) as file:
        coarse, fine = file["z_by_5"], file["z"][:]
        said = [coarse.getncattr(name) for name in ("standard_name", "axis", "positive", "units")]
        assert said == ["height", "Z", "up", "m"]
        assert np.allclose(coarse[:], [fine[:5].mean(), fine[5:10].mean(), fine[10:].mean()], rtol=1e-15)
        middles, first, last = (fine[1:] + fine[:-1]) / 2, fine[1] - fine[0], fine[-1] - fine[-2]
        ends = [fine[0] - first / 2, middles[4], middles[9], fine[-1] + last / 2]
        assert np.allclose(file[coarse.bounds][:], np.stack([ends[:-1], ends[1:]], -1), rtol=1e-15)


def test_cell_methods_name_the_dimensions_of_blocks(by_column):
    with netCDF4.Dataset(by_column) as file:
        assert file["blocks"].cell_methods == "y_by_3: x_by_2: mean time_none: point"
        assert file["blocks_average"].cell_methods.startswith("y_by_3: x_by_2: mean time_averaged_4: mean")
        assert file["blocks_of_levels"].cell_methods.startswith("z_by_5: mean ")
        assert file["warm_blocks"].cell_methods.startswith("y_by_3: x_by_2: mean (where a condition holds) ")
        assert not file["whole"].cell_methods.startswith("y")
        assert not file["difference"].cell_methods.startswith("y_by")


def test_blocks_leave_out_what_is_missing(numbers):
    t = numbers["t"]

    expected = blocks(np.where(t > 265, t, np.nan), 3, 2)
    assert (expected == FILL).any() and (expected != FILL).any()
    assert np.array_equal(numbers["warm_blocks"], expected)


def test_blocks_of_what_was_computed(numbers):
    column = numbers["t"].mean(-1)

    assert np.allclose(numbers["blocks_of_the_column"], blocks(column, 3, 2), rtol=1e-14, atol=0)
    assert np.array_equal(numbers["blocks_of_blocks"], blocks(numbers["blocks"], 2, 3))
    square = numbers["square"]
    by_x = np.moveaxis(blocks(np.moveaxis(square, 2, 1), 2), 1, 2)
    assert np.array_equal(numbers["square_by_x"], by_x)
    assert np.array_equal(numbers["square_by_y"], blocks(square, 2))
    height = np.moveaxis(blocks(numbers["height"], 3, 3), 2, 1)
    assert np.array_equal(numbers["seldom"], np.moveaxis(blocks(height, 2), 1, 2)[1::2])
    assert np.array_equal(numbers["static_blocks"], blocks(numbers["orography"][None], 4, 4)[0])
    assert np.allclose(numbers["mean_of_blocks"], numbers["blocks"].mean((1, 2)), rtol=1e-14, atol=0)


def test_coordinates_are_the_means_of_those_of_blocks(numbers):
    assert np.array_equal(numbers["z_by_5"], [2500, 7500, 11000])


def test_averages_over_time_are_those_of_the_samples(numbers):
    for name in AVERAGED:
        samples = numbers[name].reshape((2, 2) + numbers[name].shape[1:])
        there = samples != FILL
        expected = np.where(there, samples, 0).sum(1) / np.maximum(there.sum(1), 1)
        expected = np.where(there.any(1), expected, FILL)
        assert np.allclose(numbers[name + "_average"], expected, rtol=1e-13, atol=0), name


LAYOUTS = [(2, 1), (3, 2), (4, 3), (6, 1), (1, 0), (2, 0), (5, 0)]


@pytest.mark.parametrize("ranks, servers", LAYOUTS)
def test_every_layout_of_rows_gives_the_same_bytes(ranks, servers, by_column, tmp_path):
    assert published(tmp_path / "run", ranks, servers, "rows").read_bytes() == by_column.read_bytes()


@pytest.mark.parametrize("ranks, servers", [(1, 1), (3, 2), (5, 3), (4, 0)])
def test_points_in_any_order_give_the_same_bytes(ranks, servers, by_column, tmp_path):
    assert published(tmp_path / "run", ranks, servers, "points").read_bytes() == by_column.read_bytes()


@pytest.mark.parametrize("ranks, servers", [(1, 1), (5, 3), (4, 0)])
def test_every_layout_of_levels_that_lie_apart_gives_the_same_bytes(ranks, servers, by_level, tmp_path):
    assert published(tmp_path / "run", ranks, servers, "surfaces").read_bytes() == by_level.read_bytes()


def test_levels_that_lie_apart_give_the_same_numbers(numbers, by_level):
    with netCDF4.Dataset(by_level) as file:
        file.set_auto_mask(False)
        for name in ["blocks", "warm_blocks", "blocks_of_levels", "difference"]:
            assert np.array_equal(np.moveaxis(file[name][:], 1, -1), numbers[name]), name


@pytest.mark.parametrize("ranks, servers", [(1, 1), (3, 2), (5, 0)])
def test_columns_that_are_cut_between_ranks_give_the_same_numbers(ranks, servers, numbers, tmp_path):
    with netCDF4.Dataset(published(tmp_path / "run", ranks, servers, "levels")) as file:
        file.set_auto_mask(False)
        for name in EXPRESSIONS:
            assert np.array_equal(file[name][:], numbers[name]), name

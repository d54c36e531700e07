"""Fields are what the configuration says: parts, order, missing values."""

import netCDF4
import numpy as np
import pytest
from oracle.configured import (
    DT,
    FILL,
    PATH,
    SIZE,
    STEPS,
    W,
    attributes,
    contents,
    extreme,
    file,
    group,
    handling,
    include,
    lengths,
    run,
    samples,
    writing,
)
from oracle.exact import exact_sum, weighted_mean
from oracle.model_time import averages, instants
from oracle.published import read


def test_parts_say_what_the_ranks_hold(tmp_path):
    total = '<communication name="reduction" operator="sum" field="columns_held" result="columns"/>'
    got = contents(
        run(
            tmp_path,
            group(
                '<field name="w" size="z,y,x" parts="distributed"/><field name="columns_held" parts="own"/>'
                '<field name="dt" parts="same"/>'
            ),
            handling(extreme("max", "peak"), f'<diagnostic field="columns">{total}</diagnostic>'),
            writing(file("f.nc", include("w", "peak", "columns", "dt"))),
        )
    )

    assert np.array_equal(got["peak"], got["w"].max(axis=(1, 2, 3)))
    assert got["columns"].tolist() == [SIZE[1] * SIZE[2]] * STEPS
    assert got["dt"].tolist() == lengths()


def test_the_order_of_an_include_comes_before_that_of_its_field_and_that_before_the_files(tmp_path):
    theta = '<field name="theta" data_type="float" size="z,y,x" collective="true" order="time,y,z,x"/>'
    files = run(
        tmp_path,
        group(W + PATH + theta),
        writing(
            file("memory.nc", include("w", "path")),
            file("turned.nc", include("w", "path", "theta"), more='order="time,z,y,x"'),
            file("own.nc", include("theta", more='order="time,x,y,z"')),
        ),
    )

    memory, turned = read(files["memory_1000.nc"]), read(files["turned_1000.nc"])
    own = read(files["own_1000.nc"])
    assert memory["w"].shape == (STEPS, *reversed(SIZE))
    assert np.array_equal(turned["w"], memory["w"].transpose(0, 3, 2, 1))
    assert np.array_equal(turned["path"], memory["path"].transpose(0, 2, 1))
    assert own["theta"].shape == (STEPS, *reversed(SIZE))
    assert np.array_equal(turned["theta"], own["theta"].transpose(0, 2, 3, 1))


ICE = '<field name="ice" data_type="float" size="y,x" collective="true" missing_value="-999.9"/>'
LAYERS = '<field name="layers" data_type="integer" size="y,x" collective="true" missing_value="-1"/>'


@pytest.fixture(scope="module")
def patchy(tmp_path_factory):
    """A run that writes missing values as they are, and means that leave them out."""
    mean = (
        '<diagnostic field="{0}_mean"><operator name="localreduce" operator="mean" field="{0}" {1} '
        'result="{0}_here"/><communication name="reduction" operator="mean" field="{0}_here" '
        'result="{0}_mean"/></diagnostic>'
    )
    return run(
        tmp_path_factory.mktemp("patchy"),
        group(ICE + LAYERS + DT),
        group(
            ICE.replace('missing_value="-999.9"', "") + LAYERS.replace('missing_value="-1"', ""),
            1,
            "raw",
            'namespace="raw"',
        ),
        handling(
            mean.format("ice", ""),
            mean.format("layers", ""),
            extreme("min", "ice_least", "ice"),
            '<diagnostic field="ice_twice"><operator name="arithmetic" equation="2*ice + dt" '
            'result="ice_twice"/></diagnostic>',
        ),
        writing(
            file("raw.nc", include("ice", "layers", more='namespace="raw"')),
            file("every.nc", include("ice", "layers", "ice_mean", "layers_mean", "ice_least", "ice_twice")),
            file("rounded.nc", include("ice", "ice_twice"), more='significant_bits="2" order="time,y,x"'),
            file("double.nc", include("ice", "ice_twice"), more='precision="float" deflate="1"'),
            file("instant.nc", include("ice", "layers", manipulation="instantaneous", every=10)),
            file(
                "mean.nc", include("ice", "layers", "ice_mean", "ice_twice", manipulation="averaged", every=3)
            ),
        ),
    )


def is_missing(raw, name):
    return raw[name] == (np.float32(-999.9) if name == "ice" else -1)


@pytest.mark.parametrize(
    ("name", "fill"), [("ice", np.float32(FILL["f4"])), ("layers", np.int32(FILL["i4"]))]
)
def test_missing_values_become_fill_values(patchy, name, fill):
    raw, every = read(patchy["raw_1000.nc"]), read(patchy["every_1000.nc"])
    missing = is_missing(raw, name)

    assert 0.1 < missing.mean() < 0.9
    assert np.array_equal(every[name], np.where(missing, fill, raw[name]))
    assert every[name].dtype == raw[name].dtype == fill.dtype
    assert attributes(patchy["every_1000.nc"], name)["_FillValue"] == fill
    chosen = [record.weights[0][0] for record in instants(samples(), 10)]
    assert np.array_equal(read(patchy["instant_1000.nc"])[name], every[name][chosen])
    with netCDF4.Dataset(patchy["every_1000.nc"]) as dataset:
        assert np.array_equal(np.ma.getmaskarray(dataset[name][...]), missing)


def test_fill_values_stay_what_they_are_when_numbers_are_rounded_turned_or_cast(patchy):
    raw, every = read(patchy["raw_1000.nc"]), read(patchy["every_1000.nc"])
    missing = is_missing(raw, "ice")
    for name, kind in (("ice", "f4"), ("ice_twice", "f8")):
        turned = read(patchy["rounded_1000.nc"])[name].transpose(0, 2, 1)
        assert np.array_equal(turned == FILL[kind], missing), name
        assert np.allclose(turned[~missing], every[name][~missing], rtol=0.125, atol=0)
        single = read(patchy["double_1000.nc"])[name]
        assert single.dtype == np.float32
        assert np.array_equal(single, np.where(missing, np.float32(FILL["f4"]), every[name].astype("f4")))


def test_reductions_and_equations_leave_missing_values_out(patchy):
    raw, every = read(patchy["raw_1000.nc"]), read(patchy["every_1000.nc"])
    for name in ("ice", "layers"):
        for step in range(STEPS):
            present = raw[name][step][~is_missing(raw, name)[step]]
            expected = float(exact_sum(present.astype(float)) / len(present))
            assert every[f"{name}_mean"][step] == expected, (name, step)
    missing = is_missing(raw, "ice")
    dt = np.array(lengths())[:, np.newaxis, np.newaxis]
    least = np.where(missing, np.inf, raw["ice"].astype(float)).min(axis=(1, 2))
    assert np.array_equal(every["ice_least"], least)
    twice = np.where(missing, FILL["f8"], 2 * raw["ice"].astype(float) + dt)
    assert np.array_equal(every["ice_twice"], twice)


def test_averages_over_time_weigh_what_is_there(patchy):
    every, mean = read(patchy["every_1000.nc"]), read(patchy["mean_1000.nc"])
    windows = averages(samples(), 3)
    assert np.array_equal(mean["time_bnds"], [[window.begin, window.end] for window in windows])
    assert (mean["ice"] == FILL["f4"]).any()
    assert (mean["layers"] == FILL["f8"]).any()
    for name, kind in (("ice", "f4"), ("layers", "i4"), ("ice_twice", "f8")):
        for record, window in zip(mean[name], windows, strict=True):
            for at in np.ndindex(record.shape):
                weighed = [(w, every[name][i][at]) for i, w in window.weights]
                weighed = [(w, x) for w, x in weighed if x != np.dtype(kind).type(FILL[kind])]
                if not weighed:
                    assert record[at] == record.dtype.type(FILL[record.dtype.str[1:]]), (name, at)
                    continue
                expected = weighted_mean([x for _, x in weighed], [w for w, _ in weighed])
                assert record[at] == record.dtype.type(expected), (name, at)

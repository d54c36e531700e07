"""What the configuration says is what is in the files: each thing that it can say, with a model and servers.

Values are compared with every sample of the same run, or with what the model's rules give by hand.
"""

from fractions import Fraction

import netCDF4
import numpy as np
import pytest
from oracle.exact import exact_sum, weighted_mean
from oracle.launch import Layout, require_programs, run_model
from oracle.model_time import Sample, averages, instants
from oracle.published import read

LAYOUT = Layout(3, 2, 2, True)
SIZE = (3, 4, 5)  # z, y, x
STEPS = 12
W = '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
PATH = '<field name="path" size="y,x" collective="true"/>'
NUMBER = '<field name="number" data_type="integer"/>'
DT = '<field name="dt" units="s"/>'
FILL = netCDF4.default_fillvals


def group(fields, frequency=1, name="state", more=""):
    return f'<data-definition name="{name}" frequency="{frequency}" {more}>{fields}</data-definition>'


def extreme(operator, result, field="w"):
    """A diagnostic: the extreme of a field."""
    return (
        f'<diagnostic field="{result}"><operator name="localreduce" operator="{operator}" field="{field}" '
        f'result="{result}_here"/><communication name="reduction" operator="{operator}" '
        f'field="{result}_here" result="{result}"/></diagnostic>'
    )


def include(*fields, manipulation="none", every=None, more=""):
    frequency = f'output_frequency="{every}"' if every else ""
    return "".join(
        f'<include field="{field}" time_manipulation="{manipulation}" {frequency} {more}/>'
        for field in fields
    )


def file(name, content, period=1000, more=""):
    return f'<file name="{name}" write_time_frequency="{period}" {more}>{content}</file>'


def writing(*files):
    return f"<data-writing>{''.join(files)}</data-writing>"


def handling(*diagnostics, namespace=""):
    inner = f' namespace="{namespace}"' if namespace else ""
    return f"<data-handling{inner}>{''.join(diagnostics)}</data-handling>"


def write(directory, *elements, name="run.xml"):
    path = directory / name
    path.write_text(f"<io-configuration>{''.join(elements)}</io-configuration>", encoding="utf-8")
    return path


def run(directory, *elements, options=(), steps=STEPS, sequence="varying", out="out"):
    """The paths of what a run publishes, by name."""
    require_programs()
    more = ["--size", ",".join(map(str, SIZE)), "--steps", steps, "--sequence", sequence]
    for option in options:
        more += ["--option", option]
    return run_model(LAYOUT, write(directory, *elements), directory / out, *more)


def contents(files):
    """The variables of the only file."""
    (path,) = files.values()
    return read(path)


def attributes(path, variable):
    with netCDF4.Dataset(path) as dataset:
        return {name: dataset[variable].getncattr(name) for name in dataset[variable].ncattrs()}


def lengths(steps=STEPS):
    """Of the model's steps in s, from the first one on (sequence varying)."""
    return [1.25 + 0.75 * (n % 5) + (9.5 if n % 7 == 0 else 0) for n in range(1, steps + 1)]


def samples(numbers=None):
    """The steps of these numbers in model time."""
    ends = np.cumsum(lengths())
    chosen = range(1, STEPS + 1) if numbers is None else numbers
    return [Sample(i, float(ends[n - 1]), lengths()[n - 1]) for i, n in enumerate(chosen)]


def number_of(step):
    """The model's field "number"."""
    return step * step * 1000003 - 5000000000


# ---- Names: namespaces, files that include others, groups ----


def test_a_name_means_another_thing_in_each_namespace(tmp_path):
    span = '<operator name="arithmetic" equation="often::peak - seldom::peak" result="span"/>'
    got = contents(
        run(
            tmp_path,
            group(W, 1, "often", 'namespace="often"'),
            group(W, 4, "seldom", 'namespace="seldom"'),
            handling(extreme("max", "peak"), namespace="often"),
            handling(extreme("min", "peak"), namespace="seldom"),
            handling(f'<diagnostic field="span">{span}</diagnostic>'),
            writing(file("f.nc", include("often::w", "seldom::w", "often::peak", "seldom::peak", "span"))),
        )
    )

    often, seldom = got["often_w"], got["often_w"][3::4]
    assert often.shape == (STEPS, *reversed(SIZE))
    assert np.array_equal(got["seldom_w"], seldom)
    assert np.array_equal(got["often_peak"], often.max(axis=(1, 2, 3)))
    assert np.array_equal(got["seldom_peak"], seldom.min(axis=(1, 2, 3)))
    assert np.array_equal(got["span"], seldom.max(axis=(1, 2, 3)) - seldom.min(axis=(1, 2, 3)))


def test_a_name_is_looked_up_in_its_own_namespace_before_those_that_have_none(tmp_path):
    def equation(result, text):
        rule = f'<operator name="arithmetic" equation="{text}" result="{result}"/>'
        return f'<diagnostic field="{result}">{rule}</diagnostic>'

    got = contents(
        run(
            tmp_path,
            group(DT),
            handling(equation("it", "dt*10")),
            handling(equation("it", "dt*100"), equation("twice", "2*it + dt"), namespace="inner"),
            writing(
                file("f.nc", include("dt", "it", "inner::twice") + include("it", more='namespace="inner"'))
            ),
        )
    )

    assert np.array_equal(got["it"], got["dt"] * 10)
    assert np.array_equal(got["inner_it"], got["dt"] * 100)
    assert np.array_equal(got["twice"], got["dt"] * 201)


def test_a_file_that_is_included_twice_is_in_two_namespaces_and_presets_are_found(tmp_path, monkeypatch):
    presets = tmp_path / "presets"
    presets.mkdir()
    write(presets, group(W, "{every:3}"), handling(extreme("max", "peak")), name="winds.xml")
    write(
        tmp_path,
        '<include file="winds.xml" namespace="inner"/>',
        '<group name="peaks"><member name="inner::peak"/></group>',
        name="more.xml",
    )
    monkeypatch.setenv("PILEUS_PRESETS", str(presets))

    got = contents(
        run(
            tmp_path,
            '<include file="winds.xml"/><include file="more.xml" namespace="outer"/>',
            writing(
                file(
                    "f.nc", include("w", "peak") + '<include group="outer::peaks" time_manipulation="none"/>'
                )
            ),
        )
    )

    assert len(got["w"]) == STEPS // 3
    assert np.array_equal(got["peak"], got["w"].max(axis=(1, 2, 3)))
    assert np.array_equal(got["outer_inner_peak"], got["peak"])


def test_an_option_comes_before_its_default(tmp_path):
    got = contents(
        run(tmp_path, group(DT, "{every:3}"), writing(file("f.nc", include("dt"))), options=["every=5"])
    )

    assert got["dt"].tolist() == lengths()[4::5]


def test_a_group_is_written_to_several_files_and_has_members_of_other_namespaces(tmp_path):
    files = run(
        tmp_path,
        group(W + DT, 1, "state", 'namespace="model"'),
        handling(extreme("max", "peak", "model::w")),
        '<group name="all" namespace="model"><member name="w"/><member name="dt"/>'
        '<member name="peak"/></group>',
        writing(
            file("every.nc", '<include group="model::all" time_manipulation="none"/>'),
            file("third.nc", '<include group="all" namespace="model" output_frequency="10"/>'),
        ),
    )

    every, third = read(files["every_1000.nc"]), read(files["third_1000.nc"])
    chosen = [record.weights[0][0] for record in instants(samples(), 10)]
    assert 2 < len(chosen) < STEPS
    for name in ("w", "dt", "peak"):
        assert np.array_equal(third[name], every[name][chosen]), name
    assert np.array_equal(every["peak"], every["w"].max(axis=(1, 2, 3)))


def test_the_order_of_elements_does_not_matter(tmp_path):
    elements = [
        group(W),
        handling(extreme("max", "peak"), extreme("min", "least")),
        '<group name="all"><member name="peak"/><member name="least"/></group>',
        writing(file("f.nc", '<include group="all" time_manipulation="none"/>')),
    ]
    forwards = contents(run(tmp_path, *elements))
    backwards = contents(run(tmp_path, *reversed(elements), out="backwards"))

    assert forwards.keys() == backwards.keys()
    assert all(np.array_equal(forwards[name], backwards[name]) for name in forwards)


# ---- Fields: parts, order, missing values ----


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
    """A run with missing values, as they are and as they are left out."""
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


# ---- The end of the run, files by steps ----


def test_what_comes_at_the_end_alone_is_written_once(tmp_path):
    product = '<operator name="arithmetic" equation="number*dt" result="product"/>'
    files = run(
        tmp_path,
        group(NUMBER, 0, "last"),
        group(DT),
        handling(f'<diagnostic field="product">{product}</diagnostic>'),
        writing(file("last.nc", include("number", "product")), file("every.nc", include("dt"))),
    )

    last = read(files["last_1000.nc"])
    assert last["number"].tolist() == [number_of(STEPS)]
    assert last["product"].tolist() == [number_of(STEPS) * lengths()[-1]]
    assert last["time"].tolist() == [sum(lengths())]
    assert read(files["every_1000.nc"])["dt"].tolist() == lengths()


@pytest.mark.parametrize("sends", [True, False])
def test_fields_are_sent_on_terminate_only_if_they_are_to_be(tmp_path, sends):
    more = 'send_on_terminate="true"' if sends else ""
    files = run(
        tmp_path,
        group(NUMBER, 5, "fifth", more),
        group(DT, 2, "second", more),
        handling(
            '<diagnostic field="both"><operator name="arithmetic" equation="number + 0*dt" result="both"/>'
            "</diagnostic>"
        ),
        writing(
            file("every.nc", include("number")),
            file("both.nc", include("both")),
            file("mean.nc", include("number", manipulation="averaged", every=1000)),
        ),
    )

    # The last step, 12, is a multiple of 2, but neither of 5 nor of 10, where both are sent.
    steps = [5, 10, 12] if sends else [5, 10]
    assert read(files["every_1000.nc"])["number"].tolist() == [number_of(step) for step in steps]
    assert read(files["both_1000.nc"])["both"].tolist() == [number_of(step) for step in steps[1:]]
    weights = [sum(lengths()[a:b]) for a, b in ((0, 5), (5, 10), (10, 12))][: len(steps)]
    mean = weighted_mean([Fraction(number_of(step)) for step in steps], weights)
    assert read(files["mean_1000.nc"])["number"].tolist() == [mean]


@pytest.mark.parametrize("writes", [True, False])
def test_instants_of_the_end_are_written_on_terminate(tmp_path, writes):
    more = 'write_on_terminate="true"' if writes else ""
    got = contents(
        run(
            tmp_path,
            group(DT),
            writing(file("f.nc", include("dt", manipulation="instantaneous", every=15), more=more)),
        )
    )

    chosen = [record.weights[0][0] for record in instants(samples(), 15)]
    assert chosen[-1] != STEPS - 1
    assert got["dt"].tolist() == [lengths()[i] for i in chosen + [STEPS - 1] * writes]


def test_files_by_steps_hold_as_many_steps(tmp_path):
    files = run(
        tmp_path,
        group(NUMBER),
        writing(
            f'<file name="five.nc" write_timestep_frequency="5">{include("number")}</file>',
            f'<file name="numbered_{{index}}.nc" write_timestep_frequency="8">{include("number")}</file>',
            file("run.nc", include("number"), 0, 'write_on_terminate="true"'),
        ),
    )

    steps = {name: read(path)["number"].tolist() for name, path in files.items()}
    numbers = [number_of(step) for step in range(1, STEPS + 1)]
    assert steps == {
        "five_step_5.nc": numbers[:5],
        "five_step_10.nc": numbers[5:10],
        "five_step_15.nc": numbers[10:],
        "numbered_0001.nc": numbers[:8],
        "numbered_0002.nc": numbers[8:],
        "run.nc": numbers,
    }


# ---- Units of times and sizes, dimensions ----


@pytest.mark.parametrize(
    ("window", "period", "budget"),
    [("6 s", "0.5 min", "64 KiB"), ("0.1min", "30", "65536"), ("0.1 min", "0.5 min", "1 MiB")],
)
def test_times_and_sizes_mean_the_same_in_every_unit(tmp_path, window, period, budget):
    files = run(
        tmp_path,
        f'<server-configuration><memory budget="{budget}"/></server-configuration>',
        group(DT),
        writing(file("f.nc", include("dt", manipulation="averaged", every=window), period)),
    )

    expected = averages(samples(), 6)
    assert sorted(files) == ["f_30.nc", "f_60.nc"]
    bounds = np.concatenate([read(files[name])["time_bnds"] for name in ("f_30.nc", "f_60.nc")])
    assert np.array_equal(bounds, [[record.begin, record.end] for record in expected])


@pytest.mark.parametrize(
    ("written", "seconds"), [("1 h", 3600), ("2 d", 172800), ("90 min", 5400), ("1e3", 1000)]
)
def test_the_name_of_a_file_has_its_time_in_seconds(tmp_path, written, seconds):
    assert list(run(tmp_path, group(DT), writing(file("f.nc", include("dt"), written)))) == [
        f"f_{seconds}.nc"
    ]


def test_files_say_of_dimensions_what_the_configuration_says(tmp_path):
    files = run(
        tmp_path,
        '<dimension name="z" axis="Z" positive="up" standard_name="height" long_name="height of levels" '
        'bounds="true"/>',
        '<dimension name="x" axis="X" long_name="eastward"/>',
        group(W),
        writing(file("f.nc", include("w"))),
    )

    path = files["f_1000.nc"]
    heights = [12.5 * (z + 1) * (z + 2) for z in range(SIZE[0])]  # 25, 75, 150: cells end at 50 and 112.5
    assert attributes(path, "z") == {
        "long_name": "height of levels",
        "standard_name": "height",
        "units": "m",
        "axis": "Z",
        "positive": "up",
        "bounds": "z_bnds",
    }
    got = read(path)
    assert got["z"].tolist() == heights
    assert got["z_bnds"].tolist() == [[0, 50], [50, 112.5], [112.5, 187.5]]


def test_one_field_goes_to_several_files_at_frequencies_and_manipulations_of_their_own(tmp_path):
    files = run(
        tmp_path,
        group(PATH),
        writing(
            file("every.nc", include("path")),
            file("mean_10.nc", include("path", manipulation="averaged", every=10), 20),
            file("mean_4.nc", include("path", manipulation="averaged", every=4)),
            file("at_7.nc", include("path", manipulation="instantaneous", every=7)),
            file(
                "mixed.nc",
                include("path", manipulation="averaged", every=10)
                + include("path", manipulation="averaged", every=4)
                + include("path", manipulation="instantaneous", every=7),
            ),
        ),
    )

    every = read(files["every_1000.nc"])["path"]

    def means(window):
        return np.array(
            [
                weighted_mean([every[i] for i, _ in record.weights], [weight for _, weight in record.weights])
                for record in averages(samples(), window)
            ]
        )

    at_7 = every[[record.weights[0][0] for record in instants(samples(), 7)]]
    mixed = read(files["mixed_1000.nc"])
    tens = sorted((name for name in files if name.startswith("mean_10_")), key=lambda name: int(name[8:-3]))
    assert tens == ["mean_10_20.nc", "mean_10_40.nc", "mean_10_60.nc"]
    assert np.array_equal(np.concatenate([read(files[name])["path"] for name in tens]), means(10))
    assert np.array_equal(read(files["mean_4_1000.nc"])["path"], means(4))
    assert np.array_equal(read(files["at_7_1000.nc"])["path"], at_7)
    assert np.array_equal(mixed["path_averaged_10"], means(10))
    assert np.array_equal(mixed["path_averaged_4"], means(4))
    assert np.array_equal(mixed["path_instantaneous"], at_7)


def test_profiles_run_along_dimensions_that_are_spread_over_ranks_too(tmp_path):
    profile = (
        '<diagnostic field="{0}"><operator name="localreduce" operator="max" field="w" dimensions="{1}" '
        'result="{0}_here"/><communication name="reduction" operator="max" field="{0}_here" result="{0}"/>'
        "</diagnostic>"
    )
    got = contents(
        run(
            tmp_path,
            group(W),
            handling(profile.format("along_y", "z,x"), profile.format("along_x_and_z", "y")),
            writing(file("f.nc", include("w", "along_y", "along_x_and_z"))),
        )
    )

    assert np.array_equal(got["along_y"], got["w"].max(axis=(1, 3)))
    assert np.array_equal(got["along_x_and_z"], got["w"].max(axis=2))

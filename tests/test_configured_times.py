"""The configuration says what is written when, in which unit, along which dimension.

Values are compared with every sample of the same run, or with what the model's rules give by hand.
"""

from fractions import Fraction

import numpy as np
import pytest
from oracle.configured import (
    DT,
    NUMBER,
    PATH,
    SIZE,
    STEPS,
    W,
    attributes,
    contents,
    file,
    group,
    handling,
    include,
    lengths,
    number_of,
    run,
    samples,
    writing,
)
from oracle.exact import weighted_mean
from oracle.model_time import averages, instants
from oracle.published import read


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

"""Names mean what the configuration says: namespaces, files that include others, groups, options."""

import numpy as np
from oracle.configured import (
    DT,
    SIZE,
    STEPS,
    W,
    contents,
    extreme,
    file,
    group,
    handling,
    include,
    lengths,
    run,
    samples,
    write,
    writing,
)
from oracle.model_time import instants
from oracle.published import read


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


def test_a_file_that_is_included_twice_is_in_two_namespaces_and_presets_are_found(tmp_path):
    presets = tmp_path / "presets"
    presets.mkdir()
    write(presets, group(W, "{every:3}"), handling(extreme("max", "peak")), name="winds.xml")
    write(
        tmp_path,
        '<include file="winds.xml" namespace="inner"/>',
        '<group name="peaks"><member name="inner::peak"/></group>',
        name="more.xml",
    )

    got = contents(
        run(
            tmp_path,
            '<include file="winds.xml"/><include file="more.xml" namespace="outer"/>',
            writing(
                file(
                    "f.nc", include("w", "peak") + '<include group="outer::peaks" time_manipulation="none"/>'
                )
            ),
            within=["env", f"PILEUS_PRESETS={presets}"],
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

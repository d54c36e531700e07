"""Quantiles, modes, sums along lines and places of extremes: those of NumPy, whatever the layout."""

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, pileus, run

MODEL = BIN / "pileus_neighbours_model"
FILL = netCDF4.default_fillvals["f8"]
QUANTILES = [0.05, 0.5, 0.99]
ROUGH = "round(w / 4)"  # few different numbers
INFINITE = "where(w > 7, 1 / (w - w), where(w < -7, -1 / (w - w), w))"
EXPRESSIONS = {
    "planes": "quantile[y,x](w, 0.05, 0.5, 0.99)",
    "warm": "quantile[y,x](t, q=[0.05, 0.5, 0.99])",
    "columns": "quantile[z](w, 0.25)",
    "lines": "median[x](t)",
    "whole": "quantile[z,y,x](w, 0.9)",
    "whole_three": "quantile[x,y,z](t, 0.05, 0.5, 0.99)",
    "of_plane": "median[y,x](u)",
    "middle": "median[y,x](w | t > 290)",
    "nothing": "median[y,x](w | w > 20)",
    "all_alike": "quantile[y,x](0 * w + 3, 0.7)",
    "infinite": f"quantile[z,y,x]({INFINITE}, 0, 0.01, 0.5, 1, levels=share)",
    "counted": "quantile[y,x](w, 0.05, 0.5, 0.99, method=counts)",
    "counted_whole": "quantile[z,y,x](t, 0.9, method=counts)",
    "counted_infinite": f"quantile[z,y,x]({INFINITE}, 0, 0.01, 0.5, 1, levels=share, method=counts)",
    "frequent": f"mode[y,x]({ROUGH})",
    "frequent_up": f"mode[z]({ROUGH})",
    "frequent_whole": "mode[z,y,x](round(t / 5))",
    "above": "sum[y,x](w > median[y,x](w))",
    "above_whole": "sum[y,x](w > quantile[z,y,x](w, 0.9))",
    "anomaly": "max[y,x](t - median[z,y,x](t))",
    "up": "cumsum[z](w)",
    "down": "cumsum[z](t, from=last)",
    "along": "cumsum[x](w)",
    "highest": "argmax[z](w)",
    "lowest": "argmin[z](t)",
    "first_equal": f"argmax[z]({ROUGH})",
    "where_x": "argmin[x](w)",
    "of_profile": "argmax[z](mean[y,x](w))",
    "median_profile": "median[z](profile)",
    "joint": "joint_histogram[y,x](w, t, a_edges=-10:10:5, b_edges=[280, 285, 290, 300])",
    "joint_outer": "joint_histogram[y,x](w, t, a_edges=outer:-5:5:5, b_edges=[280, 290])",
    "joint_three": "joint_histogram[z,y,x](w, t, w * t, a_edges=-10:10:10, b_edges=280:300:10, "
    "c_edges=outer:0:100:100)",
    "joint_weighted": "joint_histogram[y,x](w, t, a_edges=-10:10:5, b_edges=280:300:5, "
    "weight=abs(w) | w < 8)",
    "outside": "histogram[y,x](w, edges=outer:-5:5:2.5)",
    "inside": "in_bins(t, edges=outer:285:295:5)",
    "infinities": INFINITE,
    "rough": ROUGH,
}
AVERAGED = ["planes", "whole", "highest", "joint", "inside"]
OVER_TIME = {"median": 50, "percentile_05": 5, "percentile_75": 75, "percentile_99": 99}
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="x,y,z" collective="true" missing_value="-999.9" units="K"/>
    <field name="w" size="x,y,z" collective="true" units="m s-1"/>
    <field name="u" size="x,y" collective="true"/>
    <field name="profile" size="z" parts="same"/>
  </data-definition>
  <data-handling>
{diagnostics}
  </data-handling>
  <data-writing>
    <file name="distributions.nc" write_time_frequency="8">
{includes}
    </file>
  </data-writing>
</io-configuration>
"""


def start(directory, ranks, servers, cuts, *arguments):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(exist_ok=True)
    diagnostics = "\n".join(
        f'    <diagnostic field="{name}" expression="{text.replace("<", "&lt;")}"/>'
        for name, text in EXPRESSIONS.items()
    )
    includes = "\n".join(
        f'      <include field="{name}" time_manipulation="none"/>'
        for name in ("t", "w", "u", "profile", *EXPRESSIONS)
    )
    includes += "".join(
        f'\n      <include field="{name}" time_manipulation="averaged" output_frequency="4" '
        f'name="{name}_average"/>'
        for name in AVERAGED
    )
    includes += "".join(
        f'\n      <include field="{name}" time_manipulation="{word}" output_frequency="8" '
        f'name="{name}_{word}"/>'
        for name in ("t", "w", "whole")
        for word in OVER_TIME
    )
    text = CONFIGURATION.replace("{diagnostics}", diagnostics).replace("{includes}", includes)
    (directory / "run.xml").write_text(text)
    model = (ranks, [MODEL, "run.xml", cuts, *arguments])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = ["env", "-C", directory, *mpi_command(model, *server)]
    return run(command, f"{ranks} ranks, {servers} servers, cuts {cuts} {arguments}")


def published(directory, *layout):
    """The file of a run."""
    done = start(directory, *layout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    (file,) = directory.glob("*.nc")
    return file


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1, 1)


@pytest.fixture(scope="module")
def numbers(by_one):
    """All variables in double precision, with the dimensions (time, z, y, x); NaN is missing."""
    with netCDF4.Dataset(by_one) as file:
        file.set_auto_mask(False)
        values = {name: np.asarray(file[name][:], np.float64) for name in file.variables}
    return {name: np.where(value == FILL, np.nan, value) for name, value in values.items()}


def quantiles(values, q, axes):
    return np.nanquantile(values, q, axis=axes)


def test_quantiles_are_those_of_numpy(numbers):
    t, w, u = (numbers[name] for name in "twu")
    assert np.isnan(t).any()
    same = np.testing.assert_array_equal
    same(numbers["planes"], np.moveaxis(quantiles(w, QUANTILES, (2, 3)), 0, 1))
    same(numbers["warm"], np.moveaxis(quantiles(t, QUANTILES, (2, 3)), 0, 1))
    same(numbers["columns"], quantiles(w, 0.25, 1))
    same(numbers["lines"], quantiles(t, 0.5, 3))
    same(numbers["whole"], quantiles(w, 0.9, (1, 2, 3)))
    same(numbers["whole_three"], np.moveaxis(quantiles(t, QUANTILES, (1, 2, 3)), 0, 1))
    same(numbers["of_plane"], quantiles(u, 0.5, (1, 2)))
    same(numbers["middle"], quantiles(np.where(t > 290, w, np.nan), 0.5, (2, 3)))
    same(numbers["nothing"], np.nan)
    same(numbers["all_alike"], 3)
    same(numbers["median_profile"], quantiles(numbers["profile"], 0.5, 1))
    same(numbers["above"], (w > quantiles(w, 0.5, (2, 3))[..., None, None]).sum((2, 3)))
    same(numbers["above_whole"], (w > quantiles(w, 0.9, (1, 2, 3))[:, None, None, None]).sum((2, 3)))
    middle = quantiles(t, 0.5, (1, 2, 3))[:, None, None, None]
    same(numbers["anomaly"], np.nanmax(t - middle, axis=(2, 3)))


def test_infinite_numbers_have_their_places(numbers):
    values = numbers["infinities"]
    assert np.isposinf(values).any() and np.isneginf(values).any()
    sorted_ = np.sort(values.reshape(len(values), -1), axis=-1)
    exact, counted = numbers["infinite"], numbers["counted_infinite"]
    for i, (q, found) in enumerate(zip((0, 0.01, 0.5, 1), np.moveaxis(exact, 1, 0), strict=True)):
        at = (sorted_.shape[-1] - 1) * q
        below, above = sorted_[..., int(at)], sorted_[..., int(np.ceil(at))]
        inside = np.isfinite(below) & np.isfinite(above)
        expected = np.where(inside, np.quantile(np.nan_to_num(sorted_), q, axis=-1), below)
        assert np.array_equal(found, expected)
        assert np.allclose(counted[:, i], found, rtol=1 / 256, atol=0)


def test_counts_stay_within_the_bound_that_the_file_states(by_one, numbers):
    with netCDF4.Dataset(by_one) as file:
        assert "1/256" in file["counted"].comment
        assert not hasattr(file["planes"], "comment")
        assert file["planes"].units == "m s-1" and file["whole"].units == "m s-1"
        assert file["highest"].units == "m"
        assert np.array_equal(file["quantile"][:], QUANTILES)
        assert file["planes"].dimensions[1:] == ("quantile", "z")
        assert len(file["whole"].dimensions) == 1
    t, w = numbers["t"], numbers["w"]
    ordered = np.sort(w.reshape(*w.shape[:2], -1), axis=-1)
    for i, q in enumerate(QUANTILES):
        at = (ordered.shape[-1] - 1) * q
        # Both neighbours are within the bound of themselves.
        largest = np.maximum(abs(ordered[..., int(at)]), abs(ordered[..., int(np.ceil(at))]))
        exact = quantiles(w, q, (2, 3))
        assert (abs(numbers["counted"][:, i] - exact) <= largest / 256).all()
        assert not np.array_equal(numbers["counted"][:, i], exact)
    assert np.allclose(numbers["counted_whole"], quantiles(t, 0.9, (1, 2, 3)), rtol=1 / 256, atol=0)


def most_frequent(values):
    there, times = np.unique(values[~np.isnan(values)], return_counts=True)
    return there[times.argmax()]


def test_modes_are_those_of_numpy(numbers):
    rough = numbers["rough"]
    for at in np.ndindex(rough.shape[:2]):
        assert numbers["frequent"][at] == most_frequent(rough[at])
    for step, y, x in np.ndindex(len(rough), *rough.shape[2:]):
        assert numbers["frequent_up"][step, y, x] == most_frequent(rough[step, :, y, x])
    for step, one in enumerate(numbers["t"]):
        assert numbers["frequent_whole"][step] == most_frequent(np.round(one / 5))


def test_sums_and_places_are_those_of_numpy(numbers):
    t, w, z, x = (numbers[name] for name in "twzx")
    same = np.testing.assert_array_equal
    same(numbers["up"], np.cumsum(w, axis=1))
    same(numbers["along"], np.cumsum(w, axis=3))
    down = np.cumsum(np.nan_to_num(t)[:, ::-1], axis=1)[:, ::-1]
    same(numbers["down"], np.where(np.isnan(t), np.nan, down))
    same(numbers["highest"], z[w.argmax(1)])
    same(numbers["lowest"], np.where(np.isnan(t).all(1), np.nan, z[np.where(np.isnan(t), 1e9, t).argmin(1)]))
    same(numbers["first_equal"], z[numbers["rough"].argmax(1)])
    same(numbers["where_x"], x[w.argmin(3)])
    same(numbers["of_profile"], z[w.mean((2, 3)).argmax(1)])


def joint_counts(values, edges, weights=None):
    """NumPy's, with the first value the fastest."""
    there = np.all([~np.isnan(one) for one in values], axis=0)
    counts, _ = np.histogramdd(
        [one[there] for one in values], edges, weights=None if weights is None else weights[there]
    )
    return counts.T


def test_joint_histograms_are_those_of_numpy(numbers):
    t, w = numbers["t"], numbers["w"]
    fives, far = np.arange(-10, 11, 5), [-1e300, -5, 0, 5, 1e300]
    levels_last = ("joint", "joint_outer", "joint_weighted", "outside")
    by_level = {name: np.moveaxis(numbers[name], -1, 1) for name in levels_last}
    for at in np.ndindex(w.shape[:2]):
        pair = [w[at].ravel(), t[at].ravel()]
        assert np.array_equal(by_level["joint"][at], joint_counts(pair, [fives, [280, 285, 290, 300]]))
        assert np.array_equal(by_level["joint_outer"][at], joint_counts(pair, [far, [280, 290]]))
        low = [np.where(pair[0] < 8, pair[0], np.nan), pair[1]]
        weighted = joint_counts(low, [fives, np.arange(280, 301, 5)], abs(pair[0]))
        assert np.allclose(by_level["joint_weighted"][at], weighted, rtol=1e-13, atol=0)
        assert np.array_equal(
            by_level["outside"][at], np.histogram(pair[0], [-1e300, -5, -2.5, 0, 2.5, 5, 1e300])[0]
        )
    for step in range(len(w)):
        three = [w[step].ravel(), t[step].ravel(), (w[step] * t[step]).ravel()]
        edges = [[-10, 0, 10], [280, 290, 300], [-1e300, 0, 100, 1e300]]
        assert np.array_equal(numbers["joint_three"][step], joint_counts(three, edges))


def test_bins_over_time_are_histograms_of_each_point(by_one, numbers):
    t = numbers["t"]
    edges = np.array([-np.inf, 285, 290, 295, np.inf])
    inside = np.array([(low <= t) & (t < high) for low, high in zip(edges[:-1], edges[1:], strict=True)])
    expected = np.where(np.isnan(t), np.nan, inside)
    np.testing.assert_array_equal(np.moveaxis(numbers["inside"], 1, 0), expected)
    halves = expected.reshape(4, 2, 2, *t.shape[1:])
    there = ~np.isnan(halves)
    means = np.where(there, halves, 0).sum(2) / np.where(there.any(2), there.sum(2), np.nan)
    np.testing.assert_array_equal(np.moveaxis(numbers["inside_average"], 1, 0), means)
    with netCDF4.Dataset(by_one) as file:
        assert file["inside"].dimensions[1:] == ("t_in_4", "z", "y", "x")
        assert np.array_equal(file["t_in_4"][:], [282.5, 287.5, 292.5, 297.5])
        bounds = file[file["t_in_4"].bounds][:]
        assert np.array_equal(bounds, np.array([edges[:-1], edges[1:]]).T)
        assert file["joint"].dimensions[1:] == ("t_in_3", "w_in_4", "z")
        assert np.array_equal(file[file["t_in_3"].bounds][:], [[280, 285], [285, 290], [290, 300]])


def test_percentiles_over_time_are_those_of_numpy(by_one, numbers):
    for name in ("t", "w", "whole"):
        for word, percent in OVER_TIME.items():
            kind = np.float32 if name == "t" else np.float64
            expected = np.nanquantile(numbers[name], percent / 100, axis=0).astype(kind)
            np.testing.assert_array_equal(numbers[f"{name}_{word}"][0], expected)
    with netCDF4.Dataset(by_one) as file:
        assert file["t_median"].cell_methods.endswith(": median")
        assert "128 samples" in file["w_percentile_99"].comment
        assert file["w_percentile_99"].units == "m s-1"


LAYOUTS = [(2, 1, 1), (4, 2, 2), (6, 3, 3), (5, 3, 5), (4, 0, 2), (3, 2, -1), (5, 0, -1), (4, 3, 0)]


@pytest.mark.parametrize("ranks, servers, cuts", LAYOUTS)
def test_every_layout_gives_the_same_bytes(ranks, servers, cuts, by_one, tmp_path):
    assert published(tmp_path / "run", ranks, servers, cuts).read_bytes() == by_one.read_bytes()


@pytest.mark.parametrize("servers", [0, 2])
def test_a_killed_run_goes_on_in_another_layout(servers, by_one, tmp_path):
    killed = start(tmp_path / "run", 4, servers, 2, 3, "die")
    assert killed.returncode != 0
    assert published(tmp_path / "run", 6, servers, 3, 3, "continue").read_bytes() == by_one.read_bytes()


@pytest.mark.parametrize(
    "expression, said",
    [
        ("quantile[y,q](w, 0.5)", 'no dimension "q"'),
        ("quantile[y,y](w, 0.5)", "twice"),
        ("quantile[y,x](w, 95)", "quantiles are from 0 to 1"),
        ("quantile[y,x](w, 0.9, 0.1)", "the quantiles have to rise"),
        ("quantile[y,x](w)", 'needs "q=..."'),
        ("quantile[y,x](w, 0.5, method=exakt)", 'did you mean "exact"?'),
        ("median(w)", "needs dimensions in brackets"),
        ("median[y,x](w, 0.5)", "write the name of a parameter"),
        ("percentile[y,x](w, 95)", "quantile[y,x](a, 0.95)"),
        ("joint_histogram[y,x](w, t, a_edges=0:1:1)", 'needs "b_edges=..."'),
        ("joint_histogram[y,x](w, t, a_edges=0:1:1, b_edges=1:0:1)", "b_edges"),
        ("joint_histogram[y,x](w, t, a_edges=0:1000:1, b_edges=0:1000:1)", "more than 16384 bins"),
        ("joint_histogram[y,x](w, t, w, a_edges=0:1:1, b_edges=0:1:1)", "given together"),
        ("joint_histogram[y,x](w, profile, a_edges=0:1:1, b_edges=0:1:1)", "the same dimensions"),
        ("in_bins(w, edges=outer:1)", "edges"),
        ("cumsum[z,y](w)", "lines go along one dimension"),
    ],
)
def test_mistakes_are_named(tmp_path, expression, said):
    text = CONFIGURATION.replace("{diagnostics}", f'<diagnostic field="d" expression="{expression}"/>')
    path = tmp_path / "run.xml"
    path.write_text(text.replace("{includes}", '<include field="d" time_manipulation="none"/>'))
    checked = pileus("check", path)
    assert checked.returncode == 1 and said in checked.stdout, checked.stdout

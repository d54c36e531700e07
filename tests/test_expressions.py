"""Expressions give what NumPy and fractions make of the full fields of the same run of cumulus."""

from xml.sax.saxutils import quoteattr

import netCDF4
import numpy as np
import pytest
from oracle import named
from oracle.launch import BIN, SERVER, mpi_command, require_programs, run
from oracle.named import (
    Named,
    absolute,
    cos,
    count,
    covariance,
    deviation,
    equal,
    every,
    exp,
    largest,
    log,
    maximum,
    mean,
    mean_times,
    minimum,
    power,
    root_mean_square,
    sin,
    smallest,
    some,
    sqrt,
    total,
    variance,
    weighted,
    where,
)
from oracle.published import only

VOLUMES = ("u_centre", "v_centre", "w_centre", "theta", "qv", "ql", "p")
PLANES = ("vwp", "lwp")
SCALARS = ("dt", "cfl")
FILL = netCDF4.default_fillvals["f8"]
GRID = (
    "--nx",
    "13",
    "--ny",
    "11",
    "--nz",
    "9",
    "--dx",
    "200",
    "--dy",
    "200",
    "--dz",
    "160",
    "--uneven",
)
STEPS = 5
LAYOUTS = [(1, 1), (3, 2), (4, 1), (6, 3)]  # model ranks, servers

def sliced(one, dimension, index):
    axis = one.dimensions.index(dimension)
    left = [d for d in one.dimensions if d != dimension]
    return Named(np.take(one.values, index, axis), left)


def binned(reduce, by, edges):
    """Behind the dimensions of what is reduced stands that of the bins, the slowest."""
    last = len(edges) - 2
    within = [
        (by >= edges[i]) & ((by <= edges[i + 1]) if i == last else (by < edges[i + 1]))
        for i in range(last + 1)
    ]
    made = [reduce(one) for one in within]
    return Named(np.stack([one.values for one in made]), ("bin", *made[0].dimensions))


def coarsened(one, periods):
    steps = tuple(slice(None, None, periods.get(d, 1)) for d in one.dimensions)
    return Named(one.values[steps], one.dimensions)


# As -0.2:0.2:0.1 has them.
EVEN = [*(-0.2 + i * (0.4 / 4) for i in range(4)), 0.2]
UNEVEN = [-10, -1, 0, 0.5, 20]

# Expressions as they are written, and the same for NumPy. f holds the fields.
EXPRESSIONS = [
    ("w_centre", lambda f: f.w_centre),
    ("theta + 1", lambda f: f.theta + 1),
    ("theta - 300 - 1", lambda f: f.theta - 300 - 1),
    ("-w_centre * 2", lambda f: -f.w_centre * 2),
    ("qv * theta / 300", lambda f: f.qv * f.theta / 300),
    ("theta / qv / 7", lambda f: f.theta / f.qv / 7),
    (
        "u_centre ^ 2 + v_centre ^ 2",
        lambda f: power(f.u_centre, 2) + power(f.v_centre, 2),
    ),
    ("2 ^ 3 ^ 2 * dt", lambda f: 512 * f.dt),
    ("-dt ^ 2", lambda f: -power(f.dt, 2)),
    ("theta % 0.7", lambda f: f.theta % 0.7),
    ("-theta % 0.7", lambda f: (-f.theta) % 0.7),
    ("p % -3", lambda f: f.p % -3.0),
    (
        "sqrt(u_centre*u_centre + v_centre*v_centre)",
        lambda f: sqrt(f.u_centre * f.u_centre + f.v_centre * f.v_centre),
    ),
    ("abs(w_centre)", lambda f: absolute(f.w_centre)),
    ("exp(w_centre)", lambda f: exp(f.w_centre)),
    ("log(theta)", lambda f: log(f.theta)),
    ("sin(p) + cos(theta)", lambda f: sin(f.p) + cos(f.theta)),
    ("theta * (1 + 0.61*qv - ql)", lambda f: f.theta * (1 + 0.61 * f.qv - f.ql)),
    ("theta ^ 0.2854", lambda f: power(f.theta, 0.2854)),
    ("min(w_centre, 0)", lambda f: minimum(f.w_centre, 0)),
    (
        "max(w_centre, u_centre, v_centre)",
        lambda f: maximum(maximum(f.w_centre, f.u_centre), f.v_centre),
    ),
    (
        "where(w_centre > 0, theta, -theta)",
        lambda f: where(f.w_centre > 0, f.theta, -f.theta),
    ),
    ("where(lwp > 0, w_centre, qv)", lambda f: where(f.lwp > 0, f.w_centre, f.qv)),
    ("w_centre > 0", lambda f: f.w_centre > 0),
    ("w_centre &gt;= 0 and qv lt 0.014", lambda f: (f.w_centre >= 0) & (f.qv < 0.014)),
    (
        "w_centre > 0 or qv > 0.01 and p > 0",
        lambda f: (f.w_centre > 0) | ((f.qv > 0.01) & (f.p > 0)),
    ),
    ("not (w_centre > 0 or p > 0)", lambda f: ~((f.w_centre > 0) | (f.p > 0))),
    ("ql == 0", lambda f: equal(f.ql, 0)),
    ("theta * vwp", lambda f: f.theta * f.vwp),
    ("theta * vwp * dt", lambda f: f.theta * f.vwp * f.dt),
    ("mean(theta)", lambda f: mean(f.theta)),
    ("mean[y,x](theta)", lambda f: mean(f.theta, "yx")),
    ("mean[z](theta)", lambda f: mean(f.theta, "z")),
    ("mean[x](theta)", lambda f: mean(f.theta, "x")),
    ("mean[z,x](qv)", lambda f: mean(f.qv, "zx")),
    ("sum[z,y,x](qv)", lambda f: total(f.qv)),
    ("sum(lwp)", lambda f: total(f.lwp)),
    ("min[y,x](theta)", lambda f: smallest(f.theta, "yx")),
    ("max[z](w_centre)", lambda f: largest(f.w_centre, "z")),
    (
        "max(w_centre) - min(w_centre)",
        lambda f: largest(f.w_centre) - smallest(f.w_centre),
    ),
    (
        "3 * mean[y,x](theta) / 7",
        lambda f: mean_times(f.theta, "yx", named.Fraction(3, 7)),
    ),
    ("mean[y,x](w_centre * theta)", lambda f: mean(f.w_centre * f.theta, "yx")),
    (
        "mean[y,x](w_centre*theta) - mean[y,x](w_centre)*mean[y,x](theta)",
        lambda f: mean(f.w_centre * f.theta, "yx") - mean(f.w_centre, "yx") * mean(f.theta, "yx"),
    ),
    ("theta - mean[y,x](theta)", lambda f: f.theta - mean(f.theta, "yx")),
    (
        "mean[y,x]((theta - mean[y,x](theta))^2)",
        lambda f: mean(power(f.theta - mean(f.theta, "yx"), 2), "yx"),
    ),
    (
        "mean[y,x]((w_centre - mean[y,x](w_centre))*(qv - mean[y,x](qv)))",
        lambda f: mean((f.w_centre - mean(f.w_centre, "yx")) * (f.qv - mean(f.qv, "yx")), "yx"),
    ),
    ("any[z](w_centre > 0.05)", lambda f: some(f.w_centre > 0.05, "z")),
    (
        "mean[y,x](any[z](w_centre > 0.1))",
        lambda f: mean(some(f.w_centre > 0.1, "z"), "yx"),
    ),
    ("all[z](w_centre > -0.001)", lambda f: every(f.w_centre > -0.001, "z")),
    ("count[y,x](w_centre > 0)", lambda f: count(f.w_centre > 0, "yx")),
    (
        "count(w_centre > 0) / count(qv > 0)",
        lambda f: count(f.w_centre > 0) / count(f.qv > 0),
    ),
    (
        "mean[y,x](w_centre | w_centre > 0)",
        lambda f: mean(f.w_centre, "yx", f.w_centre > 0),
    ),
    (
        "mean[y,x](theta | qv > 0.01 and w_centre > 0)",
        lambda f: mean(f.theta, "yx", (f.qv > 0.01) & (f.w_centre > 0)),
    ),
    (
        "max[z](theta | w_centre > 100)",
        lambda f: largest(f.theta, "z", f.w_centre > 100),
    ),
    ("sum[x](vwp | vwp > mean(vwp))", lambda f: total(f.vwp, "x", f.vwp > mean(f.vwp))),
    ("var[y,x](w_centre)", lambda f: variance(f.w_centre, "yx")),
    ("std[z](theta)", lambda f: deviation(f.theta, "z")),
    ("rms[y,x](w_centre)", lambda f: root_mean_square(f.w_centre, "yx")),
    ("rms(theta | w_centre > 0) * 4", lambda f: 4 * root_mean_square(f.theta, None, f.w_centre > 0)),
    ("var(theta | w_centre > 0)", lambda f: variance(f.theta, None, f.w_centre > 0)),
    ("cov[y,x](w_centre, theta)", lambda f: covariance(f.w_centre, f.theta, "yx")),
    ("cov[z,x](theta, vwp)", lambda f: covariance(f.theta, f.vwp, "zx")),
    ("cov[x](vwp, max[z](qv))", lambda f: covariance(f.vwp, largest(f.qv, "z"), "x")),
    (
        "cov[z](mean[y,x](qv), mean[y,x](theta))",
        lambda f: covariance(mean(f.qv, "yx"), mean(f.theta, "yx"), "z"),
    ),
    (
        "cov[y,x](w_centre, qv | w_centre > 0)",
        lambda f: covariance(f.w_centre, f.qv, "yx", f.w_centre > 0),
    ),
    (
        "vwp - cov[z](w_centre, theta)",
        lambda f: f.vwp - covariance(f.w_centre, f.theta, "z"),
    ),
    ("vwp + cov[z](vwp, qv)", lambda f: f.vwp + covariance(f.vwp, f.qv, "z")),
    (
        "mean(cov[z](theta, w_centre))",
        lambda f: mean(covariance(f.theta, f.w_centre, "z")),
    ),
    (
        "theta - cov[y,x](theta, w_centre)",
        lambda f: f.theta - covariance(f.theta, f.w_centre, "yx"),
    ),
    (
        "max[z](cov[y,x](theta, w_centre))",
        lambda f: largest(covariance(f.theta, f.w_centre, "yx"), "z"),
    ),
    (
        "vwp * cov[z](qv - mean[y,x](qv), theta | w_centre > 0)",
        lambda f: f.vwp * covariance(f.qv - mean(f.qv, "yx"), f.theta, "z", f.w_centre > 0),
    ),
    ("mean[y,x](theta, weight=vwp)", lambda f: weighted("mean", f.theta, f.vwp, "yx")),
    ("mean(theta, weight = qv*theta)", lambda f: weighted("mean", f.theta, f.qv * f.theta, None)),
    (
        "mean[y,x](w_centre, weight=where(w_centre > 0, vwp, 0))",
        lambda f: weighted("mean", f.w_centre, where(f.w_centre > 0, f.vwp, 0), "yx"),
    ),
    ("sum[z](qv, weight=theta)", lambda f: weighted("sum", f.qv, f.theta, "z")),
    ("var[y,x](theta, weight=vwp)", lambda f: weighted("var", f.theta, f.vwp, "yx")),
    ("std[z](theta, weight=qv)", lambda f: weighted("std", f.theta, f.qv, "z")),
    (
        "rms(w_centre, weight=vwp | w_centre > 0) / 4",
        lambda f: weighted("rms", f.w_centre, f.vwp, None, f.w_centre > 0) / 4,
    ),
    (
        "cov[y,x](w_centre, vwp, weight=qv | w_centre > 0)",
        lambda f: weighted("cov", f.w_centre, f.qv, "yx", f.w_centre > 0, f.vwp),
    ),
    (
        "mean[z](mean[y,x](theta), weight=mean[y,x](qv))",
        lambda f: weighted("mean", mean(f.theta, "yx"), mean(f.qv, "yx"), "z"),
    ),
    ("theta - mean[y,x](theta, weight=vwp)", lambda f: f.theta - weighted("mean", f.theta, f.vwp, "yx")),
    ("mean[x](theta, weight=mean[y,x](qv))", lambda f: weighted("mean", f.theta, mean(f.qv, "yx"), "x")),
    (
        "mean[y,x](theta, by=100*vwp - 2240, edges=[-100, 0, 10, 99])",
        lambda f: binned(lambda w: mean(f.theta, "yx", w), 100 * f.vwp - 2240, [-100, 0, 10, 99]),
    ),
    (
        "sum(qv, weight=theta, by=100*w_centre, edges=[-10, -1, 0, 0.5, 20])",
        lambda f: binned(lambda w: weighted("sum", f.qv, f.theta, None, w), 100 * f.w_centre, UNEVEN),
    ),
    (
        "var[x](theta, by=w_centre, edges=-0.2:0.2:0.1 | qv > 0.01)",
        lambda f: binned(lambda w: variance(f.theta, "x", w & (f.qv > 0.01)), f.w_centre, EVEN),
    ),
    (
        "max[y,x](theta - 300, by=w_centre, edges=-0.2:0.2:0.1) * 2",
        lambda f: 2 * binned(lambda w: largest(f.theta - 300, "yx", w), f.w_centre, EVEN),
    ),
    (
        "count(theta, by=w_centre, edges=-0.2:0.2:0.1)",
        lambda f: binned(lambda w: count(f.theta, None, w), f.w_centre, EVEN),
    ),
    (
        "histogram[y,x](w_centre, edges=-0.2:0.2:0.1 | qv > 0.01)",
        lambda f: binned(lambda w: count(f.w_centre, "yx", w & (f.qv > 0.01)), f.w_centre, EVEN),
    ),
    (
        "histogram(theta*qv, edges=log:1:16:4)",
        lambda f: binned(lambda w: count(f.theta, None, w), f.theta * f.qv, [1, 2, 4, 8, 16]),
    ),
    (
        "histogram[z](w_centre, weight=theta*qv, edges=[-10, 0, 10])",
        lambda f: binned(lambda w: total(f.theta * f.qv, "z", w), f.w_centre, [-10, 0, 10]),
    ),
    (
        "cov[y,x](w_centre, vwp, weight=qv, by=theta, edges=[280, 290, 300, 310, 400])",
        lambda f: binned(
            lambda w: weighted("cov", f.w_centre, f.qv, "yx", w, f.vwp), f.theta, [280, 290, 300, 310, 400]
        ),
    ),
    (
        "mean(mean[y,x](theta), by=mean[y,x](qv), edges=[0, 0.01, 0.02, 1])",
        lambda f: binned(lambda w: mean(mean(f.theta, "yx"), None, w), mean(f.qv, "yx"), [0, 0.01, 0.02, 1]),
    ),
    ("field_slicer[z](theta*qv, index=3) - vwp", lambda f: sliced(f.theta * f.qv, "z", 3) - f.vwp),
    (
        "mean(field_coarsener[y,x](theta, period=[2,3]))",
        lambda f: mean(coarsened(f.theta, {"y": 2, "x": 3})),
    ),
    ("count[z](theta | w_centre > 0)", lambda f: count(f.theta, "z", f.w_centre > 0)),
    ("theta / std[y,x](theta)", lambda f: f.theta / deviation(f.theta, "yx")),
    ("vwp - mean(vwp)", lambda f: f.vwp - mean(f.vwp)),
    ("vwp / max[z](qv)", lambda f: f.vwp / largest(f.qv, "z")),
    ("max[z](mean[y,x](qv))", lambda f: largest(mean(f.qv, "yx"), "z")),
    (
        "mean(max[z](w_centre) - min[z](w_centre))",
        lambda f: mean(largest(f.w_centre, "z") - smallest(f.w_centre, "z")),
    ),
    (
        "sqrt(mean[y,x](u_centre^2 + v_centre^2))",
        lambda f: sqrt(mean(power(f.u_centre, 2) + power(f.v_centre, 2), "yx")),
    ),
    (
        "where(any[z](ql > 0), vwp, {nothing})",
        lambda f: where(some(f.ql > 0, "z"), f.vwp, -1),
    ),
    (
        "mean[y,x](w_centre * (theta + 0.61*qv) ^ 2 / sqrt(abs(p) + 1)) * dt",
        lambda f: (
            mean(
                f.w_centre * power(f.theta + 0.61 * f.qv, 2) / sqrt(absolute(f.p) + 1),
                "yx",
            )
            * f.dt
        ),
    ),
    ("tan(p)", lambda f: named.tan(f.p)),
    ("asin(w_centre / (abs(w_centre) + 1))", lambda f: named.arcsin(f.w_centre / (absolute(f.w_centre) + 1))),
    ("acos(w_centre / (abs(w_centre) + 1))", lambda f: named.arccos(f.w_centre / (absolute(f.w_centre) + 1))),
    ("atan(theta - 300)", lambda f: named.arctan(f.theta - 300)),
    ("atan2(v_centre, w_centre)", lambda f: named.arctan2(f.v_centre, f.w_centre)),
    ("sinh(w_centre)", lambda f: named.sinh(f.w_centre)),
    ("cosh(w_centre)", lambda f: named.cosh(f.w_centre)),
    ("tanh(theta - 300)", lambda f: named.tanh(f.theta - 300)),
    ("log10(theta)", lambda f: named.log10(f.theta)),
    ("log2(qv + 1e-3)", lambda f: named.log2(f.qv + 1e-3)),
    ("floor(theta * 10)", lambda f: named.floor(f.theta * 10)),
    ("ceil(w_centre * 100)", lambda f: named.ceil(f.w_centre * 100)),
    ("round(theta * 4)", lambda f: named.nearest(f.theta * 4)),
    ("sign(w_centre)", lambda f: named.sign(f.w_centre)),
    ("mod(theta, 0.7)", lambda f: f.theta % 0.7),
    ("hypot(u_centre, v_centre)", lambda f: named.hypot(f.u_centre, f.v_centre)),
    # Coordinates of what is cut between ranks, reduced and sliced; in conditions, weights and bins.
    ("theta * z", lambda f: f.theta * f.z),
    ("where(z < 700, theta, -x)", lambda f: where(f.z < 700, f.theta, -f.x)),
    ("max[z](z | w_centre > 0)", lambda f: largest(f.z, "z", f.w_centre > 0)),
    ("mean[y,x](theta * sin(y) / x)", lambda f: mean(f.theta * sin(f.y) / f.x, "yx")),
    ("mean[y,x](theta, weight=x)", lambda f: weighted("mean", f.theta, f.x, "yx")),
    ("sum[z](theta | y > 900)", lambda f: total(f.theta, "z", f.y > 900)),
    ("mean[y,x](theta) * z", lambda f: mean(f.theta, "yx") * f.z),
    ("w_centre - max(z) + mean[x](x)", lambda f: f.w_centre - largest(f.z) + mean(f.x, "x")),
    ("vwp * x + y", lambda f: f.vwp * f.x + f.y),
    ("field_slicer[z](theta * z, index=2)", lambda f: sliced(f.theta * f.z, "z", 2)),
    (
        "mean[y,x](theta, by=y, edges=[0, 700, 1500, 3000])",
        lambda f: binned(lambda kept: mean(f.theta, "yx", kept), f.y + 0 * f.x, [0, 700, 1500, 3000]),
    ),
    # The clock.
    ("theta * step_length", lambda f: f.theta * f.step_length),
    ("theta + model_time", lambda f: f.theta + f.model_time),
    ("w_centre * hour_of_day", lambda f: f.w_centre * f.hour_of_day),
    ("mean[y,x](theta | hour_of_day < 12)", lambda f: mean(f.theta, "yx", f.theta > 0 * f.hour_of_day)),
    ("where(hour_of_day > 11.97, theta, qv)", lambda f: where(f.hour_of_day > 11.97, f.theta, f.qv)),
    ("mean(theta) + day_of_year + 100 * month_of_year", lambda f: mean(f.theta) + 60 + 100 * 3),
    ("dt * year", lambda f: f.dt * 2001),
]
# Only extended precision knows these better than NumPy: half a unit in the last place may be the other half.
NOT_EXACT = ("exp", "log", "sin", "cos", "^", "tan", "hypot")


# The small run has nothing to tell apart here.
CONSTANT = {
    "ql == 0",
    "sum(lwp)",
    "max[z](theta | w_centre > 100)",
    "where(any[z](ql > 0), vwp, {nothing})",
}


def configuration():
    fields = [f'<field name="{name}" size="z,y,x" collective="true"/>' for name in VOLUMES]
    fields += [f'<field name="{name}" size="y,x" collective="true"/>' for name in PLANES]
    fields += [f'<field name="{name}" type="scalar"/>' for name in SCALARS]
    diagnostics = [
        f'<diagnostic field="e{i}" expression={quoteattr(text.replace("&gt;", ">"))}/>'
        for i, (text, _) in enumerate(EXPRESSIONS)
    ]
    written = [*VOLUMES, *PLANES, *SCALARS, *(f"e{i}" for i in range(len(EXPRESSIONS)))]
    includes = [f'<include field="{name}" time_manipulation="none"/>' for name in written]
    return f"""<io-configuration>
  <data-definition name="state" frequency="1">{"".join(fields)}</data-definition>
  <data-handling>{"".join(diagnostics)}</data-handling>
  <time calendar="noleap" epoch="2001-03-01 11:58:00"/>
  <data-writing><file name="all.nc" write_time_frequency="100000">{"".join(includes)}</file></data-writing>
</io-configuration>
"""


def publish(layout, directory):
    require_programs()
    ranks, servers = layout
    (directory / "run.xml").write_text(configuration())
    model = [BIN / "cumulus", *GRID, "--steps", STEPS, "--output", "pileus", "--quiet"]
    model += ["--set", "nothing=-1"]
    server = [SERVER, directory / "run.xml", "--directory", directory]
    done = run(
        mpi_command((ranks, model), (servers, server)),
        f"{ranks} ranks, {servers} servers",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path for path in directory.glob("*.nc")}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return publish(LAYOUTS[1], tmp_path_factory.mktemp("uneven"))


@pytest.fixture(scope="module")
def contents(files):
    return only(files, "all")


class Fields:
    """The fields of one step as attributes."""

    def __init__(self, contents, step):
        for name in VOLUMES:
            setattr(self, name, Named(contents[name][step], ("x", "y", "z")))
        for name in PLANES:
            setattr(self, name, Named(contents[name][step], ("x", "y")))
        for name in SCALARS:
            setattr(self, name, Named(contents[name][step], ()))
        for name in ("x", "y", "z"):
            setattr(self, name, Named(contents[name], (name,)))
        time = contents["time"][step]
        self.step_length, self.model_time = self.dt, Named(time, ())
        self.hour_of_day = Named((11 * 3600 + 58 * 60 + np.floor(time) + time % 1) / 3600, ())


@pytest.mark.parametrize("layout", [LAYOUTS[0], *LAYOUTS[2:]], ids=str)
def test_every_layout_gives_the_same_bytes(layout, files, tmp_path):
    published = publish(layout, tmp_path)

    assert sorted(published) == sorted(files)
    for name, path in published.items():
        assert path.read_bytes() == files[name].read_bytes(), name


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)), ids=[text for text, _ in EXPRESSIONS])
def test_it_is_what_numpy_makes_of_the_fields(number, contents):
    text, expected_of = EXPRESSIONS[number]
    stored = contents[f"e{number}"]
    assert len(stored) == STEPS
    for step in range(STEPS):
        expected = expected_of(Fields(contents, step)).values
        wanted = np.where(np.isnan(expected), FILL, expected)
        if any(word in text for word in NOT_EXACT):
            np.testing.assert_allclose(stored[step], wanted, rtol=3e-15, atol=0)
        else:
            np.testing.assert_array_equal(stored[step], wanted)
    is_constant = np.all(stored == stored.flat[0])
    assert is_constant == (text in CONSTANT), text


def test_the_fields_are_no_constants(contents):
    for name in (*VOLUMES[:4], "p", "vwp"):
        assert len(np.unique(contents[name][-1])) > 10, name

"""Fields that hold: in steps that lack them the last value counts, whatever the layout."""

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, pileus, run

MODEL = BIN / "pileus_spectra_model"
STEPS, EVERY, NEVER = 17, 5, 1000
FILL = netCDF4.default_fillvals["f8"]
SIZE = (9, 8, 3)
DIAGNOSTICS = {
    "u_mean": "mean[y,x](u)",
    "product": "u * w",
    "flux": "mean[y,x](w * map)",
    "sum": "sum[y,x](map)",
    "before": "lag(u, 1 step)",
    "rings": "spectrum[y,x](u)",
    "slope": "ddx[x](map)",
    "line_mean": "mean[x](line)",
    "largest": "max[z,y,x](u + map)",
}
FIELDS = ["u", "w", "map", "line"]
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="u" size="x,y,z" collective="true" {hold}/>
    <field name="w" size="x,y,z" collective="true"/>
    <field name="map" size="x,y" collective="true" {hold}/>
    <field name="line" size="x" collective="true" {hold}/>
  </data-definition>
  <data-handling>{diagnostics}</data-handling>
  <data-writing>
    <file name="steps.nc" write_time_frequency="2000" write_on_terminate="true">{steps}</file>
    <file name="means.nc" write_time_frequency="2000" write_on_terminate="true">{means}</file>
    <file name="moments.nc" write_time_frequency="12">{moments}</file>
  </data-writing>
</io-configuration>
"""


def write(directory, hold='hold="true"', only=()):
    directory.mkdir(exist_ok=True)
    chosen = {name: text for name, text in DIAGNOSTICS.items() if not only or name in only}
    diagnostics = "".join(f'<diagnostic field="{n}" expression="{t}"/>' for n, t in chosen.items())

    def includes(how, every=""):
        frequency = f'output_frequency="{every}"' if every else ""
        return "".join(
            f'<include field="{name}" time_manipulation="{how}" {frequency}/>' for name in [*FIELDS, *chosen]
        )

    text = CONFIGURATION.replace("{hold}", hold).replace("{diagnostics}", diagnostics)
    text = text.replace("{steps}", includes("none")).replace("{means}", includes("averaged", "8"))
    (directory / "run.xml").write_text(text.replace("{moments}", includes("instantaneous", "6")))


def start(directory, ranks, servers, cuts, kept=0, how="whole", every=EVERY, **changes):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    write(directory, **changes)
    model = (ranks, [MODEL, "run.xml", *SIZE, cuts, kept, how, STEPS, NEVER, every])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = ["env", "-C", directory, *mpi_command(model, *server)]
    return run(command, f"{ranks} ranks, {servers} servers, cuts {cuts}")


def published(directory, *layout, **changes):
    done = start(directory, *layout, **changes)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    return {path.name: path for path in directory.glob("*.nc")}


def read(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        values = {name: np.asarray(file[name][:], np.float64) for name in file.variables}
    return {name: np.where(one == FILL, np.nan, one) for name, one in values.items()}


def same_bytes(one, other):
    assert sorted(one) == sorted(other)
    for name, path in one.items():
        assert path.read_bytes() == other[name].read_bytes(), name


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1, 1)


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """What fields hold, of a run that hands all of them over in each step."""
    files = published(tmp_path_factory.mktemp("all") / "run", 1, 1, 1, hold="", every=0)
    steps = read(files["steps_2000.nc"])
    numbers = np.arange(1, STEPS + 1)
    last = {
        "u": np.where(numbers < 3, 0, 3 + (numbers - 3) // EVERY * EVERY),
        "map": 1 + (numbers - 1) // EVERY * EVERY,
        "line": np.where(numbers < 2, 0, 2),
    }
    found = {"w": steps["w"]}
    for name, came in last.items():
        of_step = [steps[name][n - 1] if n > 0 else np.full(steps[name].shape[1:], np.nan) for n in came]
        found[name] = np.array(of_step)
    return found


def near(found, expected):
    assert found.shape == expected.shape
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    assert np.nanmax(abs(found - expected)) <= 1e-12 * np.nanmax(abs(expected))


def computed(held):
    u, w, plane, line = (held[name] for name in ("u", "w", "map", "line"))
    return {
        "u_mean": u.mean((2, 3)),
        "product": u * w,
        "flux": (w * plane[:, None]).mean((2, 3)),
        "sum": plane.sum((1, 2)),
        "before": np.concatenate([np.full_like(u[:1], np.nan), u[:-1]]),
        "line_mean": line.mean(1),
        "largest": (u + plane[:, None]).max((1, 2, 3)),
    }


def test_each_step_has_the_last_value(by_one, held):
    found = read(by_one["steps_2000.nc"])

    for name in FIELDS:
        assert np.array_equal(found[name], held[name], equal_nan=True), name
    assert np.isnan(found["u"][:2]).all() and not np.isnan(found["u"][2:]).any()


def test_what_is_made_of_them_is_made_of_the_last_value(by_one, held):
    found = read(by_one["steps_2000.nc"])

    for name, expected in computed(held).items():
        near(found[name], expected)


def test_means_over_time_leave_out_what_was_before_the_first_value(by_one, held):
    found = read(by_one["means_2000.nc"])

    for name, values in (held | computed(held)).items():
        parts = [values[first : first + 4] for first in range(0, STEPS, 4)]
        near(found[name], np.stack([np.nanmean(part, axis=0) for part in parts]))


def test_instants_have_the_last_value(by_one, held):
    for number in range(3):
        path = by_one[f"moments_{12 * (number + 1)}.nc"]
        found, steps = read(path), [6 * number + 3, 6 * number + 6]
        for name, values in held.items():
            expected = values[[step - 1 for step in steps if step <= STEPS]]
            assert np.array_equal(found[name], expected, equal_nan=True), (name, number)


LAYOUTS = [(2, 1, 1), (2, 1, 2), (4, 2, 2), (6, 3, 3), (5, 3, 5), (3, 2, -1), (1, 0, 1), (4, 0, 2)]


@pytest.mark.parametrize("ranks, servers, cuts", LAYOUTS)
def test_every_layout_gives_the_same_bytes(ranks, servers, cuts, by_one, tmp_path):
    same_bytes(published(tmp_path / "run", ranks, servers, cuts), by_one)


@pytest.mark.parametrize("servers, kept", [(0, 5), (2, 1), (2, 10), (1, 15)])
def test_a_killed_run_goes_on_with_what_held(servers, kept, by_one, tmp_path):
    killed = start(tmp_path / "run", 4, servers, 2, kept, "die")
    assert killed.returncode != 0

    same_bytes(published(tmp_path / "run", 6, servers, 3, kept, "continue"), by_one)


def test_points_that_are_dealt_out_do_not_hold(tmp_path):
    done = start(tmp_path / "run", 2, 1, 0, only=("sum",))

    assert done.returncode != 0
    assert 'field "u" holds (hold="true"), and lies on points that no box has' in done.stderr, done.stderr


def test_explain_counts_what_holds(tmp_path):
    write(tmp_path / "run", only=("u_mean",))
    described = ["env", "-C", tmp_path / "run", f"PILEUS_DESCRIBE_MODEL={tmp_path}/model.json"]
    model = (2, [MODEL, "run.xml", *SIZE, 2, 0, "whole", STEPS, NEVER, EVERY])
    done = run([*described, *mpi_command(model, (1, [SERVER, "run.xml"]))], "described")
    assert done.returncode == 0, done.stderr
    bytes_of = {}
    for hold in ("", 'hold="true"'):
        write(tmp_path / "run", hold, ("u_mean",))
        done = pileus(
            "explain", "run.xml", "--model", tmp_path / "model.json", "--json", cwd=tmp_path / "run"
        )
        assert done.returncode == 0, done.stderr
        bytes_of[hold] = done.stdout
    import json

    with_hold, without = (
        json.loads(bytes_of[hold])["servers"][0]["memory"] for hold in ('hold="true"', "")
    )
    elements = np.prod(SIZE) + SIZE[0] * SIZE[1] + SIZE[0] * 1
    # What holds, and what the step brings in its place.
    for what in ("window_bytes", "result_bytes"):
        assert 8 * elements <= with_hold[what] - without[what] < 8 * elements + 8 * 256

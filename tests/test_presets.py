"""The presets of share/pileus/presets run on the models that they are for, and pileus init finds those."""

import json
import re

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, ROOT, pileus, run

PRESETS = sorted((ROOT / "share" / "pileus" / "presets").glob("*.xml"))
CUMULUS = [BIN / "cumulus", *"--nx 16 --ny 16 --nz 32 --end 300 --output pileus --quiet".split()]
GLOBE = [BIN / "globe", *"--size 6 --levels 6 --dt 10800 --steps 300 --quiet".split()]
CUMULUS_FIELDS = """<include file="{root}/examples/cookbook/cumulus_fields.xml"/>"""
GLOBE_FIELDS = """<include file="{root}/examples/cookbook/globe_fields.xml"/>"""
OCEAN_FIELDS = """<time calendar="noleap" epoch="2001-01-01 00:00:00"/>
  <data-definition name="state" frequency="1">
    <field name="t" size="x,y,depth" collective="true" missing_value="-9.99e33" units="degC"/>
    <field name="u" size="x,y,depth" collective="true" missing_value="-9.99e33" units="m s-1"/>
    <field name="v" size="x,y,depth" collective="true" missing_value="-9.99e33" units="m s-1"/>
  </data-definition>"""
MOISTURE = "w=w_centre; every=60 s"
CENTRES = "u=u_centre; v=v_centre; w=w_centre; every=60 s"
RUNS = {
    "les_profiles": (CUMULUS, CUMULUS_FIELDS, CENTRES),
    "les_budgets": (CUMULUS, CUMULUS_FIELDS, CENTRES),
    "les_moisture_budget": (CUMULUS, CUMULUS_FIELDS, MOISTURE),
    "les_clouds": (CUMULUS, CUMULUS_FIELDS, "w=w_centre; every=60 s"),
    "pressure_levels": ([*GLOBE, "--grid", "gaussian"], GLOBE_FIELDS, "vertical=level"),
    "monthly_climate": ([*GLOBE, "--grid", "gaussian"], GLOBE_FIELDS, "vertical=level; lowest=5"),
    "ocean": (
        [BIN / "globe", *"--grid tripolar --size 24 --levels 4 --steps 40 --quiet".split()],
        OCEAN_FIELDS,
        "vertical=depth; row=4",
    ),
}


def configured(preset, folder, fields, settings):
    path = folder / "run.xml"
    path.write_text(
        "<io-configuration>\n  "
        + fields.replace("{root}", str(ROOT))
        + f'\n  <include file="{preset}.xml" set="{settings}"/>\n</io-configuration>\n'
    )
    return path


def with_instants(configuration, names, more="", every="60"):
    """Adds a file with these at instants, or in each step."""
    how = f'output_frequency="{every}"' if every else 'time_manipulation="none"'
    includes = "".join(f'<include field="{name}" {how}/>' for name in names)
    attributes = 'name="fields.nc" write_time_frequency="0" write_on_terminate="true"'
    file = f"<file {attributes}>{includes}{more}</file>"
    text = configuration.read_text()
    written = f"<data-writing>{file}</data-writing></io-configuration>"
    configuration.write_text(text.replace("</io-configuration>", written))


def is_record(name, variable):
    dimensions = variable.dimensions
    return len(dimensions) > 1 and dimensions[0].startswith("time") and not name.endswith("_bnds")


@pytest.mark.parametrize("preset", [path.stem for path in PRESETS])
def test_a_preset_has_values(tmp_path, preset):
    command, fields, settings = RUNS[preset]
    if not command[0].is_file():
        pytest.skip(f"no program {command[0]}: build it, or set PILEUS_BUILD")
    configuration = configured(preset, tmp_path, fields, settings)
    checked = pileus("check", configuration)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "warning" not in checked.stdout, checked.stdout

    done = run([*command, "--config", configuration, "--directory", tmp_path], preset)

    assert done.returncode == 0, done.stdout + done.stderr
    text = (ROOT / "share" / "pileus" / "presets" / f"{preset}.xml").read_text()
    written = {path.name for path in tmp_path.glob("*.nc")}
    for name in re.findall(r'<file name="(\w+)\.nc"', text):
        assert [one for one in written if one.startswith(name)], (name, written)
    for path in tmp_path.glob("*.nc"):
        with netCDF4.Dataset(path) as file:
            several = [one for name, one in file.variables.items() if is_record(name, one)]
            assert several
            for one in several:
                assert np.isfinite(np.ma.array(one[:]).compressed()).any(), one.name


def test_budgets_are_those_of_the_fields(tmp_path):
    """The terms at instants, by NumPy on the fields of the same instants."""
    if not CUMULUS[0].is_file():
        pytest.skip(f"no program {CUMULUS[0]}: build it, or set PILEUS_BUILD")
    configuration = configured("les_budgets", tmp_path, CUMULUS_FIELDS, CENTRES)
    names = ("u_centre", "v_centre", "w_centre", "theta")
    with_instants(configuration, names, '<include group="les_budgets" output_frequency="60"/>')
    done = run([*CUMULUS, "--config", configuration, "--directory", tmp_path], "budgets")
    assert done.returncode == 0, done.stdout + done.stderr

    with netCDF4.Dataset(tmp_path / "fields.nc") as file:
        u, v, w, theta = (np.asarray(file[name][:]) for name in names)  # time, x, y, z
        z = np.asarray(file["z"][:])
        found = {name: np.asarray(one[:]) for name, one in file.variables.items() if one.ndim == 2}

    def mean(field):
        return field.mean((1, 2))

    def derivative(profile):
        return np.gradient(profile, z, axis=1)

    means = [mean(one) for one in (u, v, w, theta)]
    u, v, w, theta = (one - of[:, None, None] for one, of in zip((u, v, w, theta), means, strict=True))
    buoyancy = 9.80665 / means[3]
    expected = {
        "tke_resolved": 0.5 * mean(u**2 + v**2 + w**2),
        "tke_shear": -(mean(w * u) * derivative(means[0]) + mean(w * v) * derivative(means[1])),
        "tke_buoyancy": buoyancy * mean(w * theta),
        "tke_transport": -derivative(0.5 * mean(w * (u**2 + v**2 + w**2))),
        "w_theta_resolved": mean(w * theta),
        "w_theta_gradient": -mean(w * w) * derivative(means[3]),
        "w_theta_buoyancy": buoyancy * mean(theta**2),
        "w_theta_transport": -derivative(mean(w * w * theta)),
    }
    assert set(found) == set(expected)
    for name, profile in expected.items():
        largest = np.abs(profile).max()
        assert largest > 0 and profile.shape == found[name].shape, name
        np.testing.assert_allclose(found[name], profile, rtol=1e-9, atol=1e-10 * largest, err_msg=name)


def test_the_moisture_budget_is_that_of_the_fields(tmp_path):
    if not CUMULUS[0].is_file():
        pytest.skip(f"no program {CUMULUS[0]}: build it, or set PILEUS_BUILD")
    names = ("w_centre", "theta", "qv")
    configuration = configured("les_moisture_budget", tmp_path, CUMULUS_FIELDS, MOISTURE)
    with_instants(configuration, names, '<include group="les_moisture_budget" output_frequency="60"/>')
    done = run([*CUMULUS, "--config", configuration, "--directory", tmp_path], "budget")
    assert done.returncode == 0, done.stdout + done.stderr

    with netCDF4.Dataset(tmp_path / "fields.nc") as file:
        w, theta, q = (np.asarray(file[name][:]) for name in names)  # time, x, y, z
        z = np.asarray(file["z"][:])
        found = {name: np.asarray(one[:]) for name, one in file.variables.items() if one.ndim == 2}

    def mean(field):
        return field.mean((1, 2))

    virtual = theta * (1 + 0.608 * q)
    mean_q, mean_virtual = mean(q), mean(virtual)
    w, q, virtual = (one - mean(one)[:, None, None] for one in (w, q, virtual))
    expected = {
        "w_q_resolved": mean(w * q),
        "w_q_gradient": -mean(w * w) * np.gradient(mean_q, z, axis=1),
        "w_q_buoyancy": 9.80665 / mean_virtual * mean(q * virtual),
        "w_q_transport": -np.gradient(mean(w * w * q), z, axis=1),
    }
    assert set(found) == set(expected)
    for name, profile in expected.items():
        largest = np.abs(profile).max()
        assert largest > 0 and profile.shape == found[name].shape, name
        np.testing.assert_allclose(found[name], profile, rtol=1e-9, atol=1e-10 * largest, err_msg=name)


@pytest.mark.parametrize("sea", ["", "wet", "wet_top", "u &gt; 0"])
def test_an_ocean_lacks_its_land(tmp_path, sea):
    """Of a model some of whose points nobody holds: land is there, where a mask is 0, or by an expression."""
    command, fields, settings = RUNS["ocean"]
    if not command[0].is_file():
        pytest.skip(f"no program {command[0]}: build it, or set PILEUS_BUILD")
    masks = """<data-handling>
      <diagnostic field="wet" expression="where(v &gt; 0, 1, 0)"/>
      <diagnostic field="wet_top" expression="field_slicer[depth](where(u &gt; 0, 1, 0), index=1)"/>
      <diagnostic field="size_of_cell" expression="2 + cos(t)" units="m2"/>
    </data-handling>"""
    more = f"; sea={sea}; area=size_of_cell" if sea else ""
    configuration = configured("ocean", tmp_path, fields + masks, f"{settings}; top=1{more}")
    made = ("tos", "surface_speed", "t_section", "t_mean")
    with_instants(configuration, ("t", "u", "v", *made), every=None)
    done = run([*command, "--config", configuration, "--directory", tmp_path], f"ocean {sea}")
    assert done.returncode == 0, done.stdout + done.stderr

    with netCDF4.Dataset(tmp_path / "fields.nc") as file:
        t, u, v = (np.ma.filled(file[name][:], np.nan) for name in "tuv")  # time, depth, y, x
        found = {name: np.ma.filled(file[name][:], np.nan) for name in made}
    top = np.broadcast_to((u > 0)[:, 1:2], t.shape)
    holds = {"": t == t, "wet": v > 0, "wet_top": top, "u &gt; 0": u > 0}
    is_sea = holds[sea] & ~np.isnan(t)
    assert is_sea.any() and not is_sea.all()
    area = np.where(is_sea, 2 + np.cos(t) if sea else 1, 0)
    on_land = np.where(is_sea, t, np.nan)
    expected = {
        "tos": on_land[:, 1],
        "surface_speed": np.where(is_sea, np.hypot(u, v), np.nan)[:, 1],
        "t_section": on_land[:, :, 4],
        "t_mean": np.where(is_sea, t * area, 0).sum((2, 3)) / area.sum((2, 3)),
    }
    for name, values in expected.items():
        assert np.isfinite(values).any()
        np.testing.assert_allclose(found[name], values, rtol=1e-13, err_msg=name)


def test_the_list_names_each_with_its_sentence():
    listed = pileus("presets")

    assert listed.returncode == 0
    for path in PRESETS:
        first = path.read_text().partition("<!--")[2].split("\n")[0].strip()
        assert f"{path.stem}: {first}" in listed.stdout


def test_one_tells_what_it_needs_and_which_options_it_has():
    told = pileus("presets", "les_profiles")

    assert told.returncode == 0
    assert "  theta: 3 dimensions, air_potential_temperature\n" in told.stdout
    assert "  horizontal: y,x\n" in told.stdout
    assert "  every: 10 min\n" in told.stdout
    assert '<include file="les_profiles.xml" set="u=name_of_the_field"/>' in told.stdout
    unknown = pileus("presets", "les_profile")
    assert unknown.returncode == 2
    assert unknown.stderr == 'there is no preset "les_profile"; did you mean "les_profiles"?\n'


@pytest.fixture
def description(tmp_path):
    """Of cumulus, as it writes it itself."""
    if not CUMULUS[0].is_file():
        pytest.skip(f"no program {CUMULUS[0]}: build it, or set PILEUS_BUILD")
    configuration = configured("les_clouds", tmp_path, CUMULUS_FIELDS, "w=w_centre")
    (tmp_path / "first").mkdir()
    done = run(
        ["env", f"PILEUS_DESCRIBE_MODEL={tmp_path / 'model.json'}", *CUMULUS[:-1], "--steps", "1"]
        + ["--config", configuration, "--directory", tmp_path / "first"],
        "described",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return tmp_path / "model.json"


def test_init_finds_what_fits_and_its_configuration_runs(tmp_path, description):
    made = tmp_path / "made.xml"

    done = pileus("init", description, "--output", made)

    assert done.returncode == 0, done.stdout + done.stderr
    text = made.read_text()
    assert '<include file="les_clouds.xml" set="w=w_centre' in text
    assert '<include file="les_profiles.xml" set="u=u_centre; v=v_centre; w=w_centre' in text
    assert "ocean.xml lacks t (" in text
    (tmp_path / "out").mkdir()
    ran = run([*CUMULUS, "--config", made, "--directory", tmp_path / "out"], "made")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert len(list((tmp_path / "out").glob("*.nc"))) == 8
    again = pileus("init", description, "--output", made)
    assert again.returncode == 2 and "exists already" in again.stderr
    assert made.read_text() == text


def test_init_of_a_file_that_is_no_description(tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{")
    for path in wrong, tmp_path / "missing.json":
        done = pileus("init", path)
        assert done.returncode == 2 and path.name in done.stderr, done.stderr


def described(folder, fields, along=("z", "y", "x"), **more):
    """The description of a model of one rank. `fields`: standard names by name."""
    path = folder / "model.json"
    whole = {"start": [0] * len(along), "count": [8] * len(along)}
    model = {
        "servers": 1,
        "timestep_s": 2.0,
        "start_time_s": 0.0,
        "dimensions": [{"name": one, "size": 8} for one in along],
        "fields": [
            {"name": name, "type": "double", "dimensions": list(along)}
            | ({"standard_name": called} if called else {})
            for name, called in fields.items()
        ],
        "ranks": [{"fields": dict.fromkeys(fields, whole)}],
    }
    path.write_text(json.dumps(model | more))
    return path


OF_GLOBE = "horizontal=lat,lon; vertical=lev"
WINDS = {"u": "", "v": "", "w": "", "theta": ""}


@pytest.mark.parametrize(
    "fields, along, more, included",
    [
        (WINDS, ("zn", "y", "x"), {}, {"les_budgets": "vertical=zn", "les_profiles": ""}),
        (WINDS, ("lat", "lon", "lev"), {}, {"les_budgets": OF_GLOBE, "les_profiles": "horizontal=lat,lon"}),
        (WINDS, ("a", "b", "c"), {}, {}),  # none is vertical by its name
        (WINDS, ("z", "zw", "x"), {}, {}),
        (WINDS, ("z", "y", "x"), {"options": {"w": "theta"}}, {"les_budgets": "w=w", "les_profiles": "w=w"}),
        ({"t": "", "u": "", "v": "", "p": ""}, ("z", "y", "x"), {}, {}),  # an ocean or an atmosphere
        (
            {"t": "", "u": "", "v": "", "temp": "air_temperature"},
            ("z", "y", "x"),
            {"epoch": "2000-01-01 00:00:00", "calendar": "noleap"},
            {"monthly_climate": "t=temp"},
        ),
        (
            {"t": "sea_water_potential_temperature", "u": "", "v": ""},
            ("x", "y", "depth"),
            {"options": {"top": "7"}},
            {"ocean": "vertical=depth; top=0"},
        ),
    ],
)
def test_init_takes_what_is_called_so_and_runs_that_way(tmp_path, fields, along, more, included):
    done = pileus("init", described(tmp_path, fields, along, **more))

    assert done.returncode == 0, done.stdout + done.stderr
    found = dict(re.findall(r'<include file="(\w+)\.xml"(?: set="([^"]*)")?/>', done.stdout))
    assert {name: set(filter(None, said.split("; "))) for name, said in found.items()} == {
        name: set(filter(None, said.split("; "))) for name, said in included.items()
    }


def test_init_leaves_out_what_has_no_name_for_a_configuration(tmp_path):
    done = pileus("init", described(tmp_path, {'a"b<c&d>': "", "a{b}": "", "--": "", "good": ""}))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.findall(r'<field name="([^"]*)"', done.stdout) == ["good"]

    for names in {}, {'"': ""}:
        nothing = pileus("init", described(tmp_path, names))
        assert nothing.returncode == 2 and "no field that a configuration could average" in nothing.stderr


def test_a_folder_among_presets_is_named_and_an_empty_one_too(tmp_path):
    (tmp_path / "some" / "folder.xml").mkdir(parents=True)
    (tmp_path / "some" / "one.xml").write_text(f"<!-- Says little.\n\n w 3d: {'a' * 100000} --><io/>")
    (tmp_path / "none").mkdir()

    some = pileus("presets", PILEUS_PRESETS=str(tmp_path / "some"))
    none = pileus("presets", PILEUS_PRESETS=str(tmp_path / "none"))

    assert some.returncode == 0 and "one: Says little." in some.stdout and "folder.xml" in some.stderr
    assert none.returncode == 2 and "there are no presets in" in none.stderr

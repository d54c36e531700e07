"""Compares what pileus explain expects with what runs of the cloud model did, in several layouts."""

import json
import os
import shutil

import netCDF4
import pytest
from oracle.launch import BIN, bin_of, mpi_command, pileus, run_described

CUMULUS, PILEUS = BIN / "cumulus", BIN / "pileus"
LENGTHS = "expected seconds from 1e-9 to 1e15"
STEPS = 30  # whose lengths grow
# Messages before the first step, or about how far servers are.
NOT_PREDICTED = ("registrations", "run_description", "begun", "go", "steps_done", "hurry", "part_written")
BOUNDED = ("reduction", "distribution")  # sums are as long as their values need
LAYOUTS = [(1, 0), (3, 0), (3, 1), (4, 2), (2, 3)]
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="w" type="array" data_type="double" size="z_face,y,x" collective="true"/>
    <field name="theta" type="array" data_type="double" size="z,y,x" collective="true"/>
    <field name="lwp" type="array" data_type="double" size="y,x" collective="true"/>
    <field name="vwp_local" type="array" data_type="double"/>
    <field name="dt" type="scalar" data_type="double"/>
  </data-definition>
  <data-handling>
    <diagnostic field="theta_mean" expression="mean[y,x](theta)"/>
    <diagnostic field="flux" expression="mean[y,x](w*w)"/>
    <diagnostic field="w_max" expression="max(w)"/>
    <diagnostic field="anomaly" expression="theta - mean[y,x](theta)"/>
    <diagnostic field="vwp">
      <operator name="localreduce" operator="sum" field="vwp_local" result="vwp_sum"/>
      <communication name="reduction" operator="sum" field="vwp_sum" result="vwp_all"/>
      <operator name="arithmetic" equation="vwp_all/({x_size}*{y_size})" result="vwp"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="fields.nc" write_time_frequency="20">
      <include field="w" time_manipulation="instantaneous" output_frequency="10"/>
      <include field="anomaly" time_manipulation="averaged" output_frequency="20"/>
    </file>
    <file name="profiles.nc" write_time_frequency="40">
      <include field="theta_mean" time_manipulation="averaged" output_frequency="10"/>
      <include field="flux" time_manipulation="averaged" output_frequency="10"/>
      <include field="w_max" time_manipulation="maximum" output_frequency="8"/>
    </file>
    <file name="series.nc" write_timestep_frequency="12">
      <include field="vwp" time_manipulation="none"/>
      <include field="dt" time_manipulation="none"/>
    </file>
    <file name="columns.nc" write_time_frequency="1000">
      <include field="lwp" time_manipulation="instantaneous" output_frequency="6"/>
    </file>
  </data-writing>
</io-configuration>
"""


@pytest.fixture(autouse=True)
def programs():
    for program in (CUMULUS, PILEUS):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")


def run_of(directory, ranks, servers, text=CONFIGURATION):
    """Runs a model that describes itself, and returns the report."""
    configuration = directory / "run.xml"
    configuration.write_text(text, encoding="utf-8")
    out = directory / "out"
    out.mkdir()
    model = [bin_of("openmpi") / CUMULUS.name if BIN == bin_of("openmpi") else CUMULUS]
    model += ["--nx", 14, "--ny", 10, "--nz", 8, "--steps", STEPS, "--output", "pileus", "--quiet"]
    model += ["--config", configuration, "--directory", out]
    programs = [(ranks, model)]
    if servers > 0:
        programs.append((servers, [BIN / "pileus-server", configuration, "--directory", out]))
    run_described(mpi_command(*programs), directory)
    write_lengths(directory)
    sizes = {path.name: path.stat().st_size for path in out.iterdir()}
    return sizes, json.loads((directory / "report.json").read_text())


def write_lengths(directory):
    """Writes the lengths of all steps of the run, as the model handed them over."""
    lengths = []
    paths = (directory / "out").glob("series_step_*.nc")
    for path in sorted(paths, key=lambda path: int(path.stem.split("_")[-1])):
        with netCDF4.Dataset(path) as file:
            lengths += [repr(float(length)) for length in file["dt"][...]]
    assert len(lengths) == STEPS
    (directory / "lengths.txt").write_text("\n".join(lengths))


def explain(directory, *options, status=0, configuration="run.xml", **changes):
    done = pileus("explain", configuration, *options, cwd=directory, **changes)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout if status == 0 else done.stderr


def explained(directory, *options):
    return json.loads(explain(directory, "--model", "model.json", "--json", *options))


@pytest.fixture(scope="module", params=LAYOUTS, ids=lambda layout: "{} ranks, {} servers".format(*layout))
def both(request, tmp_path_factory):
    """The report of a run, and what was expected of it."""
    directory = tmp_path_factory.mktemp("run")
    sizes, report = run_of(directory, *request.param)
    return sizes, report, explained(directory, "--timesteps", "lengths.txt")


def test_files_have_exactly_the_sizes_that_were_expected(both):
    sizes, _, expected = both
    files = [file for series in expected["files"] for file in series["files"]]

    assert {file["name"]: file["size_bytes"] for file in files} == sizes


def test_the_model_sends_exactly_what_was_expected(both):
    _, report, expected = both
    did = {server["server"]: server["from_model"] for server in report["servers"]}

    assert {server["server"]: server["from_model"] for server in expected["servers"]} == did


def test_servers_send_each_other_exactly_what_was_expected(both):
    _, report, expected = both

    for server, was in zip(expected["servers"], report["servers"], strict=True):
        did = {kind: figures for kind, figures in was["to_servers"].items() if kind not in NOT_PREDICTED}
        assert {kind: bounds["least"]["messages"] for kind, bounds in server["to_servers"].items()} == {
            kind: figures["messages"] for kind, figures in did.items()
        }
        for kind, bounds in server["to_servers"].items():
            assert bounds["least"]["messages"] == bounds["most"]["messages"]
            assert bounds["least"]["bytes"] <= did[kind]["bytes"] <= bounds["most"]["bytes"], kind
            if kind not in BOUNDED:
                assert bounds["least"]["bytes"] == bounds["most"]["bytes"], kind


TIME = '<time epoch="2001-01-01"/><dimension name="z_face" axis="Z"/>'
MESSAGES = CONFIGURATION.replace("<io-configuration>", f"<io-configuration>{TIME}")
MESSAGES = MESSAGES.replace('name="theta"', 'name="theta" grib="pt"')
MESSAGES = MESSAGES.replace('name="w"', 'name="w" grib="wz"')
MESSAGES = MESSAGES.replace(
    "</data-writing>",
    """<file name="upper.grib2" write_time_frequency="20" bits_per_value="12">
      <include field="w" time_manipulation="instantaneous" output_frequency="10"/>
      <include field="theta" time_manipulation="averaged" output_frequency="20"/>
    </file>
    <file name="exact.grib2" write_time_frequency="40" decimal_scale="3" packing="simple">
      <include field="theta" time_manipulation="instantaneous" output_frequency="10"/>
    </file></data-writing>""",
)


@pytest.mark.parametrize("ranks, servers", [(3, 1), (4, 3)])
def test_files_of_messages_are_no_longer_than_was_said(ranks, servers, tmp_path):
    sizes, report = run_of(tmp_path, ranks, servers, MESSAGES)
    expected = explained(tmp_path, "--timesteps", "lengths.txt")
    bounds = {
        file["name"]: file["most_bytes"]
        for series in expected["files"]
        for file in series["files"]
        if "most_bytes" in file
    }

    assert len(bounds) >= 4
    for name, most in bounds.items():
        assert most / 4 < sizes[name] <= most, name
        assert f"{name}.errors.csv" in sizes
    for server, was in zip(expected["servers"], report["servers"], strict=True):
        for kind, said in server["to_servers"].items():
            if kind in NOT_PREDICTED:
                continue
            did = was["to_servers"][kind]
            assert said["least"]["messages"] <= did["messages"] <= said["most"]["messages"], kind
            assert said["least"]["bytes"] <= did["bytes"] <= said["most"]["bytes"], kind
    text = explain(tmp_path, "--model", "model.json", "--timesteps", "lengths.txt")
    assert "; ccsds, 12 bits: errors up to the range of each level / 4095\n" in text
    assert "; simple, 3 decimal places: errors up to 0.0005, as far as 32 bits have them\n" in text
    variables = [one for series in expected["files"] for one in series["variables"]]
    assert [one["error_bound"] for one in variables if "decimal_scale" in one] == [0.0005]
    assert {one["bits_per_value"] for one in variables if "bits_per_value" in one} == {12}


def test_windows_keep_exactly_what_was_expected(both):
    _, report, expected = both

    assert [server["memory"]["window_bytes"] for server in expected["servers"]] == [
        server["window_bytes"] for server in report["servers"]
    ]


def test_rules_run_as_often_as_was_expected(both):
    _, report, expected = both
    did = {cost["name"]: cost["runs"] for cost in report["analysis"]}
    names = [rule["name"] for rule in expected["rules"]]
    local = [rule for rule in expected["rules"] if rule["runs"] > 0 and names.count(rule["name"]) == 1]

    assert len(local) >= 2
    for rule in local:
        assert rule["runs"] == did[rule["name"]], rule["name"]


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    directory = tmp_path_factory.mktemp("described")
    run_of(directory, 3, 2)
    return directory


def test_words_say_which_files_replace_the_one_before(described):
    xml = (described / "run.xml").read_text()
    (described / "newest.xml").write_text(xml.replace('name="fields.nc"', 'name="fields.nc" keep="newest"'))
    text = explain(described, "--model", "model.json", "--steps", STEPS, configuration="newest.xml")

    assert "  fields.nc: a file every 20 s, in place of the one before, owned by server " in text
    assert "    fields.nc: " in text


def test_words_name_files_rules_and_messages(described):
    text = explain(described, "--model", "model.json", "--steps", STEPS)

    assert text.startswith("run.xml with model.json: 3 model ranks, 2 servers\n")
    assert text.splitlines()[1] == "30 steps of 2 s, from 0 to 60 s"
    assert "  fields.nc: a file every 20 s, owned by server " in text
    assert "    w: double [x 14, y 10, z_face 9], instantaneous every 10 s\n" in text
    assert "  columns.nc: a file every 1000 s, owned by server " in text
    assert "Between servers\n  server 0 sends " in text


def test_a_rule_that_several_variables_share_is_there_once(described):
    rules = explained(described)["rules"]
    both = [{"file": "fields.nc", "variable": "anomaly"}, {"file": "profiles.nc", "variable": "theta_mean"}]
    shared = [rule for rule in rules if rule["used_by"] == both]

    # mean[y,x](theta): once on the parts of the ranks, once between the servers.
    assert sorted(rule["elements_per_step"] for rule in shared) == [8, 8 * 10 * 14]
    assert [rule["operations_per_element"] for rule in shared] == [1, 1]


def test_a_mean_of_a_product_takes_two_operations_on_each_element(described):
    all_rules = explained(described, "--steps", 10)["rules"]
    rules = [rule for rule in all_rules if rule["used_by"][0]["variable"] == "flux"]

    assert rules[0]["operations_per_element"] == 2
    assert rules[0]["elements_per_step"] == 9 * 10 * 14
    assert rules[0]["steps"] == 10


def test_without_a_number_of_steps_files_that_are_not_complete_say_so(described):
    series = {one["name"]: one["files"] for one in explained(described)["files"]}

    # 1000 s at 2 s a step, and one step more, which begins another file.
    assert [file["is_complete"] for file in series["columns.nc"]] == [True, False]
    assert [file["is_complete"] for file in series["fields.nc"]] == [True] * 50
    assert [file["is_complete"] for file in series["series.nc"]] == [True] * 41 + [False]
    assert "size_bytes" not in series["series.nc"][-1]


def test_a_file_of_very_many_records_is_counted_and_not_laid_out(described):
    names = [f"d{i}" for i in range(60)]
    diagnostics = "".join(f'<diagnostic field="{name}" expression="dt + {name[1:]}"/>' for name in names)
    included = "".join(f'<include field="{name}" time_manipulation="none"/>' for name in names)
    (described / "often.xml").write_text(
        '<io-configuration><data-definition name="state" frequency="1"><field name="dt" type="scalar"/>'
        f"</data-definition><data-handling>{diagnostics}</data-handling><data-writing>"
        f'<file name="series.nc" write_time_frequency="100">{included}</file>'
        "</data-writing></io-configuration>"
    )

    found = {}
    for timestep in ("1", "0.01"):
        options = ["--model", "model.json", "--json", "--timestep", timestep]
        first = json.loads(explain(described, *options, configuration="often.xml"))["files"][0]["files"][0]
        assert first["is_complete"]
        found[timestep] = list(first["records"].values()), "size_bytes" in first

    assert found == {"1": ([100], True), "0.01": ([10000], False)}


def test_another_number_of_servers_and_another_time_step_may_be_asked_for(described):
    expected = explained(described, "--servers", 3, "--timestep", 0.5, "--steps", 8)

    assert len(expected["servers"]) == 3
    assert (expected["steps"], expected["end_time_s"]) == (8, 4)


def test_compressed_variables_are_said_to_take_at_least_the_rest_of_the_file(tmp_path):
    text = CONFIGURATION.replace('name="columns.nc"', 'name="columns.nc" deflate="1"')
    sizes, _ = run_of(tmp_path, 2, 2, text)
    series = {one["name"]: one["files"] for one in explained(tmp_path, "--timesteps", "lengths.txt")["files"]}
    columns = series["columns.nc"][0]

    assert columns["before_compression_bytes"] == 13 * 10 * 14 * 8
    assert columns["least_bytes"] < sizes["columns_1000.nc"]
    assert series["fields.nc"][0]["size_bytes"] == sizes["fields_20.nc"]


def larger(described, factor):
    """The files of the same model with a domain that is so many times as wide and as long."""
    model = json.loads((described / "model.json").read_text())
    for dimension in model["dimensions"]:
        dimension["size"] *= factor if dimension["name"] in ("x", "y") else 1
        dimension.pop("coordinates", None)
    (described / "large.json").write_text(json.dumps(model))
    room = described / f"room_{factor}"
    room.mkdir()
    text = explain(described, "--model", "large.json", "--json", "--steps", 10, TMPDIR=str(room))
    assert list(room.iterdir()) == []
    return {series["name"]: series["files"] for series in json.loads(text)["files"]}


def test_a_file_of_many_gigabytes_takes_no_room_to_be_explained(described):
    size_bytes = larger(described, 500)["fields.nc"][0]["size_bytes"]

    # There are two records of w and one of the anomaly, on 9 and 8 levels. The last chunk is as large.
    numbers_bytes = (2 * 9 + 8) * 14 * 500 * 10 * 500 * 8
    assert numbers_bytes < size_bytes < 1.01 * numbers_bytes


def test_a_file_of_more_chunks_than_can_be_laid_out_has_no_known_size(described):
    assert "size_bytes" not in larger(described, 20_000)["fields.nc"][0]


OPERATORS = """<io-configuration>
  <time epoch="2000-01-01 00:00:00"/>
  <data-definition name="state" frequency="1">
    <field name="theta" type="array" data_type="double" size="z,y,x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="level">
      <operator name="field_slicer" field="theta" dimension="z" index="3" result="level"/>
    </diagnostic>
    <diagnostic field="coarse">
      <operator name="field_coarsener" field="theta" dimension="z" period="2" result="coarse"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="o.nc" write_time_frequency="1 month">
      <include field="level" time_manipulation="averaged" output_frequency="1 month"/>
      <include field="coarse" time_manipulation="averaged" output_frequency="1 month"/>
    </file>
  </data-writing>
</io-configuration>
"""


def test_operators_and_months_are_said_in_words(described):
    (described / "operators.xml").write_text(OPERATORS, encoding="utf-8")

    done = pileus(
        "explain", "operators.xml", "--model", "model.json", "--timestep", 864000, cwd=described
    )

    assert done.returncode == 0, done.stderr
    assert "\0" not in done.stdout
    assert ": field_slicer\n" in done.stdout and ": field_coarsener\n" in done.stdout
    assert "every 1 month from 2000-01-01 00:00:00" in done.stdout and "1 months" not in done.stdout


def test_the_graph_leads_from_fields_over_rules_to_variables(described):
    graph = explain(described, "--model", "model.json", "--dot")

    assert graph.startswith("digraph plan {") and graph.endswith("}\n")
    assert 'label="fields.nc: a file every 20 s"' in graph
    assert graph.count("shape=box") == 5
    assert graph.count("shape=note") == 8


def test_a_picture_is_what_dot_draws(described, tmp_path):
    dot = tmp_path / "dot"
    dot.write_text('#!/bin/sh\n[ "$1" = -Tsvg ] && cat\n')
    dot.chmod(0o755)

    drawn = explain(described, "--model", "model.json", "--svg", PATH=f"{tmp_path}:{os.environ['PATH']}")

    assert drawn == explain(described, "--model", "model.json", "--dot")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_the_graph(described):
    assert "</svg>" in explain(described, "--model", "model.json", "--svg")


def test_without_graphviz_a_picture_is_refused_with_what_to_do(described, tmp_path):
    (tmp_path / "sh").symlink_to("/bin/sh")

    error = explain(described, "--model", "model.json", "--svg", status=2, PATH=str(tmp_path))

    assert error.splitlines()[-1] == "--svg: the program dot was not found; install Graphviz, or take --dot"


@pytest.mark.parametrize(
    "options, said",
    [
        ([], "--model is required"),
        (["--model", "none.json"], "none.json: error: cannot be read: No such"),
        (["--model", "broken.json"], "broken.json:2:3: "),
        (["--model", "model.json", "--servers", "0"], "--servers: Value 0 not in range"),
        (["--model", "model.json", "--steps", "none"], "--steps: Value none not in range"),
        (["--model", "model.json", "--servers", "65537"], "--servers: Value 65537 not in range"),
        *(
            (["--model", "model.json", "--timestep", length], f"--timestep: {LENGTHS}, found {length}")
            for length in ("-1", "0", "nan", "inf", "1e300", "1e-300", "2s")
        ),
        (["--model", "model.json", "--timesteps", "words.txt"], 'words.txt: "two" is no length of a step'),
        (["--model", "model.json", "--timesteps", "words.txt", "--steps", "3"], "excludes"),
        (["--model", "model.json", "--json", "--dot"], "Requires at most 1"),
        (["--model", "model.json", "--set", "x"], "--set x: expected key=value"),
        (["--model", "less.json"], "run.xml does not go with the model that less.json describes"),
        (["--model", "timeless.json"], "timeless.json does not say how long a step is; give --timestep"),
    ],
)
def test_what_cannot_be_explained_is_named(described, options, said):
    (described / "broken.json").write_text("{\n  servers: 1}")
    (described / "words.txt").write_text("1 two")
    model = json.loads((described / "model.json").read_text())
    (described / "timeless.json").write_text(
        json.dumps({key: value for key, value in model.items() if key != "timestep_s"})
    )
    for rank in model["ranks"]:
        del rank["fields"]["theta"]
    (described / "less.json").write_text(json.dumps(model))

    assert said in explain(described, *options, status=2)


def test_a_configuration_with_errors_is_refused_with_their_places(described):
    (described / "wrong.xml").write_text(CONFIGURATION.replace("max(w)", "max(ww)"))

    error = explain(described, "--model", "model.json", status=1, configuration="wrong.xml")

    assert error.startswith('wrong.xml:12:') and 'did you mean "w"?' in error


def test_a_configuration_that_is_not_there_is_named(described):
    error = explain(described, "--model", "model.json", status=2, configuration="no.xml")

    assert "no.xml" in error

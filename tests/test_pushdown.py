"""Model ranks hand over parts and sums of fields in place of whole ones: the same files, fewer bytes."""

import json

import pytest
from oracle import launch
from oracle.configured import PATH, W, extreme, file, group, handling, include, write, writing
from oracle.launch import Layout, available_mpis

SIZE = "12,40,30"
STEPS = 20


def coarse(field, result):
    return (
        f'<diagnostic field="{result}"><operator name="field_coarsener" field="{field}" '
        f'dimension="y,x" period="4,4" result="{result}"/></diagnostic>'
    )


CONFIGURATION = (
    group(W + PATH, 1),
    handling(
        extreme("max", "w_max"),
        '<diagnostic field="w_profile" expression="mean[y,x](w)"/>',
        coarse("path", "path_coarse"),
    ),
    writing(
        file("w.nc", include("w_max", "w_profile", manipulation="averaged", every=3), 20),
        file("path.nc", include("path_coarse"), 20),
    ),
)
LAYOUTS = [Layout(3, 2, 2, True), Layout(2, 1, 1), Layout(is_alone=True), Layout(2, 0, 1)]


def run_with(directory, layout, word=None):
    """The files by name, and the report."""
    directory.mkdir()
    (directory / "out").mkdir()
    command = launch.model_command(
        layout, write(directory, *CONFIGURATION), directory / "out", "--size", SIZE, "--steps", STEPS
    )
    report = directory / "report.json"
    environment = {} if word is None else {"PILEUS_PUSHDOWN": word}
    done = launch.run(command, str(layout), PILEUS_REPORT=str(report), **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    files = {path.name: path.read_bytes() for path in sorted((directory / "out").glob("*.nc"))}
    assert len(files) > 2
    return files, json.loads(report.read_text()), done.stdout + done.stderr


def handed_over(report):
    return sum(rank["bytes"] for rank in report["model_ranks"])


@pytest.mark.parametrize("mpi", available_mpis())
def test_the_files_are_those_of_whole_fields(tmp_path, mpi):
    layout = Layout(3, 2, 2, True, mpi=mpi)
    whole, of_whole, _ = run_with(tmp_path / "whole", layout, "no")
    near, of_near, _ = run_with(tmp_path / "near", layout)
    far, of_far, _ = run_with(tmp_path / "far", layout, "yes")

    assert whole == near == far
    volume, plane = 12 * 40 * 30 * 8 * STEPS, 40 * 30 * 8 * STEPS
    assert handed_over(of_whole) > volume + plane / 4
    assert volume < handed_over(of_near) < handed_over(of_whole) - plane / 4 / 2
    assert handed_over(of_far) < volume / 4


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=str)
def test_the_way_of_starting_makes_no_difference(tmp_path, layout):
    whole, _, _ = run_with(tmp_path / "whole", LAYOUTS[0], "no")
    far, _, _ = run_with(tmp_path / "far", layout, "yes")

    assert whole == far


def test_a_word_that_is_none_is_said_and_ignored(tmp_path):
    _, _, said = run_with(tmp_path / "run", LAYOUTS[0], "perhaps")

    assert 'PILEUS_PUSHDOWN is "perhaps", which is none of "yes", "no" and "auto"; it is ignored' in said


def test_what_is_handed_over_is_explained(tmp_path):
    layout = LAYOUTS[0]
    directory = tmp_path / "run"
    directory.mkdir()
    configuration = write(directory, *CONFIGURATION)
    command = launch.model_command(layout, configuration, directory, "--size", SIZE, "--steps", STEPS)
    model, report = directory / "model.json", directory / "report.json"
    done = launch.run(command, "run", PILEUS_DESCRIBE_MODEL=str(model), PILEUS_REPORT=str(report))
    assert done.returncode == 0, done.stderr

    text = launch.pileus("explain", configuration, "--model", model, "--steps", STEPS)
    assert text.returncode == 0, text.stderr
    said = text.stdout[text.stdout.index("In place of fields") : text.stdout.index("From the model")]
    assert 'w: Partials for localreduce "w_max_here" of diagnostic "w_max"' in said
    assert "where the server is on another node" in said
    assert 'path: the elements that field_coarsener "path_coarse" of diagnostic "path_coarse" takes' in said

    explained = json.loads(
        launch.pileus("explain", configuration, "--model", model, "--steps", STEPS, "--json").stdout
    )
    by_field = {one["field"]: one for one in explained["in_place_of_fields"]}
    assert by_field["path"]["whole_bytes_per_step"] == 40 * 30 * 8
    assert by_field["path"]["bytes_per_step"] == 10 * 8 * 8 + 3 * 64
    assert by_field["w"]["only_to_other_nodes"] and not by_field["path"]["only_to_other_nodes"]
    figures = json.loads(report.read_text())
    assert [one["from_model"]["bytes"] for one in explained["servers"]] == [
        one["from_model"]["bytes"] for one in figures["servers"]
    ]


def test_a_field_may_ask_for_it_and_refuse_it(tmp_path):
    def explained(field, server=""):
        configuration = write(tmp_path, server, group(field, 1), *CONFIGURATION[1:])
        # Without "path" nothing needs it.
        text = configuration.read_text().replace(coarse("path", "path_coarse"), "")
        coarse_file = file("path.nc", include("path_coarse"), 20)
        text = text.replace(coarse_file, "")
        configuration.write_text(text)
        model = tmp_path / "model.json"
        if not model.exists():
            command = launch.model_command(LAYOUTS[0], configuration, tmp_path, "--size", SIZE, "--steps", 3)
            done = launch.run(command, "run", PILEUS_DESCRIBE_MODEL=str(model))
            assert done.returncode == 0, done.stderr
        done = launch.pileus("explain", configuration, "--model", model, "--steps", 3, "--json")
        assert done.returncode == 0, done.stderr
        return [one["only_to_other_nodes"] for one in json.loads(done.stdout)["in_place_of_fields"]]

    yes, no = (W.replace("/>", f' pushdown="{word}"/>') for word in ("yes", "no"))
    server = "<server-configuration><pushdown {}/></server-configuration>".format
    assert explained(W) == [True]
    assert explained(yes) == [False]
    assert explained(no) == []
    assert explained(yes, server('use="no"')) == []
    assert explained(W, server('budget="1e-6 s"')) == []

"""Several models in one job: each is a run of its own, and its files are those of a job of it alone."""

import json
import subprocess

import netCDF4
import pytest
from oracle.kills import Job
from oracle.launch import (
    BIN,
    MPI,
    available_mpis,
    bin_of,
    environment,
    mpi_command,
    pileus,
    require_programs,
    run,
)

PROGRAM = BIN / "pileus_components_model"
# Other numbers of ranks, sizes, lengths of a step, ends and calendars.
OCEAN = ("ocean", 2, ["--size", 40, "--steps", 12, "--length", 7200, "--calendar", "noleap"])
ATMOSPHERE = ("atmosphere", 3, ["--size", 90, "--steps", 60, "--length", 1800, "--calendar", "360_day"])


def files_of(letter, write_s, mean_s):
    return f"""
    <data-writing>
      <file name="{letter}.nc" write_time_frequency="{write_s}">
        <include field="t" time_manipulation="averaged" output_frequency="{mean_s}"/>
        <include field="total" time_manipulation="instantaneous" output_frequency="{mean_s}"/>
      </file>
    </data-writing>"""


DEFINITIONS = """
  <data-definition name="state" frequency="1">
    <field name="t" type="array" data_type="double" size="x" collective="true"/>
    <field name="s" type="array" data_type="double" size="x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="total" type="scalar" data_type="double">
      <operator name="localreduce" operator="sum" result="part" field="s"/>
      <communication name="reduction" operator="sum" result="total" field="part" root="auto"/>
    </diagnostic>
  </data-handling>"""


def configuration(common="", ocean=None, atmosphere=None):
    ocean = files_of("ocean", 43200, 21600) if ocean is None else ocean
    atmosphere = files_of("atmosphere", 36000, 3600) if atmosphere is None else atmosphere
    return f"""<io-configuration>
  <server-configuration>{common}</server-configuration>
  <component name="ocean">{DEFINITIONS}{ocean}</component>
  <component name="atmosphere">{DEFINITIONS}{atmosphere}</component>
</io-configuration>
"""


@pytest.fixture(autouse=True)
def programs():
    require_programs()
    if not PROGRAM.is_file():
        pytest.skip(f"no program {PROGRAM}: build it, or set PILEUS_BUILD")


def written(tmp_path, text):
    path = tmp_path / "run.xml"
    path.write_text(text, encoding="utf-8")
    return path


def command(components, directory, path, servers, mpi=MPI, more=None):
    """`servers`: of pileus-server; negative: as many ranks that call pileus_serve."""
    directory.mkdir(exist_ok=True)
    model = [bin_of(mpi) / PROGRAM.name, "--config", path, "--directory", directory]
    programs = []
    for name, ranks, options in components:
        programs.append((ranks, [*model, "--component", name, *options, *(more or {}).get(name, [])]))
    if servers > 0:
        programs.append((servers, [bin_of(mpi) / "pileus-server", path, "--directory", directory]))
    if servers < 0:
        programs.append((-servers, [*model, "--serve"]))
    return mpi_command(*programs, mpi=mpi)


def published(directory):
    return {path.name: path.read_bytes() for path in sorted(directory.glob("*.nc"))}


def done_in(tmp_path, components, name, servers, text=None, mpi=MPI, more=None, status=0, **changes):
    path = written(tmp_path, text or configuration())
    directory = tmp_path / name
    done = run(command(components, directory, path, servers, mpi, more), name, **changes)
    assert (done.returncode == 0) == (status == 0), done.stdout + done.stderr
    return done, published(directory)


def alone(tmp_path, text=None, servers=1):
    """The files of jobs of one component each."""
    expected = {}
    for component in (OCEAN, ATMOSPHERE):
        expected |= done_in(tmp_path, [component], f"{component[0]}-alone", servers, text)[1]
    assert {name.split("_")[0] for name in expected} == {"ocean", "atmosphere"}
    return expected


@pytest.mark.parametrize("mpi", available_mpis())
def test_components_of_one_job_write_what_each_writes_alone(mpi, tmp_path):
    expected = alone(tmp_path)

    for servers in (1, 3, 0, -2):
        done, files = done_in(tmp_path, [OCEAN, ATMOSPHERE], f"{servers}-servers", servers, mpi=mpi)
        assert files == expected, f"{servers} servers"
        assert "error" not in done.stderr and "ended without the others" not in done.stderr, done.stderr
        for name in ("ocean", "atmosphere"):
            assert done.stdout.count(f"component {name}: published") == 1, done.stdout
    for name, calendar in (("ocean_43200.nc", "noleap"), ("atmosphere_36000.nc", "360_day")):
        with netCDF4.Dataset(tmp_path / "3-servers" / name) as file:
            found = {v.calendar for v in file.variables.values() if "calendar" in v.ncattrs()}
            assert found == {calendar}


def test_each_component_may_have_servers_among_its_own_ranks(tmp_path):
    more = {"atmosphere": ["--servers-total", 1]}
    done, files = done_in(tmp_path, [OCEAN, ("atmosphere", 4, ATMOSPHERE[2])], "own", 0, more=more)

    assert files == alone(tmp_path)
    assert "[pileus atmosphere server 0]" in done.stderr, done.stderr
    assert "[pileus ocean rank 0]" in done.stderr, done.stderr


def test_each_component_may_have_a_file_of_its_own(tmp_path):
    texts = {"ocean": files_of("ocean", 43200, 21600), "atmosphere": files_of("atmosphere", 36000, 3600)}
    more = {}
    for name, files in texts.items():
        path = tmp_path / f"{name}.xml"
        path.write_text(f"<io-configuration>{DEFINITIONS}{files}</io-configuration>", encoding="utf-8")
        more[name] = ["--config", path]

    attached = done_in(tmp_path, [OCEAN, ATMOSPHERE], "attached", 0, more=more)[1]
    served = done_in(tmp_path, [OCEAN, ATMOSPHERE], "served", -1, more=more)[1]

    assert attached == served
    assert len(attached) == len(alone(tmp_path))


@pytest.mark.parametrize("servers", [2, 0])
def test_coupled_components_wait_for_each_other_with_little_memory(servers, tmp_path):
    text = configuration('<memory budget="32 KiB"/>')
    # 24 h of each: rank 0 of the ocean and rank 2, the first of the atmosphere, exchange every 7200 s.
    more = {"ocean": ["--partner", 2], "atmosphere": ["--partner", 0, "--exchange-every", 4, "--steps", 48]}

    files = done_in(tmp_path, [OCEAN, ATMOSPHERE], "coupled", servers, text, more=more)[1]

    shorter = ("atmosphere", 3, [*ATMOSPHERE[2], "--steps", 48])
    expected = done_in(tmp_path, [OCEAN], "ocean-alone", 1, text)[1]
    expected |= done_in(tmp_path, [shorter], "atmosphere-alone", 1, text)[1]
    assert files == expected


def test_a_component_that_ends_early_does_not_hold_the_other(tmp_path):
    """The ocean's pileus_finish returns, with its report, while the atmosphere has not begun its steps."""
    path = written(tmp_path, configuration())
    directory = tmp_path / "out"
    # The atmosphere waits at its first step for a message that never comes.
    more = {"atmosphere": ["--partner", 0, "--exchange-every", 2]}
    job = Job(
        command([OCEAN, ATMOSPHERE], directory, path, 2, more=more),
        environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    said = []
    try:
        for line in job.launcher.stdout:
            said.append(line)
            if line.startswith("ocean has ended"):
                break
    finally:
        job.kill()

    assert said and said[-1].startswith("ocean has ended"), said
    assert {name for name in published(directory)} == {"ocean_43200.nc", "ocean_86400.nc"}


@pytest.mark.parametrize("servers", [2, 0])
def test_components_continue_each_from_its_own_step(servers, tmp_path):
    expected = alone(tmp_path)
    path = written(tmp_path, configuration())
    directory = tmp_path / "killed"
    # The ocean dies after step 6 (43200 s); the atmosphere has checkpoints of other steps.
    more = {
        "ocean": ["--checkpoint-every", 3, "--die-after", 6],
        "atmosphere": ["--checkpoint-every", 5, "--partner", 0, "--exchange-every", 23],
    }
    run(command([OCEAN, ATMOSPHERE], directory, path, servers, more=more), "killed")
    kept = directory / "pileus-checkpoints"
    assert (kept / "ocean" / "step-0000000006" / "manifest").is_file()
    listing = pileus("state", directory)
    assert "component ocean" in listing.stdout and "component atmosphere" in listing.stdout, listing.stdout
    assert "no time for which all components have a checkpoint" in listing.stdout, listing.stdout

    # A part of what a checkpoint needs stays, whatever is cleaned.
    cleaned = pileus("clean", directory, "--yes", "--idle-hours", 0)
    assert cleaned.returncode == 0, cleaned.stdout + cleaned.stderr
    goes_on = {"ocean": ["--continue"], "atmosphere": ["--continue"]}
    other = [("atmosphere", 2, ATMOSPHERE[2]), ("ocean", 3, OCEAN[2])]
    again = run(command(other, directory, path, 1 if servers else 0, more=goes_on), "continued")

    assert again.returncode == 0, again.stdout + again.stderr
    assert "ocean goes on after step 6" in again.stdout, again.stdout
    assert "atmosphere goes on after step 20" in again.stdout, again.stdout
    assert published(directory) == expected


def test_sets_of_checkpoints_are_those_of_one_time(tmp_path):
    path = written(tmp_path, configuration())
    more = {
        "ocean": ["--checkpoint-every", 3, "--die-after", 6],
        "atmosphere": ["--checkpoint-every", 12, "--partner", 0, "--exchange-every", 23],
    }
    run(command([OCEAN, ATMOSPHERE], tmp_path / "killed", path, 1, more=more), "killed")
    listing = pileus("state", tmp_path / "killed")
    as_json = json.loads(pileus("state", tmp_path / "killed", "--json").stdout)

    assert "\nall components at 21600 s: atmosphere step 12, ocean step 3\n" in listing.stdout, listing.stdout
    assert as_json["sets"] == [{"time_s": 21600, "steps": {"atmosphere": 12, "ocean": 3}}]


@pytest.mark.parametrize("servers", [1, 0])
def test_an_unknown_component_is_an_error_with_the_known_ones(servers, tmp_path):
    sea = ("sea", 1, OCEAN[2])
    done, files = done_in(tmp_path, [sea], "out", servers, status=1)

    assert 'no component "sea"; the configuration has ocean and atmosphere' in done.stderr, done.stderr
    assert not files


def test_a_model_that_names_no_component_is_told_of_those_of_the_configuration(tmp_path):
    path = written(tmp_path, configuration())
    done = run(mpi_command((1, [PROGRAM, "--config", path, "--directory", tmp_path])), "unnamed")

    assert done.returncode != 0
    assert "this configuration is for the components ocean and atmosphere" in done.stderr, done.stderr


def test_all_ranks_name_their_component_or_none(tmp_path):
    path = written(tmp_path, configuration())
    model = [PROGRAM, "--config", path, "--directory", tmp_path]
    done = run(mpi_command((1, [*model, "--component", "ocean"]), (1, model)), "half named")

    assert done.returncode != 0
    assert "rank 1 names no component, but rank 0 does" in done.stderr, done.stderr


def test_a_name_of_which_no_folder_can_be_made_is_refused(tmp_path):
    done, _ = done_in(tmp_path, [("../ocean", 2, [])], "out", 0, status=1)

    assert 'the component "../ocean" is no name for one' in done.stderr, done.stderr


@pytest.mark.parametrize("servers", [2, 0])
def test_a_file_of_two_components_is_refused_before_the_first_step(servers, tmp_path):
    text = configuration(ocean=files_of("same", 43200, 21600), atmosphere=files_of("same", 36000, 3600))
    done, files = done_in(tmp_path, [OCEAN, ATMOSPHERE], "out", servers, text, status=1)

    assert (
        'error: file "same.nc" of component "ocean" is written by component "atmosphere" too' in done.stderr
    ), done.stderr
    assert not files


def test_jobs_of_components_follow_each_other_beside_the_same_servers(tmp_path):
    numbered = configuration(
        ocean=files_of("ocean{number}", 43200, 21600), atmosphere=files_of("a{number}", 36000, 3600)
    )
    runs = {"ocean": ["--runs", 2], "atmosphere": ["--runs", 2]}
    done, files = done_in(tmp_path, [OCEAN, ATMOSPHERE], "out", 2, numbered, more=runs)

    assert done.stdout.count("component ocean: published") == 2, done.stdout
    assert {name.split("_")[0] for name in files} == {"ocean1", "ocean2", "a1", "a2"}
    assert "error" not in done.stderr, done.stderr


def test_what_stands_outside_is_for_each_component(tmp_path):
    common = f"{DEFINITIONS}{files_of('{component}', 43200, 21600)}"
    text = f"""<io-configuration>{common}
      <component name="ocean"/><component name="atmosphere"/></io-configuration>"""
    _, files = done_in(tmp_path, [OCEAN, ATMOSPHERE], "out", 1, text)

    assert {name.split("_")[0] for name in files} == {"ocean", "atmosphere"}


def test_reports_events_and_logs_have_the_name_of_the_component(tmp_path):
    names = {
        "PILEUS_REPORT": tmp_path / "report.json",
        "PILEUS_EVENTS": tmp_path / "events.jsonl",
        "PILEUS_LOG_FILE": tmp_path / "log.txt",
        "PILEUS_TRACE": tmp_path / "trace.json",
        "PILEUS_DESCRIBE_MODEL": tmp_path / "model.json",
    }
    changes = {key: str(path) for key, path in names.items()}
    done, _ = done_in(tmp_path, [OCEAN, ATMOSPHERE], "out", 1, **changes)

    for name in ("ocean", "atmosphere"):
        report = json.loads((tmp_path / f"report.{name}.json").read_text())
        assert report["component"] == name
        assert {row["name"] for row in report["files"]} == {f"{name}.nc"}
        events = [json.loads(line) for line in (tmp_path / f"events.{name}.jsonl").read_text().splitlines()]
        assert any(event["event"] == "published" for event in events)
        assert json.loads((tmp_path / f"model.{name}.json").read_text())
        assert (tmp_path / f"trace.{name}.json").is_file()
        assert f"[pileus {name} server 0] info: published" in done.stderr, done.stderr
        assert f"[pileus {name} server 0] info: published" in (tmp_path / "log.txt").read_text()


def test_check_and_explain_know_components(tmp_path):
    good = written(tmp_path, configuration())
    model = tmp_path / "model.json"
    done_in(tmp_path, [OCEAN], "out", 1, PILEUS_DESCRIBE_MODEL=str(model))

    checked = pileus("check", good)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert 'component "ocean": no errors' in checked.stdout, checked.stdout
    assert 'component "atmosphere": no errors' in checked.stdout, checked.stdout

    asked = ["explain", good, "--model", tmp_path / "model.ocean.json", "--timestep", 7200]
    explained = pileus(*asked, "--component", "ocean")
    assert explained.returncode == 0, explained.stderr
    assert "ocean.nc" in explained.stdout and "atmosphere.nc" not in explained.stdout, explained.stdout
    unnamed = pileus(*asked)
    assert unnamed.returncode != 0
    assert "--component" in unnamed.stderr, unnamed.stderr

    bad = written(tmp_path, configuration(atmosphere=files_of("a", 36000, 3600).replace('"t"', '"ocean/t"')))
    checked = pileus("check", bad)
    assert checked.returncode == 1
    assert 'component "atmosphere": ' in checked.stdout, checked.stdout
    assert "fields of another component" in checked.stdout, checked.stdout

"""Files that are written while a trigger is on, the model's words, and what people ask for in a run."""

import json
import subprocess
import time

import netCDF4
import numpy as np
import pytest
from oracle.configured import file, group, include, lengths, number_of, write, writing
from oracle.kills import kill_when
from oracle.launch import (
    BIN,
    BUILD,
    Layout,
    environment,
    model_command,
    pileus,
    require_programs,
    run,
    run_described,
    run_model,
)

STEPS = 60
WORDS = (9, 10, 31)
OPTIONS = ("--size", "3,4,5", "--steps", STEPS, *[o for n in WORDS for o in ("--event", f"{n}:look here")])
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
PATIENCE_S = 60
UNTIL = 'until="dt &lt; 2"'
FIELDS = (
    '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
    '<field name="number" data_type="integer"/>'
)
# What max[z,y,x](w) is in the steps of the model is known from a run; the thresholds are its quantiles.
TOP = "max[z,y,x](w)"
EVENTS = '<server-configuration><events file="pileus-events.jsonl"/></server-configuration>'


def trigger(name, when=None, more=""):
    begins = f'when="{when.replace(">", "&gt;").replace("<", "&lt;")}"' if when else ""
    return f'<trigger name="{name}" {begins} {more}/>'


def configured(directory, high, low, before=""):
    either = f"number == {number_of(5)} or number == {number_of(6)}"
    triggers = {
        "plain": trigger("plain", f"{TOP} > {high}"),
        "hysteresis": trigger("hysteresis", f"{TOP} > {high}", f'until="{TOP} &lt; {low}"'),
        "lasting": trigger("lasting", f"{TOP} > {high}", 'lasts="12 s" at_most_every="40 s"'),
        "of_number": trigger("of_number", either, 'lasts="9"'),
        "word": trigger("word", more='event="look here"'),
        "long_word": trigger("long_word", more='event="look here" lasts="20" at_most_every="60"'),
        "never": trigger("never", "number == 7"),
    }
    whole = 'write_on_terminate="true"'
    return write(
        directory,
        before,
        group(FIELDS),
        f'<data-handling><diagnostic field="top" expression="{TOP}"/>{"".join(triggers.values())}'
        "</data-handling>",
        writing(
            file("every.nc", include("w", "number", "top"), 0, whole),
            *[file(f"{one}.nc", include("w", "number"), 0, f'{whole} trigger="{one}"') for one in triggers],
            file(
                "series_{index}.nc",
                include("w", manipulation="instantaneous", every="3"),
                25,
                'trigger="hysteresis"',
            ),
        ),
    )


@pytest.fixture(scope="module")
def thresholds(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("first")
    diagnostic = f'<data-handling><diagnostic field="top" expression="{TOP}"/></data-handling>'
    path = write(directory, group(FIELDS), diagnostic, writing(file("top.nc", include("top"), 1e6)))
    published = run_model(ALONE, path, directory / "out", *OPTIONS)
    with netCDF4.Dataset(next(iter(published.values()))) as dataset:
        top = dataset["top"][:].data
    return float(np.quantile(top, 0.7)), float(np.quantile(top, 0.3))


@pytest.fixture(scope="module")
def files(tmp_path_factory, thresholds):
    directory = tmp_path_factory.mktemp("triggers")
    return run_model(ALONE, configured(directory, *thresholds), directory / "out", *OPTIONS)


def numbers(steps):
    return [number_of(n) for n in steps]


def read(path):
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_mask(False)
        return {name: np.asarray(one[:]) for name, one in dataset.variables.items()}


class Oracle:
    """A trigger as docs/triggers.md has it, written once more."""

    def __init__(self, lasts=0.0, every=0.0):
        self.lasts, self.every = lasts, every
        self.is_on, self.began = False, None

    def begin(self, now):
        if not self.is_on and (self.began is None or now - self.began >= self.every):
            self.is_on, self.began = True, now

    def conditions(self, now, when, until):
        if not self.is_on:
            if when:
                self.begin(now)
        elif until and now - self.began >= self.lasts:
            self.is_on = False

    def event_ends(self, now):
        if self.is_on and now > self.began and now - self.began >= self.lasts:
            self.is_on = False


def steps_of_conditions(when, until, oracle):
    """The numbers of the steps that are written."""
    ends = np.cumsum(lengths(STEPS))
    written = []
    for n in range(1, STEPS + 1):
        if oracle.is_on:
            written.append(n)
        oracle.conditions(ends[n - 1], when[n - 1], until[n - 1])
    return written


def steps_of_words(words, oracle):
    begins = np.concatenate([[0], np.cumsum(lengths(STEPS))])
    written = []
    for n in range(1, STEPS + 1):
        oracle.event_ends(begins[n - 1])
        if n in words:
            oracle.begin(begins[n - 1])
        if oracle.is_on:
            written.append(n)
    return written


@pytest.fixture(scope="module")
def expected(files, thresholds):
    high, low = thresholds
    top = read(files["every.nc"])["top"]
    number = np.arange(1, STEPS + 1)
    chosen = np.isin(number, (5, 6))
    return {
        "plain": steps_of_conditions(top > high, top <= high, Oracle()),
        "hysteresis": steps_of_conditions(top > high, top < low, Oracle()),
        "lasting": steps_of_conditions(top > high, top <= high, Oracle(12, 40)),
        "of_number": steps_of_conditions(chosen, ~chosen, Oracle(9)),
        "word": steps_of_words(WORDS, Oracle()),
        "long_word": steps_of_words(WORDS, Oracle(20, 60)),
    }


def test_files_have_the_steps_in_which_their_trigger_is_on(files, expected):
    every = read(files["every.nc"])

    assert every["number"].tolist() == numbers(range(1, STEPS + 1))
    for name, steps in expected.items():
        found = read(files[f"{name}.nc"])
        assert 0 < len(steps) < STEPS, name
        assert found["number"].tolist() == numbers(steps), name
        assert np.array_equal(found["w"], every["w"][np.array(steps) - 1]), name
    assert expected["word"] == list(WORDS)
    assert expected["plain"] != expected["hysteresis"] != expected["lasting"]
    assert "never.nc" not in files


def test_conditions_stand_in_a_file_of_their_own(files, thresholds):
    high, low = thresholds
    found, top = read(files["triggers.nc"]), read(files["every.nc"])["top"]

    assert found["plain"].tolist() == (top > high).astype(int).tolist()
    assert found["hysteresis_until"].tolist() == (top < low).astype(int).tolist()
    assert not found["never"].any()


def test_a_series_has_files_only_where_there_are_records(files, expected):
    """Instants every 3 s while the trigger is on, a file every 25 s."""
    every = read(files["every.nc"])
    ends = np.cumsum(lengths(STEPS))
    on = [n for n in expected["hysteresis"] if n > 1 and ends[n - 1] // 3 > ends[n - 2] // 3]
    series = [read(path) for name, path in files.items() if name.startswith("series_")]
    found = {time: w for part in series for time, w in zip(part["time"], part["w"], strict=True)}

    assert len(series) > 1 and all(len(part["time"]) for part in series)
    assert len(found) == len(on)
    for n, when in zip(on, sorted(found), strict=True):
        assert np.array_equal(found[when], every["w"][n - 1])


def wrong_in(published, wanted):
    assert sorted(published) == sorted(wanted)
    return [name for name, path in wanted.items() if path.read_bytes() != published[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_triggers_give_the_same_bytes_in_every_layout(layout, files, thresholds, tmp_path):
    published = run_model(layout, configured(tmp_path, *thresholds), tmp_path / "out", *OPTIONS)

    assert not wrong_in(published, files)


@pytest.mark.parametrize("every", [5, 11])
@pytest.mark.parametrize("first, second", [(0, 1), (1, 3), (3, 0)])
def test_triggers_go_on_in_another_layout_after_a_kill(every, first, second, files, thresholds, tmp_path):
    path = configured(tmp_path, *thresholds)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(LAYOUTS[first], path, directory, *OPTIONS, "--checkpoint-every", every)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    done = run(model_command(LAYOUTS[second], path, directory, *OPTIONS, "--continue"), "continued")

    assert done.returncode == 0, done.stderr
    assert not wrong_in({one.name: one for one in directory.glob("*.nc")}, files)


def drawn(random, top):
    """A condition on numbers of the steps, and where it holds."""
    dt, number = np.array(lengths(STEPS)), np.array(numbers(range(1, STEPS + 1)))
    found = []
    for _ in range(random.integers(1, 3)):
        name, values = [(TOP, top), ("dt", dt), ("number", number)][random.integers(3)]
        bound = float(np.quantile(values, random.uniform(0.1, 0.9), method="nearest"))
        word, compare = [(">", np.greater), ("<", np.less), ("==", np.equal)][random.integers(3)]
        holds = compare(values, bound)
        found.append((f"{name} {word} {bound!r}", holds))
    if len(found) == 1:
        return found[0]
    (one, first), (two, second) = found
    if random.integers(2):
        return f"({one}) and ({two})", first & second
    return f"({one}) or ({two})", first | second


@pytest.mark.parametrize("seed", range(4))
def test_random_triggers_do_what_the_oracle_does(seed, files, tmp_path):
    random = np.random.default_rng(seed)
    top = read(files["every.nc"])["top"]
    triggers, wanted = [], {}
    for n in range(12):
        when, holds = drawn(random, top)
        until, ends = drawn(random, top) if random.integers(2) else (None, ~holds)
        lasts, every = (int(random.integers(1, 40)) if random.integers(2) else 0 for _ in range(2))
        more = f'until="{until.replace("<", "&lt;")}"' if until else ""
        more += (f' lasts="{lasts}"' if lasts else "") + (f' at_most_every="{every}"' if every else "")
        triggers.append(trigger(f"t{n}", when, more))
        wanted[f"t{n}.nc"] = steps_of_conditions(holds, ends, Oracle(lasts, every))
    path = write(
        tmp_path,
        group(FIELDS + '<field name="dt" units="s"/>'),
        f"<data-handling>{''.join(triggers)}</data-handling>",
        writing(
            *[
                file(f"t{n}.nc", include("number"), 0, f'write_on_terminate="true" trigger="t{n}"')
                for n in range(12)
            ]
        ),
    )
    published = run_model(LAYOUTS[seed], path, tmp_path / "out", *OPTIONS)

    for name, steps in wanted.items():
        found = read(published[name])["number"].tolist() if name in published else []
        assert found == numbers(steps), (name, triggers)


def test_until_may_be_made_less_often_than_when(files, tmp_path):
    """It is handed over in every third step, and what lies between changes nothing."""
    every = read(files["every.nc"])
    ends = np.cumsum(lengths(STEPS))
    path = write(
        tmp_path,
        group('<field name="number" data_type="integer"/>'),
        group('<field name="dt" units="s"/>', 3, "seldom"),
        f"<data-handling>{trigger('t', f'number == {number_of(7)}', UNTIL)}</data-handling>",
        writing(file("t.nc", include("number"), 0, 'write_on_terminate="true" trigger="t"')),
    )
    published = run_model(LAYOUTS[1], path, tmp_path / "out", *OPTIONS)

    over = next(n for n in range(9, STEPS + 1, 3) if lengths(STEPS)[n - 1] < 2)
    assert over > 9 and len(ends) == len(every["number"])
    assert read(published["t.nc"])["number"].tolist() == numbers(range(8, over + 1))


def lines_of(directory):
    path = directory / "pileus-events.jsonl"
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def events(directory, kind):
    return [one for one in lines_of(directory) if one["event"] == kind]


@pytest.mark.parametrize("layout", [LAYOUTS[0], ALONE], ids=str)
def test_triggers_are_told_in_events_and_start_commands(layout, files, thresholds, tmp_path):
    require_programs()
    out = tmp_path / "out"
    out.mkdir()
    say = f'command="echo $PILEUS_STEP $PILEUS_TIME_S &gt;&gt; {tmp_path}/said; true"'
    path = write(
        tmp_path,
        EVENTS,
        group(FIELDS),
        f"<data-handling>{trigger('plain', f'{TOP} > {thresholds[0]}', say)}</data-handling>",
        writing(file("w.nc", include("w"), 1000)),
    )
    done = run(model_command(layout, path, out, *OPTIONS), str(layout))
    assert done.returncode == 0, done.stderr

    holds = read(files["triggers.nc"])["plain"] != 0
    begins = [n for n in range(1, STEPS + 1) if holds[n - 1] and not (n > 1 and holds[n - 2])]
    told = events(out, "triggered")
    assert [one["step"] for one in told if one["is_on"]] == begins
    assert {one["trigger"] for one in told} == {"plain"}
    assert [one["is_on"] for one in told] == [n % 2 == 0 for n in range(len(told))]
    assert [one["step"] for one in events(out, "happened")] == list(WORDS)
    said = [line.split() for line in (tmp_path / "said").read_text().splitlines()]
    assert [int(step) for step, _ in said] == begins
    ends = np.cumsum(lengths(STEPS))
    assert [float(time) for _, time in said] == [ends[n - 1] for n in begins]


class Live:
    """A run that goes on until it is told to end."""

    def __init__(self, layout, path, directory, *options):
        directory.mkdir(exist_ok=True)
        self.directory, self.stop = directory, directory.parent / "stop"
        size = ("--size", "3,4,5", "--steps", 100000, "--until", self.stop)
        words = model_command(layout, path, directory, *size, *options)
        self.log = (directory.parent / "log").open("a+")
        self.process = subprocess.Popen(
            [*map(str, words)], env=environment(), stdout=self.log, stderr=self.log
        )

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def wait_for(self, what):
        until = time.monotonic() + PATIENCE_S
        while not what():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < until, self.said()
            time.sleep(0.01)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop.touch()
        status = self.process.wait(PATIENCE_S)
        said = self.said()
        self.log.close()
        assert status == 0, said


def control(*words):
    return pileus("control", *words)


LIVE = (
    group(FIELDS),
    writing(
        file("w.nc", include("w", "number"), 0, 'write_on_terminate="true"'),
        file("other.nc", include("number"), 0, 'write_on_terminate="true"'),
        file("means.nc", include("w", manipulation="averaged", every="20"), 1e9),
    ),
)


@pytest.mark.parametrize("layout", [Layout(3, 2), ALONE, Layout(2)], ids=str)
def test_files_are_changed_while_the_run_goes(layout, tmp_path):
    require_programs()
    out = tmp_path / "out"
    out.mkdir()
    (out / "pileus-control.txt").write_text("off other.nc\n")  # of an earlier run
    with Live(layout, write(tmp_path, EVENTS, *LIVE), out) as live:
        asked = ["off w.nc", "on w.nc", "frequency w.nc 30"]
        live.wait_for(lambda: (out / "pileus-events.jsonl").exists())
        for count, line in enumerate(asked, 1):
            assert control(out, *line.split()).returncode == 0
            live.wait_for(lambda count=count: len(events(out, "controlled")) == count)
        assert control(out, "off", "means.nc").returncode == 0
        assert control(out, "off", "v.nc").returncode == 0
        live.wait_for(lambda: len(events(out, "control_refused")) == 2)

    told = events(out, "controlled")
    assert [one["asked"] for one in told] == asked
    off, on, seldom = (one["step"] for one in told)
    windowed, unknown = (one["why"] for one in events(out, "control_refused"))
    assert "averaged" in windowed and '"w.nc"' in unknown
    with netCDF4.Dataset(out / "other.nc") as dataset:
        steps = dataset["number"][:].tolist()
    assert steps == numbers(range(1, len(steps) + 1))
    ends = np.cumsum(lengths(len(steps)))
    rare, last = [], ends[seldom - 2]
    for n in range(seldom, len(steps) + 1):
        if ends[n - 1] // 30 > last // 30:
            rare.append(n)
            last = ends[n - 1]
    rare = sorted({*rare, len(steps)})  # the last state of a run is kept
    with netCDF4.Dataset(out / "w.nc") as dataset:
        assert dataset["number"][:].tolist() == numbers([*range(1, off), *range(on, seldom), *rare])
        assert "left out" in dataset.dropped_records and "pileus control" in dataset.dropped_records


def test_files_say_apart_what_memory_lacked_for_and_what_somebody_left_out(tmp_path):
    require_programs()
    out = tmp_path / "out"
    double = '<operator name="slow_double" field="w" result="slow"/>'
    whole = 'write_on_terminate="true" when_memory_full="drop"'
    path = write(
        tmp_path,
        f"""<server-configuration>
          <memory budget="200000"/><events file="pileus-events.jsonl"/>
          <operator-library file="{BUILD / "tests" / "libslow_operator.so"}"/>
        </server-configuration>""",
        group(FIELDS),
        f'<data-handling><diagnostic field="slow">{double}</diagnostic>'
        '<trigger name="word" event="look here" lasts="1e9"/></data-handling>',
        writing(
            file("slow.nc", include("slow", "number"), 0, whole),
            file("storm.nc", include("slow", "number"), 0, f'{whole} trigger="word"'),
            file("every.nc", include("number"), 0, 'write_on_terminate="true"'),
        ),
    )
    with Live(Layout(3, 2), path, out, "--event", "4:look here") as live:
        live.wait_for(lambda: events(out, "overloaded"))
        for count, name in enumerate(("slow.nc", "storm.nc"), 1):
            assert control(out, "off", name).returncode == 0
            live.wait_for(lambda count=count: len(events(out, "controlled")) == count)

    off = {one["asked"].split()[1]: one["step"] for one in events(out, "controlled")}
    told = events(out, "dropped")
    for_memory = {
        name: sum(one["records"] for one in told if one["series"] == name) for name in ("slow.nc", "storm.nc")
    }
    with netCDF4.Dataset(out / "every.nc") as dataset:
        steps = len(dataset.dimensions["time"])
    for name, first in (("slow.nc", 1), ("storm.nc", 4)):
        with netCDF4.Dataset(out / name) as dataset:
            written = len(dataset.dimensions["time"])
            said = dataset.dropped_records
        asked, lacked = steps + 1 - off[name], off[name] - first - written
        assert asked > 0 and lacked > 0
        assert for_memory[name] == lacked
        assert said == (
            f"{asked + lacked} of {steps + 1 - first} records were left out: {lacked} as servers had no "
            f'memory for them (when_memory_full="drop"), and {asked} as somebody asked for that while the '
            "run went (pileus control)"
        )


def test_what_was_asked_for_stays_so_in_a_run_that_continues(tmp_path):
    require_programs()
    out = tmp_path / "out"
    path = write(tmp_path, EVENTS, *LIVE)
    with Live(Layout(3, 2), path, out, "--checkpoint-every", 20) as live:
        live.wait_for(lambda: (out / "pileus-events.jsonl").exists())
        assert control(out, "off", "w.nc").returncode == 0
        live.wait_for(lambda: events(out, "controlled"))
        off = events(out, "controlled")[0]["step"]
        live.wait_for(lambda: any(one["step"] >= off for one in events(out, "checkpointed")))
    (tmp_path / "stop").unlink()
    with Live(Layout(4, 1), path, out, "--continue") as live:
        live.wait_for(lambda: "continu" in live.said())

    with netCDF4.Dataset(out / "w.nc") as dataset:
        assert dataset["number"][:].tolist() == numbers(range(1, off))


def test_a_trigger_asks_for_a_checkpoint(tmp_path):
    require_programs()
    out = tmp_path / "out"
    asks = 'checkpoint="true"'
    path = write(
        tmp_path,
        EVENTS,
        group(FIELDS),
        f"<data-handling>{trigger('late', f'number == {number_of(7)}', asks)}</data-handling>",
        writing(file("w.nc", include("w"), 1e9)),
    )
    with Live(Layout(3, 2), path, out, "--asks") as live:
        live.wait_for(lambda: events(out, "checkpointed"))

    kept = events(out, "checkpointed")
    assert len(kept) == 1 and kept[0]["step"] > 7
    assert [one["step"] for one in events(out, "triggered") if one["is_on"]] == [7]


@pytest.mark.parametrize(
    "words, said",
    [
        (["frequency", "w.nc", "1 month"], "a frequency is a model time"),
        (["frequency", "w.nc"], "a frequency is a model time"),
        (["off"], "which file"),
        (["off", "w.nc", "60"], "means nothing"),
        (["of", "w.nc"], "off"),
    ],
)
def test_requests_that_mean_nothing_are_refused(words, said, tmp_path):
    if not (BIN / "pileus").is_file():
        pytest.skip("no program pileus: build it, or set PILEUS_BUILD")
    done = control(tmp_path, *words)

    assert done.returncode != 0 and said in done.stdout + done.stderr
    assert not list(tmp_path.iterdir())


def test_explain_says_which_files_wait_for_triggers(thresholds, tmp_path):
    require_programs()
    path = configured(tmp_path, *thresholds)
    run_described(model_command(Layout(2, 1), path, tmp_path, *OPTIONS), tmp_path)
    done = pileus("explain", path, "--model", tmp_path / "model.json")

    assert done.returncode == 0, done.stderr
    assert 'while trigger "hysteresis" is on' in done.stdout

"""Files that are written while a trigger is on, the model's words, and what follows."""

import netCDF4
import numpy as np
import pytest
from oracle.configured import file, group, include, lengths, number_of, write, writing
from oracle.kills import kill_when
from oracle.launch import (
    Layout,
    environment,
    model_command,
    pileus,
    require_programs,
    run,
    run_described,
    run_model,
)
from oracle.live_runs import Live, events

STEPS = 60
WORDS = (9, 10, 31)
OPTIONS = ("--size", "3,4,5", "--steps", STEPS, *[o for n in WORDS for o in ("--event", f"{n}:look here")])
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
UNTIL = 'until="dt &lt; 2"'
FIELDS = (
    '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
    '<field name="number" data_type="integer"/>'
)
# What max[z,y,x](w) is in the steps of the model is known from a run; the thresholds are its quantiles.
TOP = "max[z,y,x](w)"
EVENTS = '<server-configuration><events file="pileus-events.jsonl"/></server-configuration>'


# How many steps before each trigger a second file of it begins, and how long before one does in time.
BEFORE = {"plain": 3, "hysteresis": 1, "of_number": 10, "word": 7, "never": 5}
BEFORE_S = 10.1


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
            *[
                file(f"{one}_before.nc", include("w", "number"), 0, f'{whole} trigger="{one}" before="{n}"')
                for one, n in BEFORE.items()
            ],
            file(
                "series_{index}.nc",
                include("w", manipulation="instantaneous", every="3"),
                25,
                'trigger="hysteresis"',
            ),
            file(
                "before_{index}.nc",
                include("w", manipulation="instantaneous", every="3"),
                25,
                f'trigger="word" before="{BEFORE_S} s"',
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


def with_those_before(steps, before):
    return [n for n in range(1, STEPS + 1) if any(0 <= step - n <= before for step in steps)]


def test_a_file_begins_before_its_trigger(files, expected):
    every = read(files["every.nc"])

    for name, before in BEFORE.items():
        if name == "never":
            continue
        steps = with_those_before(expected[name], before)
        found = read(files[f"{name}_before.nc"])
        assert len(steps) > len(expected[name]), name
        assert found["number"].tolist() == numbers(steps), name
        assert np.array_equal(found["w"], every["w"][np.array(steps) - 1]), name
        assert np.array_equal(found["time"], every["time"][np.array(steps) - 1]), name
    assert "never_before.nc" not in files


def test_a_series_begins_before_its_trigger(files):
    """Instants every 3 s, a file every 25 s: those of at most so long before a step in which it is on."""
    every = read(files["every.nc"])
    ends = np.concatenate([[0], np.cumsum(lengths(STEPS))])
    instants = [n for n in range(1, STEPS + 1) if n > 1 and ends[n] // 3 > ends[n - 1] // 3]
    on = [n for n in instants if n in WORDS]
    kept = [n for n in instants if any(0 <= ends[s] - ends[n] <= BEFORE_S for s in on)]
    series = [read(path) for name, path in files.items() if name.startswith("before_")]
    found = {time: w for part in series for time, w in zip(part["time"], part["w"], strict=True)}

    assert on and len(kept) > len(on)
    assert all(len(part["time"]) for part in series)
    assert len(found) == sum(len(part["time"]) for part in series) == len(kept)
    for n, when in zip(kept, sorted(found), strict=True):
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
    triggers, wanted, before = [], {}, []
    for n in range(12):
        when, holds = drawn(random, top)
        until, ends = drawn(random, top) if random.integers(2) else (None, ~holds)
        lasts, every = (int(random.integers(1, 40)) if random.integers(2) else 0 for _ in range(2))
        more = f'until="{until.replace("<", "&lt;")}"' if until else ""
        more += (f' lasts="{lasts}"' if lasts else "") + (f' at_most_every="{every}"' if every else "")
        triggers.append(trigger(f"t{n}", when, more))
        steps = steps_of_conditions(holds, ends, Oracle(lasts, every))
        before.append(int(random.integers(1, 20)) if random.integers(2) else 0)
        wanted[f"t{n}.nc"] = with_those_before(steps, before[n])
    path = write(
        tmp_path,
        group(FIELDS + '<field name="dt" units="s"/>'),
        f"<data-handling>{''.join(triggers)}</data-handling>",
        writing(
            *[
                file(
                    f"t{n}.nc",
                    include("number"),
                    0,
                    f'write_on_terminate="true" trigger="t{n}"' + (f' before="{steps}"' if steps else ""),
                )
                for n, steps in enumerate(before)
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


def test_explain_says_which_files_wait_for_triggers(thresholds, tmp_path):
    require_programs()
    path = configured(tmp_path, *thresholds)
    run_described(model_command(Layout(2, 1), path, tmp_path, *OPTIONS), tmp_path)
    done = pileus("explain", path, "--model", tmp_path / "model.json")

    assert done.returncode == 0, done.stderr
    assert 'while trigger "hysteresis" is on' in done.stdout
    assert 'while trigger "of_number" is on, from 10 steps before its trigger on:' in done.stdout
    assert 'while trigger "word" is on, from 10.1 s before its trigger on:' in done.stdout

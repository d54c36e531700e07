"""Objects that are followed from step to step: those of SciPy, matched by an implementation of its own."""

import netCDF4
import numpy as np
import pytest
from oracle.cf_checker import ERRORS, OF_RAGGED_ARRAYS, complaints
from oracle.launch import BIN, SERVER, mpi_command, pileus, run
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

MODEL = BIN / "pileus_tracks_model"
FILL = netCDF4.default_fillvals["f8"]
STEPS, MOST = 12, 60
OF_TRACKS = ("identity", "age", "begun", "parent", "merged")
OF_ENDS = ("identity", "lifetime", "into")
# What is followed, and how: the condition and the parameters of the operators.
WAYS = {
    "plain": ("y,x", "a > 0.3", ""),
    "periodic": ("x,y", "w > 0.3", ", periodic='x,y'"),
    "corners": ("y,x", "w > 0.5", ", corners=true, periodic='x'"),
    "volume": ("z,y,x", "w > 0.4", ""),
    "upright": ("z,x", "w > 0.4", ""),
    "holes": ("y,x", "holes", ""),
    "reduced": ("y,x", "mean[z](w) > 0.2", ""),
    "profile": ("x", "profile > 0", ", periodic='x'"),
    "slow": ("y,x", "slow > 0.3", ""),
}
MORE = {
    "clouds": "sum[y,x](label[y,x](a > 0.3, of=start))",
    "sizes": f"objects[y,x](a > 0.3, most={MOST}, table=plain_row)",
    "reduced_sums": f"objects[y,x](mean[z](w) > 0.2, of=sum, value=a, most={MOST}, table=reduced_row)",
    "old": "mean[y,x](track[y,x](a > 0.3, of=age) > 30)",
    "of_labels": "track[y,x](label[y,x](a > 0.3, of=size) > 4)",
    "before": "lag(track[y,x](a > 0.3), 1 step)",
    "late": "track[y,x](a > 0.3)",
}
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="a" size="x,y" collective="true"/>
    <field name="w" size="x,y,z" collective="true"/>
    <field name="holes" size="x,y,z" collective="true" missing_value="-999"/>
    <field name="profile" size="x" parts="same"/>
  </data-definition>
  <data-definition name="seldom" frequency="3">
    <field name="slow" size="x,y" collective="true"/>
  </data-definition>
  <data-handling>
{diagnostics}
  </data-handling>
  <data-writing>
    <file name="tracks.nc" write_time_frequency="0" write_on_terminate="true">
{fast}
    </file>
    <file name="slow.nc" write_time_frequency="0" write_on_terminate="true">
{slow}
    </file>
    <file name="late.nc" write_time_frequency="0" write_on_terminate="true">
      <include field="late" time_manipulation="instantaneous" output_frequency="40"/>
    </file>
  </data-writing>
</io-configuration>
"""


def expressions():
    made = {}
    for way, (dimensions, condition, more) in WAYS.items():
        for what in OF_TRACKS[:-1]:
            made[f"{way}_{what}"] = f"track[{dimensions}]({condition}{more}, of={what})"
        tables = f"most={MOST}, table={way}_row"
        for what in OF_TRACKS:
            made[f"{way}_row_{what}"] = f"tracks[{dimensions}]({condition}{more}, of={what}, {tables})"
        for what in OF_ENDS:
            made[f"{way}_end_{what}"] = f"track_ends[{dimensions}]({condition}{more}, of={what}, {tables})"
    return {**made, **MORE}


EXPRESSIONS = expressions()


def start(directory, ranks, servers, cuts, seed=1, *arguments):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(exist_ok=True)
    diagnostics = "\n".join(
        f'    <diagnostic field="{name}" expression="{text}"/>' for name, text in EXPRESSIONS.items()
    )

    def includes(names):
        return "\n".join(f'      <include field="{name}" time_manipulation="none"/>' for name in names)

    slow = ["slow", *(name for name in EXPRESSIONS if name.startswith("slow"))]
    fast = [name for name in EXPRESSIONS if name not in slow]
    text = CONFIGURATION.replace("{diagnostics}", diagnostics).replace("{slow}", includes(slow))
    text = text.replace("{fast}", includes(["a", "w", "holes", "profile", *fast]))
    (directory / "run.xml").write_text(text)
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = mpi_command((ranks, [MODEL, "run.xml", cuts, seed, *arguments]), *server)
    return run(["env", "-C", directory, *command], f"{ranks} {servers} {cuts} {seed} {arguments}")


def published(directory, *layout):
    """The bytes of each file of a run."""
    done = start(directory, *layout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    return {path.name: path.read_bytes() for path in sorted(directory.glob("*.nc"))}


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1, 1)


def components(inside, axes, corners, periodic):
    """By element: the number of the first element of its object, in all of the array, or -1."""
    shape, n = inside.shape, inside.size
    numbers = np.arange(n).reshape(shape)
    ends = []
    for offset in np.ndindex(*(3,) * len(axes)):
        steps = np.array(offset) - 1
        moves = np.abs(steps).sum()
        if moves == 0 or (moves > 1 and not corners):
            continue
        there, other = inside.copy(), numbers
        for axis, step in zip(axes, steps, strict=True):
            other = np.roll(other, -step, axis)
            there = there & np.roll(inside, 0, axis)
            if step and axis not in periodic:
                edge = [slice(None)] * len(shape)
                edge[axis] = -1 if step > 0 else 0
                there[tuple(edge)] = False
        there &= inside.ravel()[other]
        ends.append((numbers[there], other[there]))
    rows, columns = (np.concatenate(one) for one in zip(*ends, strict=True))
    _, labels = connected_components(coo_matrix((np.ones(rows.size), (rows, columns)), (n, n)), False)
    first = np.full(labels.max() + 1, n)
    np.minimum.at(first, labels, np.arange(n))
    return np.where(inside, first[labels].reshape(shape), -1)


class Followed:
    """Tracks of one space: arrays of identities, and rows by step."""

    def __init__(self):
        self.next, self.known, self.cells, self.time = 1, {}, None, None

    def step(self, labels, time):
        """``labels``: by element the object's first one, or -1. Returns objects and what has ended."""
        objects = [one for one in np.unique(labels) if one >= 0]
        common = {}
        if self.cells is not None:
            both = (labels >= 0) & (self.cells > 0)
            pairs, counts = np.unique(np.stack([labels[both], self.cells[both]]), axis=1, return_counts=True)
            common = {(int(o), int(i)): int(n) for (o, i), n in zip(pairs.T, counts, strict=True)}
        origin = {}
        for one in objects:
            parts = sorted((-n, i) for (o, i), n in common.items() if o == one)
            if parts:
                origin[one] = (parts[0][1], -parts[0][0])
        now, split = {}, {}
        for identity, track in self.known.items():
            heirs = sorted((-n, one) for one, (i, n) in origin.items() if i == identity)
            for _, one in heirs[:1]:
                now[one] = {**track, "identity": identity, "merged": 0}
            split |= {one: identity for _, one in heirs[1:]}
        for one in objects:
            if one not in now:
                now[one] = {"identity": self.next, "begun": time, "parent": split.get(one, 0), "merged": 0}
                self.next += 1
        ends, alive = [], {track["identity"] for track in now.values()}
        for identity, track in sorted(self.known.items()):
            if identity in alive:
                continue
            heirs = sorted((-n, o) for (o, i), n in common.items() if i == identity)
            into = now[heirs[0][1]]["identity"] if heirs else 0
            if heirs:
                now[heirs[0][1]]["merged"] += 1
            ends.append({"identity": identity, "lifetime": self.time - track["begun"], "into": into})
        rows = [{**now[one], "age": time - now[one]["begun"]} for one in objects]
        self.known = {row["identity"]: {"begun": row["begun"], "parent": row["parent"]} for row in rows}
        self.cells = np.zeros(labels.shape, int)
        fields = {what: np.zeros(labels.shape) for what in OF_TRACKS[:-1]}
        for one, row in zip(objects, rows, strict=True):
            self.cells[labels == one] = row["identity"]
            for what in fields:
                fields[what][labels == one] = row[what]
        self.time = time
        return rows, ends, fields


def conditions(numbers):
    w = numbers["w"]
    holes = np.where(numbers["holes"] == FILL, 0, numbers["holes"])
    return {
        "plain": numbers["a"] > 0.3,
        "periodic": w > 0.3,
        "corners": w > 0.5,
        "volume": w > 0.4,
        "upright": w > 0.4,
        "holes": holes != 0,
        "reduced": w.mean(1) > 0.2,
        "profile": numbers["profile"] > 0,
        "slow": numbers["slow"] > 0.3,
    }


def check(numbers, times, slow_times):
    """Compares all that is followed with the same by SciPy and NumPy; tells how much of each there was."""
    seen = dict.fromkeys(("split", "merged", "vanished", "old", "several"), 0)
    for way, inside in conditions(numbers).items():
        dimensions, _, more = WAYS[way]
        order = ("z", "y", "x")[3 - (inside.ndim - 1) :] if way != "profile" else ("x",)
        axes = [order.index(name) for name in dimensions.split(",")]
        wrapping = more.partition("'")[2].partition("'")[0].split(",")
        periodic = [order.index(name) for name in wrapping if name]
        spaces = [slice(None) if d in axes else None for d in range(len(order))]
        others = [inside.shape[1 + d] for d in range(len(order)) if d not in axes]
        for other in np.ndindex(*others):
            picks = iter(other)
            at = tuple(slice(None) if one is not None else next(picks) for one in spaces)
            followed = Followed()
            local = [sorted(axes).index(axis) for axis in sorted(axes)]
            wraps = [sorted(axes).index(axis) for axis in periodic]
            for time, seconds in enumerate(slow_times if way == "slow" else times):
                labels = components(inside[time][at], local, "corners=true" in more, wraps)
                rows, ends, fields = followed.step(labels, seconds)
                for what, field in fields.items():
                    assert np.array_equal(numbers[f"{way}_{what}"][time][at], field), (way, time, what)
                for kind, whats, found in (("row", OF_TRACKS, rows), ("end", OF_ENDS, ends)):
                    for what in whats:
                        values = numbers[f"{way}_{kind}_{what}"][time][other]
                        expected = [row[what] for row in found] + [FILL] * (MOST - len(found))
                        assert values.tolist() == expected, (way, time, other, kind, what)
                seen["split"] += sum(row["parent"] > 0 for row in rows)
                seen["merged"] += sum(end["into"] > 0 for end in ends)
                seen["vanished"] += sum(end["into"] == 0 for end in ends)
                seen["old"] += sum(row["age"] > 40 for row in rows)
                seen["several"] += len(rows) > 2
    return seen


def read(files):
    numbers = {}
    for name in ("tracks.nc", "slow.nc"):
        with netCDF4.Dataset("memory", memory=files[name]) as file:
            file.set_auto_mask(False)
            numbers |= {one: np.asarray(file[one][:], np.float64) for one in file.variables if one != "time"}
            times = [one for one in file.variables if one.startswith("time") and file[one].ndim == 1]
            numbers[name] = np.asarray(file[times[0]][:], np.float64)
    return numbers


def test_objects_are_followed_as_an_implementation_of_its_own_follows_them(by_one):
    numbers = read(by_one)
    seen = check(numbers, numbers["tracks.nc"], numbers["slow.nc"])

    assert len(numbers["tracks.nc"]) == STEPS and len(set(np.diff(numbers["tracks.nc"]))) > 2
    assert 2 < len(numbers["slow.nc"]) < 6
    assert min(seen.values()) > 20, seen


def test_what_is_followed_is_a_value_like_any_other(by_one):
    numbers = read(by_one)
    rows = numbers["plain_row_identity"] != FILL
    assert np.array_equal(rows.sum(1), numbers["clouds"])
    assert np.array_equal(numbers["sizes"] != FILL, rows)
    for time, inside in enumerate(numbers["w"].mean(1) > 0.2):
        labels = components(inside, [0, 1], False, [])
        sums = [numbers["a"][time][labels == one].sum() for one in np.unique(labels[labels >= 0])]
        assert np.allclose(numbers["reduced_sums"][time][: len(sums)], sums, rtol=1e-13)
        assert (numbers["reduced_sums"][time][len(sums) :] == FILL).all()
    assert np.allclose(numbers["old"], (numbers["plain_age"] > 30).mean((1, 2)), rtol=1e-14)
    assert np.array_equal(numbers["before"][1:], numbers["plain_identity"][:-1])
    assert (numbers["before"][0] == FILL).all()
    large = numbers["of_labels"] > 0
    assert large.any() and (large <= (numbers["plain_identity"] > 0)).all()


def test_objects_are_followed_at_each_hand_over_whatever_is_written(by_one):
    with netCDF4.Dataset("memory", memory=by_one["late.nc"]) as file:
        late, times = np.asarray(file["late"][:]), np.asarray(file["time"][:])
    numbers = read(by_one)
    assert 1 < len(times) < STEPS
    for time, value in zip(times, late, strict=True):
        (step,) = np.flatnonzero(numbers["tracks.nc"] == time)
        assert np.array_equal(value, numbers["plain_identity"][step])


def ragged(directory, files, *options):
    paths = []
    for number, content in enumerate(files):
        paths.append(directory / f"part_{number}.nc")
        paths[-1].write_bytes(content)
    made = directory / "ragged.nc"
    return made, pileus("tracks", *paths, "-o", made, "--identity", "plain_row_identity", *options)


def test_tables_become_a_contiguous_ragged_array_with_lifetimes(tmp_path, by_one):
    numbers = read(by_one)
    ends = ("--ended", "plain_end_identity", "--into", "plain_end_into")
    made, done = ragged(tmp_path, [by_one["tracks.nc"]], *ends, "--coordinates", "plain_row_begun")
    assert done.returncode == 0, done.stdout + done.stderr

    # The fields have no units.
    found = complaints(made, tmp_path / "report.json", (ERRORS,), OF_RAGGED_ARRAYS)
    assert [one for _, all_of_it in found for one in all_of_it if "units" not in one] == []
    identity, times = numbers["plain_row_identity"], numbers["tracks.nc"]
    expected = {}
    for time, rows in enumerate(identity):
        for row, one in enumerate(rows[rows != FILL]):
            expected.setdefault(int(one), []).append((time, row))
    into = dict(zip(numbers["plain_end_identity"].ravel(), numbers["plain_end_into"].ravel(), strict=True))
    with netCDF4.Dataset(made) as file:
        assert file.featureType == "trajectory" and file.Conventions.startswith("CF-1")
        assert file["trajectory"].cf_role == "trajectory_id"
        assert file["row_size"].sample_dimension == "obs"
        assert file["plain_row_age"].coordinates == "time plain_row_begun"
        assert "coordinates" not in file["plain_row_begun"].ncattrs()
        assert file["trajectory"][:].tolist() == sorted(expected)
        assert file["row_size"][:].tolist() == [len(expected[one]) for one in sorted(expected)]
        places = [place for one in sorted(expected) for place in expected[one]]
        assert file["time"].units == "s" or file["time"].units.startswith("seconds since")
        assert file["time"][:].tolist() == [times[time] for time, _ in places]
        for what in ("age", "begun", "parent", "merged"):
            name = f"plain_row_{what}"
            assert file[name][:].tolist() == [numbers[name][place] for place in places], name
        assert file["sizes"][:].tolist() == [numbers["sizes"][place] for place in places]
        last = {one: times[expected[one][-1][0]] for one in expected}
        lifetimes = [last[one] - times[expected[one][0][0]] for one in sorted(expected)]
        assert file["lifetime"][:].tolist() == lifetimes
        assert file["has_ended"][:].tolist() == [last[one] < times[-1] for one in sorted(expected)]
        assert file["into"][:].filled(FILL).tolist() == [into.get(one, FILL) for one in sorted(expected)]
        gone, lives = (numbers[f"plain_end_{what}"].ravel() for what in ("identity", "lifetime"))
        told = dict(zip(gone, lives, strict=True))
        found = dict(zip(sorted(expected), lifetimes, strict=True))
        assert len(told) > 5 and all(told[one] == found[one] for one in told if one != FILL)


def test_ragged_arrays_name_what_does_not_fit(tmp_path, by_one):
    tracks, slow = by_one["tracks.nc"], by_one["slow.nc"]
    for files, options, said in (
        ([tracks, tracks], (), "name each file once, in the order of time"),
        ([slow], (), "plain_row_identity"),
        ([tracks], ("--coordinates", "x"), 'there is no "x" in the table'),
        ([tracks], ("--ended", "plain_end_identity"), "--into"),
    ):
        made, done = ragged(tmp_path, files, *options)
        assert done.returncode not in (0, 1) and said in done.stderr, done.stdout + done.stderr
        assert not made.exists()
    made = tmp_path / "three_dimensional.nc"
    (tmp_path / "t.nc").write_bytes(tracks)
    done = pileus("tracks", tmp_path / "t.nc", "-o", made, "--identity", "periodic_row_identity")
    assert done.returncode == 2 and "slice one out" in done.stderr


def parts_of(directory, content, cuts, change=None):
    """A file cut along time, as a series of files has its records; `change`: made of the last one."""
    source = directory / "all.nc"
    source.write_bytes(content)
    made = []
    with netCDF4.Dataset(source) as whole:
        whole.set_auto_mask(False)
        for number, records in enumerate(cuts):
            made.append(directory / f"cut_{number}.nc")
            with netCDF4.Dataset(made[-1], "w") as file:
                file.setncatts({name: whole.getncattr(name) for name in whole.ncattrs()})
                for name, dimension in whole.dimensions.items():
                    file.createDimension(name, None if dimension.isunlimited() else dimension.size)
                for name, variable in whole.variables.items():
                    attributes = {one: variable.getncattr(one) for one in variable.ncattrs()}
                    fill = attributes.pop("_FillValue", None)
                    copy = file.createVariable(name, variable.dtype, variable.dimensions, fill_value=fill)
                    copy.setncatts(attributes)
                    is_record = variable.ndim > 0 and whole.dimensions[variable.dimensions[0]].isunlimited()
                    copy[:] = variable[records] if is_record else variable[:]
                if number == len(cuts) - 1 and change:
                    change(file)
    return [one.read_bytes() for one in made]


def test_ragged_arrays_of_several_files_are_those_of_one_run(tmp_path, by_one):
    tracks = by_one["tracks.nc"]
    with netCDF4.Dataset("memory", memory=tracks) as file:
        times = next(len(one) for one in file.dimensions.values() if one.isunlimited())
    first, second = slice(0, times // 2), slice(times // 2, times)
    one, done = ragged(tmp_path, [tracks])
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(one) as file:
        expected = {name: np.asarray(file[name][:]) for name in file.variables}

    def by_other_programs(file):
        file.history = "Sun Nov 29 00:00:00 2026: ncks -O a.nc b.nc\n" + file.history

    made, done = ragged(tmp_path, parts_of(tmp_path, tracks, [first, second], by_other_programs))
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(made) as file:
        for name, values in expected.items():
            assert np.array_equal(np.asarray(file[name][:]), values), name
    made.unlink()

    def of_another_run(file):
        file.history = "1" + file.history

    def begun_anew(file):
        rows = file["plain_row_identity"]
        values = rows[:]
        known = np.unique(values.compressed())
        assert known[-1] > len(known)
        rows[:] = np.ma.array(np.searchsorted(known, values.filled(0)) + 1, mask=values.mask)

    for cuts, change, said in (
        ([first, second], of_another_run, "it is of another run than the files before"),
        ([first, second], begun_anew, "with identities that others had before"),
        ([second, first], None, "name each file once, in the order of time"),
    ):
        made, done = ragged(tmp_path, parts_of(tmp_path, tracks, cuts, change))
        assert done.returncode == 2 and said in done.stderr, done.stdout + done.stderr
        assert "part_1.nc: " in done.stderr and not made.exists()


@pytest.mark.parametrize("seed", range(2, 6))
def test_random_objects_are_followed(tmp_path, seed):
    numbers = read(published(tmp_path / "run", 2, 1, 2, seed))
    check(numbers, numbers["tracks.nc"], numbers["slow.nc"])


@pytest.mark.parametrize(
    "ranks, servers, cuts",
    [(2, 0, 2), (3, 2, 1), (4, 1, 2), (6, 3, 2), (3, 2, -1), (2, 3, -1), (5, 2, -2), (4, 0, -2), (1, 0, 1)],
)
def test_the_layout_changes_no_bit(tmp_path, by_one, ranks, servers, cuts):
    assert published(tmp_path / "run", ranks, servers, cuts) == by_one


@pytest.mark.parametrize("step", [3, 7])
@pytest.mark.parametrize("servers, cuts, again", [(0, 2, -2), (2, 2, -1), (1, -1, 3), (3, -2, 2)])
def test_a_killed_run_goes_on_in_another_layout(tmp_path, by_one, servers, cuts, again, step):
    killed = start(tmp_path / "run", 4 if cuts != -1 else 3, servers, cuts, 1, step, "die")
    assert killed.returncode != 0
    ranks = 6 if again > 0 else 3
    assert published(tmp_path / "run", ranks, 3 - servers, again, 1, step, "continue") == by_one


@pytest.mark.parametrize(
    "expression, said",
    [
        ("track[y,q](w > 1)", 'no dimension "q"'),
        ("track[y,x](w > 1, of=lifetime)", "lifetime"),
        ("tracks[y,x](w > 1, most=0)", "from 1 to 100000"),
        ("track_ends[y,x](w > 1, of=age)", "age"),
        ("track[y,x](w > 1, periodic='z')", "none of the dimensions of objects"),
        ("track[y,x](land > 0.5)", "never changes"),
    ],
)
def test_mistakes_are_named(tmp_path, expression, said):
    text = CONFIGURATION.replace("{diagnostics}", f'<diagnostic field="late" expression="{expression}"/>')
    land = '<field name="land" size="x,y" static="true"/><field name="profile"'
    text = text.replace('<field name="profile"', land)
    path = tmp_path / "run.xml"
    path.write_text(text.replace("{fast}", "").replace("{slow}", ""))
    checked = pileus("check", path)
    assert checked.returncode == 1 and said in checked.stdout, checked.stdout

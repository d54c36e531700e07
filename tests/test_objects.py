"""Objects that hang together where a condition holds: those of SciPy, whatever the layout."""

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, pileus, run
from scipy import ndimage

MODEL = BIN / "pileus_neighbours_model"
FILL = netCDF4.default_fillvals["f8"]
MOST = 40
EXPRESSIONS = {
    "labels": "label[y,x](w > 0.2)",
    "with_corners": "label[y,x](w > 0.2, corners=true)",
    "periodic": "label[y,x](w > 0.2, periodic='x')",
    "sizes": "label[y,x](w > 0.2, of=size)",
    "number": "sum[y,x](label[y,x](w > 0.2, of=start))",
    "volumes": "label[z,y,x](w > 0.2)",
    "lines": "label[y](w > 0.2)",
    "upright": "label[z,x](t > 0)",
    "table": f"objects[y,x](w > 0.2, most={MOST})",
    "table_labels": f"objects[y,x](w > 0.2, of=label, most={MOST})",
    "table_sums": f"objects[y,x](w > 0.2, of=sum, value=w, most={MOST})",
    "table_means": f"objects[y,x](w > 0.2, of=mean, value=t, most={MOST})",
    "table_largest": f"objects[y,x](w > 0.2, of=maximum, value=w, most={MOST})",
    "few": "objects[y,x](w > 0.2, of=label, most=2, table=pair)",
    "whole": "objects[z,y,x](w > 0.2, most=9, table=body)",
    "in_large_ones": "mean[y,x](w | label[y,x](w > 0.2, of=size) > 3)",
    "globe": "label[lat,lon](ug > 0, periodic='lon')",
    "shell": "shell[y,x](w > 6, 2)",
    "shell_with_corners": "shell[y,x](w > 6, 2, corners=true)",
    "shell_periodic": "shell[x,y](w > 6, 3, periodic='x')",
    "shell_wide": "shell[y,x](w > 9, 100, periodic='x,y')",
    "shell_of_volumes": "shell[z,y,x](w > 8, within=1)",
    "shell_of_cubes": "shell[x,z](w > 8, 2, corners=true, periodic='z')",
    "shell_with_holes": "shell[x](t, within=1)",
    "shell_on_globe": "shell[lat,lon](ug > 8, 2, periodic='lon')",
    "shell_of_profile": "shell[z](profile > 4000, 2)",
    "shell_of_labels": "shell[y,x](label[y,x](w > 0.2, of=size) > 3, 1)",
    "around_clouds": "mean[y,x](t | shell[y,x](w > 6, 2) > 0)",
}
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="x,y,z" collective="true" missing_value="-999.9"/>
    <field name="w" size="x,y,z" collective="true"/>
    <field name="ug" size="lon,lat" collective="true"/>
    <field name="profile" size="z" parts="same"/>
  </data-definition>
  <data-handling>
{diagnostics}
  </data-handling>
  <data-writing>
    <file name="objects.nc" write_time_frequency="8">
{includes}
    </file>
  </data-writing>
</io-configuration>
"""


def published(directory, ranks, servers, cuts):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir()
    diagnostics = "\n".join(
        f'    <diagnostic field="{name}" expression="{text}"/>' for name, text in EXPRESSIONS.items()
    )
    written = ("t", "w", "ug", "profile", *EXPRESSIONS)
    includes = "\n".join(f'      <include field="{name}" time_manipulation="none"/>' for name in written)
    text = CONFIGURATION.replace("{diagnostics}", diagnostics).replace("{includes}", includes)
    (directory / "run.xml").write_text(text)
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = mpi_command((ranks, [MODEL, "run.xml", cuts]), *server)
    done = run(["env", "-C", directory, *command], f"{ranks} {servers} {cuts}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    (file,) = directory.glob("*.nc")
    return file


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1, 1)


@pytest.fixture(scope="module")
def numbers(by_one):
    with netCDF4.Dataset(by_one) as file:
        file.set_auto_mask(False)
        return {name: np.asarray(file[name][:], np.float64) for name in file.variables}


def joined(labels, first, last):
    """Labels where both ends of an axis are neighbours."""
    for at in np.ndindex(*first(labels).shape):
        a, b = first(labels)[at], last(labels)[at]
        if a and b and a != b:
            labels[labels == max(a, b)] = min(a, b)
    return labels


def by_first(labels):
    """Each object by the number of its first element, from 1."""
    flat = labels.ravel()
    out = np.zeros(flat.size)
    for one in np.unique(flat[flat > 0]):
        where = np.flatnonzero(flat == one)
        out[where] = where[0] + 1
    return out.reshape(labels.shape)


def labels_of(inside, structure=None, join=None):
    labels, _ = ndimage.label(inside, structure)
    if join:
        labels = joined(labels, *join)
    return by_first(labels)


ENDS_OF_X = (lambda labels: labels[..., 0], lambda labels: labels[..., -1])


def planes(numbers, name="w", above=0.2):
    w = numbers[name]
    return [(at, w[at] > above) for at in np.ndindex(*w.shape[:2])]


def test_labels_are_those_of_scipy(numbers):
    several = 0
    for at, inside in planes(numbers):
        expected = labels_of(inside)
        several += expected.max() > 1 and len(np.unique(expected)) > 2
        assert np.array_equal(numbers["labels"][at], expected)
        assert np.array_equal(numbers["with_corners"][at], labels_of(inside, np.ones((3, 3))))
        assert np.array_equal(numbers["periodic"][at], labels_of(inside, None, ENDS_OF_X))
        sizes = np.zeros(inside.shape)
        for one in np.unique(expected[expected > 0]):
            sizes[expected == one] = (expected == one).sum()
        assert np.array_equal(numbers["sizes"][at], sizes)
        assert numbers["number"][at] == len(np.unique(expected[expected > 0]))
        large = numbers["w"][at][sizes > 3]
        found = numbers["in_large_ones"][at]
        assert np.isclose(found, large.mean(), rtol=1e-14) if large.size else found == FILL
    assert several


def test_volumes_and_lines_are_those_of_scipy(numbers):
    w, t = numbers["w"], numbers["t"]
    for time in range(len(w)):
        assert np.array_equal(numbers["volumes"][time], labels_of(w[time] > 0.2))
        for z, x in np.ndindex(w.shape[1], w.shape[3]):
            assert np.array_equal(numbers["lines"][time, z, :, x], labels_of(w[time, z, :, x] > 0.2))
        for y in range(w.shape[2]):
            inside = (t[time, :, y] > 0) & (t[time, :, y] != FILL)
            assert np.array_equal(numbers["upright"][time, :, y], labels_of(inside))
        assert np.array_equal(numbers["globe"][time], labels_of(numbers["ug"][time] > 0, None, ENDS_OF_X))


def test_tables_are_those_of_scipy(numbers):
    w, t = numbers["w"], np.where(numbers["t"] == FILL, np.nan, numbers["t"])
    for at, inside in planes(numbers):
        labels = labels_of(inside)
        objects = np.unique(labels[labels > 0])
        members = [labels == one for one in objects]

        def row(take, members=members):
            values = [take(member) for member in members]
            return np.array(values + [np.nan] * (MOST - len(values)))

        def found(name, at=at):
            return np.where(numbers[name][at] == FILL, np.nan, numbers[name][at])

        assert np.array_equal(found("table"), row(np.sum), equal_nan=True)
        assert np.array_equal(found("table_labels")[: len(objects)], objects)
        assert np.allclose(found("table_sums"), row(lambda m, at=at: w[at][m].sum()), 1e-13, 0, True)
        largest = row(lambda m, at=at: w[at][m].max())
        assert np.array_equal(found("table_largest"), largest, equal_nan=True)
        means = row(lambda m, at=at: np.nan if np.isnan(t[at][m]).all() else np.nanmean(t[at][m]))
        assert np.allclose(found("table_means"), means, 1e-6, 0, True)
        few = np.append(objects[:2], [np.nan] * 2)[:2]
        assert np.array_equal(found("few"), few, equal_nan=True)
    for time in range(len(w)):
        labels = labels_of(w[time] > 0.2)
        sizes = [(labels == one).sum() for one in np.unique(labels[labels > 0])][:9]
        assert np.array_equal(numbers["whole"][time][: len(sizes)], sizes)


def shell_of(inside, within, corners=False, periodic=()):
    """What SciPy's dilation adds, in the middle of copies that lie beside each other where it is periodic."""
    copies = [3 if axis in periodic else 1 for axis in range(inside.ndim)]
    structure = ndimage.generate_binary_structure(inside.ndim, inside.ndim if corners else 1)
    wide = ndimage.binary_dilation(np.tile(inside, copies), structure, within)
    sizes = inside.shape
    middle = tuple(slice(n, 2 * n) if copy == 3 else slice(n) for n, copy in zip(sizes, copies, strict=True))
    return wide[middle] & ~inside


def test_shells_are_what_dilation_adds(numbers):
    w, t = numbers["w"], numbers["t"]
    for time in range(len(w)):
        on_globe = shell_of(numbers["ug"][time] > 8, 2, False, [1])
        of_profile = shell_of(numbers["profile"][time] > 4000, 2)
        assert np.array_equal(numbers["shell_of_volumes"][time], shell_of(w[time] > 8, 1))
        assert np.array_equal(numbers["shell_on_globe"][time], on_globe)
        assert np.array_equal(numbers["shell_of_profile"][time], of_profile)
        for y in range(w.shape[2]):
            expected = shell_of(w[time, :, y] > 8, 2, True, [0])
            assert np.array_equal(numbers["shell_of_cubes"][time, :, y], expected)
    for at in np.ndindex(*w.shape[:2]):
        assert np.array_equal(numbers["shell"][at], shell_of(w[at] > 6, 2))
        assert np.array_equal(numbers["shell_with_corners"][at], shell_of(w[at] > 6, 2, True))
        assert np.array_equal(numbers["shell_periodic"][at], shell_of(w[at] > 6, 3, False, [1]))
        assert np.array_equal(numbers["shell_wide"][at], shell_of(w[at] > 9, 100, False, [0, 1]))
        large = numbers["sizes"][at] > 3
        assert np.array_equal(numbers["shell_of_labels"][at], shell_of(large, 1))
        around = t[at][(numbers["shell"][at] > 0) & (t[at] != FILL)]
        assert np.isclose(numbers["around_clouds"][at], around.mean(), rtol=1e-14)
    # What has no value is in no shell, and nothing is around it.
    holes = t == FILL
    assert holes.any() and not numbers["shell_with_holes"].any()


@pytest.mark.parametrize(
    "ranks, servers, cuts", [(2, 0, 2), (3, 2, 1), (4, 1, 2), (6, 3, 2), (3, 2, -1), (4, 3, 0)]
)
def test_the_layout_changes_no_bit(tmp_path, by_one, ranks, servers, cuts):
    assert published(tmp_path / "run", ranks, servers, cuts).read_bytes() == by_one.read_bytes()


@pytest.mark.parametrize(
    "expression, said",
    [
        ("label[y,q](w > 1)", 'no dimension "q"'),
        ("label[y,x](w > 1, periodic='z')", "none of the dimensions of objects"),
        ("label[y,y](w > 1)", "twice"),
        ("objects[y,x](w > 1, of=mean)", "the mean of which value is it?"),
        ("objects[y,x](w > 1, most=0)", "from 1 to 100000"),
        ("shell[y,q](w > 1, 2)", 'no dimension "q"'),
        ("shell[y,x](w > 1, 0)", "from 1 to 1000"),
        ("shell[y,x](w > 1, 1, 2)", "one number from 1 to 1000"),
        ("shell[y,x](w > 1)", "within"),
        ("shell[y,x](w > 1, 2, periodic='z')", "none of the dimensions of objects"),
    ],
)
def test_mistakes_are_named(tmp_path, expression, said):
    text = CONFIGURATION.replace("{diagnostics}", f'<diagnostic field="d" expression="{expression}"/>')
    path = tmp_path / "run.xml"
    path.write_text(text.replace("{includes}", '<include field="d" time_manipulation="none"/>'))
    checked = pileus("check", path)
    assert checked.returncode == 1 and said in checked.stdout, checked.stdout

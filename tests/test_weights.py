"""Files of weights: those of CDO are read as NumPy reads them, and pileus weights makes what CDO makes."""

import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
from oracle.launch import pileus

NX, NY = 12, 6
POINTS = NX * NY
CONFIGURATION = """<io-configuration>
  <data-definition name="constants" frequency="1">
    <field name="nav_lat" size="{points}" collective="true" static="true"/>
    <field name="nav_lon" size="{points}" collective="true" static="true"/>
    <field name="lat_corners" size="corner,{points}" collective="true" static="true"/>
    <field name="lon_corners" size="corner,{points}" collective="true" static="true"/>
    <field name="tmask" data_type="integer" size="{points}" collective="true" static="true"/>
  </data-definition>
  <grid name="ocean" dimensions="{points}" latitude="nav_lat" longitude="nav_lon"
    latitude_bounds="lat_corners" longitude_bounds="lon_corners" mask="tmask"/>
  <grid name="bare" dimensions="{points}" latitude="nav_lat" longitude="nav_lon"/>
</io-configuration>
"""
HIDDEN = [*range(10), 40]


@pytest.fixture(autouse=True)
def cdo():
    if shutil.which("cdo") is None:
        pytest.skip("there is no cdo, which makes weights")


def write_grids(path, dimensions=("y", "x"), **changes):
    """A curvilinear grid whose rows lean, or its cells as a mesh. `changes`: other values of a variable."""
    y, x = np.mgrid[0:NY, 0:NX].astype(float)
    offsets = [(-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5)]

    def latitude(x, y):
        return np.clip(-75 + 30 * y + 0.1 * x, -90, 90)

    def longitude(x, y):
        return 30 * x + 2 * y

    mask = np.ones(POINTS, int)
    mask[HIDDEN] = 0
    values = {
        "nav_lat": latitude(x, y),
        "nav_lon": longitude(x, y),
        "lat_corners": np.stack([latitude(x + b, y + a) for a, b in offsets], -1),
        "lon_corners": np.stack([longitude(x + b, y + a) for a, b in offsets], -1),
        "tmask": mask.reshape(NY, NX),
    }
    shape = (NY, NX) if len(dimensions) == 2 else (POINTS,)
    with netCDF4.Dataset(path, "w") as file:
        for name, size in zip(dimensions, shape, strict=True):
            file.createDimension(name, size)
        file.createDimension("corner", 4)
        for name, array in values.items():
            array = changes.get(name, array)
            if array is None:
                continue
            of_corners = ("corner",) if name.endswith("corners") else ()
            kind = "i4" if name == "tmask" else "f8"
            variable = file.createVariable(name, kind, (*dimensions, *of_corners))
            variable[:] = np.reshape(array, shape + (4,) * len(of_corners))
    return path


@pytest.fixture
def job(tmp_path):
    """Makes weights in a folder with a configuration and its grids."""

    def make(*arguments, grid="ocean", to="r12x6", method="conservative", dimensions=("y", "x"), **grids):
        points = "x,y" if len(dimensions) == 2 else "cell"
        (tmp_path / "run.xml").write_text(CONFIGURATION.replace("{points}", points))
        if grids or not (tmp_path / "grids.nc").exists():
            write_grids(tmp_path / "grids.nc", dimensions, **grids)
        wanted = ["--from", grid, "--to", to, "--method", method]
        return pileus("weights", "run.xml", "--grids", "grids.nc", *wanted, *arguments, cwd=tmp_path)

    return make


def rows_of(path):
    """The links as pileus reads them: target, source, weight."""
    shown = pileus("weights", "--show", path, "--rows")
    assert shown.returncode == 0, shown.stderr
    words = np.array(shown.stdout.split()).reshape(-1, 3)
    return words[:, 0].astype(int), words[:, 1].astype(int), words[:, 2].astype(float)


def made(path, target="r12x6", source=POINTS, method="conservative"):
    """The matrix of what a job made, and the file."""
    file = netCDF4.Dataset(path / f"ocean-to-{target}-{method}.nc")
    matrix = np.zeros((file.dimensions["dst_grid_size"].size, source))
    np.add.at(matrix, (file["dst_address"][:] - 1, file["src_address"][:] - 1), file["remap_matrix"][:, 0])
    return matrix, file


@pytest.mark.parametrize("operator", ["gencon", "genbil", "gennn", "gendis", "genlaf"])
def test_files_of_cdo_are_read_as_numpy_reads_them(operator, tmp_path):
    path = tmp_path / "weights.nc"
    subprocess.run(["cdo", "-s", f"{operator},r36x18", "-topo,r72x36", path], check=True)

    target, source, weight = rows_of(path)

    with netCDF4.Dataset(path) as file:
        addresses = [file[name][:] - 1 for name in ("dst_address", "src_address")]
        expected = sorted(zip(*addresses, file["remap_matrix"][:, 0], strict=True))
    assert list(zip(target, source, weight, strict=True)) == expected
    shown = pileus("weights", "--show", path).stdout
    assert "source: 2592 points (72 x 36)\ntarget: 648 points (36 x 18)\n" in shown


@pytest.mark.parametrize("operator, weights", [("gencon2", 3), ("genbic", 4)])
def test_files_with_gradients_are_refused(operator, weights, tmp_path):
    path = tmp_path / "weights.nc"
    subprocess.run(["cdo", "-s", f"{operator},r36x18", "-topo,r72x36", path], check=True)

    shown = pileus("weights", "--show", path)

    assert shown.returncode == 2
    assert shown.stderr.startswith(f"{path}: it has {weights} weights for each link")


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    path = tmp_path / "weights.nc"
    subprocess.run(["cdo", "-s", "gencon,r36x18", "-topo,r72x36", path], check=True)
    for cut in (8, 4000, 100000):
        path.write_bytes(path.read_bytes()[:-cut])
        shown = pileus("weights", "--show", path)
        assert shown.returncode == 2
        assert "cut off" in shown.stderr


def test_conservative_weights_keep_constants_and_leave_hidden_points_out(job, tmp_path):
    done = job()

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "weights/ocean-to-r12x6-conservative.nc: made\n"
    assert [one.name for one in (tmp_path / "weights").iterdir()] == ["ocean-to-r12x6-conservative.nc"]
    matrix, file = made(tmp_path / "weights")
    sums = matrix.sum(axis=1)
    assert np.allclose(sums[sums > 0], 1, atol=1e-12)
    assert (matrix[:, HIDDEN] == 0).all()
    assert file["src_grid_dims"][:].tolist() == [NX, NY]
    assert file.pileus_method == "conservative" and len(file.pileus_source_hash) == 64


def test_mesh_gets_the_weights_of_the_same_cells_in_rows(job, tmp_path):
    assert job().returncode == 0
    rows, _ = made(tmp_path / "weights")

    write_grids(tmp_path / "grids.nc", ("cell",))
    done = job("--folder", "mesh", dimensions=("cell",))

    assert done.stdout == "mesh/ocean-to-r12x6-conservative.nc: made\n", done.stderr
    assert np.allclose(made(tmp_path / "mesh")[0], rows, atol=1e-14)


def test_weights_are_made_once_and_anew_for_another_grid(job, tmp_path):
    first = job()
    written = (tmp_path / "weights" / "ocean-to-r12x6-conservative.nc").stat()
    again = job()
    kept = (tmp_path / "weights" / "ocean-to-r12x6-conservative.nc").stat()
    mask = np.ones((NY, NX), int)
    other = job(tmask=mask)

    assert first.stdout.endswith(": made\n")
    assert again.stdout == "weights/ocean-to-r12x6-conservative.nc: up to date\n"
    assert (kept.st_ino, kept.st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
    assert other.stdout.endswith(": made anew, as it was of other grids\n")
    assert job(tmask=mask).stdout.endswith(": up to date\n")
    assert (made(tmp_path / "weights")[0][:, HIDDEN] > 0).any()


def test_folder_may_have_any_name(job, tmp_path):
    assert job("--folder", "my weights, of [all] grids").returncode == 0
    assert job("--folder=-ocean").returncode == 0

    assert np.array_equal(made(tmp_path / "my weights, of [all] grids")[0], made(tmp_path / "-ocean")[0])


@pytest.mark.parametrize("kind", ["damaged", "of others"])
def test_what_others_made_is_not_overwritten(kind, job, tmp_path):
    path = tmp_path / "weights" / "ocean-to-r12x6-conservative.nc"
    path.parent.mkdir()
    path.write_bytes(b"CDF")
    if kind == "of others":
        subprocess.run(["cdo", "-s", "-O", "gencon,r12x6", "-topo,r12x6", path], check=True)
    before = path.read_bytes()

    done = job()

    assert done.returncode == 1
    assert "conservative.nc is there and was not made by pileus weights, or is damaged" in done.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize("method", ["nearest", "bilinear", "distance"])
def test_other_methods_need_no_corners(method, job, tmp_path):
    done = job(grid="bare", method=method)

    assert (done.returncode, done.stderr) == (0, "")
    target, _, weight = rows_of(tmp_path / "weights" / f"bare-to-r12x6-{method}.nc")
    assert np.allclose(np.bincount(target, weight, minlength=72), 1)


@pytest.mark.parametrize("name", ["r36x18", "r7x5", "r4x1", "F4", "F32", "hp4", "hp4_nest"])
def test_targets_lie_where_cdo_has_them(name, job, tmp_path):
    done = job(to=name, method="nearest")
    subprocess.run(["cdo", "-s", f"gennn,{name}", "-topo,r72x36", tmp_path / "cdo.nc"], check=True)

    assert (done.returncode, done.stderr) == (0, "")
    with netCDF4.Dataset(tmp_path / "cdo.nc") as expected:
        _, file = made(tmp_path / "weights", name, method="nearest")
        assert file["dst_grid_dims"][:].tolist() == expected["dst_grid_dims"][:].tolist()
        for angle in ("lat", "lon"):
            variable = f"dst_grid_center_{angle}"
            assert np.allclose(file[variable][:], expected[variable][:], rtol=0, atol=1e-13)


def test_targets_lie_between_bounds(job, tmp_path):
    done = job(to="lon=-10:30:0.5, lat=70:35:-0.5", method="nearest")

    assert (done.returncode, done.stderr) == (0, "")
    _, file = made(tmp_path / "weights", "lon_-10_30_0.5_lat_70_35_-0.5", method="nearest")
    assert file["dst_grid_dims"][:].tolist() == [80, 70]
    longitude = np.degrees(file["dst_grid_center_lon"][:].reshape(70, 80))
    latitude = np.degrees(file["dst_grid_center_lat"][:].reshape(70, 80))
    away = (longitude[3] - np.arange(-9.75, 30, 0.5)) % 360
    assert np.allclose(np.minimum(away, 360 - away), 0, atol=1e-12)
    assert np.allclose(latitude[:, 5], np.arange(69.75, 35, -0.5))


def with_value(name, value):
    """One value of a variable is another, at the second point of the third row: point 25."""

    def change(path):
        with netCDF4.Dataset(path, "a") as file:
            file[name][2, 1] = value

    return change


def hide_all(path):
    with netCDF4.Dataset(path, "a") as file:
        file["tmask"][:] = 0


BROKEN = {
    "no corners": (
        {"grid": "bare"},
        None,
        'the grid "bare" names no latitude_bounds and longitude_bounds, the corners of its cells, which '
        "conservative weights need",
    ),
    "latitude": (
        {},
        with_value("nav_lat", 91),
        "its nav_lat lies beyond a pole at point 25: 91.000000 degrees",
    ),
    "corner": (
        {},
        with_value("lat_corners", [0, 0, -95, 0]),
        "its lat_corners lies beyond a pole at point 25: -95.000000 degrees",
    ),
    "nan": ({}, with_value("nav_lon", np.nan), "its nav_lon is no angle at point 25, which no mask hides"),
    "fill": ({}, with_value("nav_lat", 1e30), "its nav_lat is no angle at point 25, which no mask hides"),
    "mask": ({}, hide_all, "its tmask hides all points"),
    "healpix": ({"to": "hp4"}, None, "CDO makes no conservative weights to HEALPix"),
    "second order": ({"method": "conservative2"}, None, "second-order conservative weights of CDO use"),
    "method": ({"method": "conservativ"}, None, 'no method "conservativ"; did you mean "conservative"?'),
    "target": ({"to": "N80"}, None, 'grid "N80": what CDO calls so is the regular Gaussian grid; write F80'),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_input_gives_one_clear_message(case, job, tmp_path):
    arguments, change, expected = BROKEN[case]
    write_grids(tmp_path / "grids.nc")
    if change:
        change(tmp_path / "grids.nc")

    done = job(**arguments)

    assert done.returncode == 1
    assert expected in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.glob("weights/*"))


@pytest.mark.parametrize("name", ["nav_lat", "nav_lon", "lat_corners", "lon_corners", "tmask"])
def test_a_variable_that_is_not_there_is_named(name, job):
    done = job(**{name: None})

    assert done.returncode == 1
    assert done.stderr.endswith(f"grids.nc: it has no variable {name}\n")


def test_grid_without_points_is_refused(job, tmp_path):
    with netCDF4.Dataset(tmp_path / "grids.nc", "w") as file:
        file.createDimension("cell", None)
        for name in ("nav_lat", "nav_lon"):
            file.createVariable(name, "f8", ("cell",))

    done = job(grid="bare", method="nearest", dimensions=("cell",))

    assert done.returncode == 1
    assert done.stderr.endswith("grids.nc: the grid bare has no points\n")


def test_coordinates_of_hidden_points_may_be_anything(job, tmp_path):
    write_grids(tmp_path / "grids.nc")
    with netCDF4.Dataset(tmp_path / "grids.nc", "a") as file:
        for name in ("nav_lat", "nav_lon", "lat_corners", "lon_corners"):
            file[name][0, 0:10] = np.nan  # those that the mask hides

    assert job().stdout.endswith(": made\n")
    assert (made(tmp_path / "weights")[0][:, HIDDEN] == 0).all()


def test_bilinear_weights_of_a_mesh_are_refused(job, tmp_path):
    done = job(method="bilinear", dimensions=("cell",))

    assert done.returncode == 1
    assert "CDO makes bilinear weights of grids with two dimensions alone" in done.stderr


def test_grid_that_the_configuration_does_not_have_is_named(job):
    done = job(grid="ocaen")

    assert done.returncode == 1
    assert done.stderr == 'run.xml: the configuration has no grid "ocaen"; did you mean "ocean"?\n'


def test_without_cdo_it_says_what_to_install(job, tmp_path):
    job(method="nearest")  # writes the configuration
    done = pileus(
        *("weights", "run.xml", "--grids", "grids.nc", "--from", "ocean", "--to", "r12x6"),
        *("--method", "conservative"),
        cwd=tmp_path,
        PILEUS_CDO=str(tmp_path / "no_cdo"),
    )

    assert done.returncode == 2
    assert "cannot be run (No such file or directory): install cdo" in done.stderr


def test_what_cdo_says_is_shown_when_it_fails(job, tmp_path):
    job(method="nearest")
    (tmp_path / "failing").write_text("#!/bin/sh\necho 'gencon (Abort): no luck' >&2\nexit 3\n")
    (tmp_path / "failing").chmod(0o755)
    before = sorted((tmp_path / "weights").iterdir())
    done = pileus(
        *("weights", "run.xml", "--grids", "grids.nc", "--from", "ocean", "--to", "r12x6"),
        *("--method", "conservative"),
        cwd=tmp_path,
        PILEUS_CDO=str(tmp_path / "failing"),
    )

    assert done.returncode == 1
    assert done.stderr.endswith("CDO ended with status 3 and said:\ngencon (Abort): no luck\n")
    assert sorted((tmp_path / "weights").iterdir()) == before


def test_the_users_settings_of_cdo_do_not_change_the_weights(job, tmp_path):
    job()
    expected = made(tmp_path / "weights")[0]
    done = pileus(
        *("weights", "run.xml", "--grids", "grids.nc", "--from", "ocean", "--to", "r12x6"),
        *("--method", "conservative", "--folder", "other"),
        cwd=tmp_path,
        CDO_REMAP_NORM="destarea",
    )

    assert done.returncode == 0, done.stderr
    assert np.array_equal(made(tmp_path / "other")[0], expected)


def test_nothing_to_make_is_said(job, tmp_path):
    job(method="nearest")
    done = pileus("weights", "run.xml", "--grids", "grids.nc", cwd=tmp_path)
    unsaid = pileus("weights", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr == (
        "run.xml: it needs no weights that it does not name; --from, --to and --method say what to make\n"
    )
    assert unsaid.returncode == 2
    assert "an XML file with --grids FILE, or --show FILE, is required" in unsaid.stderr


@pytest.mark.parametrize("content", [None, b"no grids"])
def test_grids_that_cannot_be_read_are_said_once(content, job, tmp_path):
    job(method="nearest")
    if content:
        (tmp_path / "other.nc").write_bytes(content)
    wanted = ["--from", "ocean", "--to", "r12x6", "--method", "nearest"]
    done = pileus("weights", "run.xml", "--grids", "other.nc", *wanted, cwd=tmp_path)

    assert done.returncode == 2
    reason = "it is no netCDF file" if content else "it cannot be opened: No such file or directory"
    assert done.stderr == f"other.nc: {reason}\n"

"""Files on a rotated grid and on a mesh: other readers know the projection and the topology."""

import shutil
import subprocess

import netCDF4
import numpy as np
import pyproj
import pytest
import xarray
from oracle.cf_checker import complaints, without_roles_of_meshes
from oracle.launch import available_mpis, bin_of, mpi_command, pileus, run

NX, NY, STEPS, RADIUS = 12, 8, 4, 6371229.0
PLACES = """
  <data-definition name="state" frequency="1">
    <field name="t" size="{points}" collective="true" units="K" standard_name="air_temperature"
      units_metadata="temperature: on_scale" grid="t"/>
    {more}
  </data-definition>
  <data-definition name="constants" frequency="1">
    <field name="nav_lat" size="{points}" collective="true" static="true" long_name="latitude"/>
    <field name="nav_lon" size="{points}" collective="true" static="true" long_name="longitude"/>
    <field name="lat_corners" size="corner,{points}" collective="true" static="true"/>
    <field name="lon_corners" size="corner,{points}" collective="true" static="true"/>
    <field name="area" size="{points}" collective="true" static="true"/>
    {constants}
  </data-definition>
  <data-writing>
    <file name="maps.nc" title="Maps" write_time_frequency="4">
      <include field="t" time_manipulation="averaged" output_frequency="2"/>
    </file>
    {files}
  </data-writing>"""
POLE = """
  <grid_mapping name="rotated_pole" grid_mapping_name="rotated_latitude_longitude"
    grid_north_pole_latitude="39.25" grid_north_pole_longitude="-162" earth_radius="6371229"/>"""
PLANE = """
  <grid_mapping name="rotated_pole" grid_mapping_name="lambert_conformal_conic" standard_parallel="30, 60"
    longitude_of_central_meridian="10" latitude_of_projection_origin="50" earth_radius="6371229"/>"""
ROTATED = """<io-configuration>
  <dimension name="x" axis="X" {units}/>
  <dimension name="y" axis="Y" {units}/>
  <grid name="t" dimensions="y,x" latitude="nav_lat" longitude="nav_lon" area="area"
    latitude_bounds="lat_corners" longitude_bounds="lon_corners" grid_mapping="rotated_pole"/>{mapping}""" + \
    PLACES.replace("{points}", "x,y") + "\n</io-configuration>\n"
MESH = "<io-configuration>" + PLACES.replace("{points}", "cell") + """
  <grid name="mesh" dimensions="cell" latitude="nav_lat" longitude="nav_lon" area="area"
    latitude_bounds="lat_corners" longitude_bounds="lon_corners"
    face_nodes="cell_nodes" node_latitude="node_lat" node_longitude="node_lon" start_index="0"/>
  <grid name="nodes" dimensions="node" latitude="node_lat" longitude="node_lon" mesh="mesh"/>
</io-configuration>
"""


def rotated(mapping=POLE, units=""):
    return ROTATED.format(mapping=mapping, units=units, more="", constants="", files="")


def mesh():
    return MESH.replace('grid="t"', 'grid="mesh"').format(
        more='<field name="psi" size="node" collective="true" units="1" grid="nodes"/>',
        constants="""
    <field name="cell_nodes" data_type="integer" size="corner,cell" collective="true" static="true"
      missing_value="-1"/>
    <field name="node_lat" size="node" collective="true" static="true" long_name="latitude of the node"/>
    <field name="node_lon" size="node" collective="true" static="true" long_name="longitude of the node"/>""",
        files="""
    <file name="nodes.nc" title="On nodes" write_time_frequency="4">
      <include field="psi" time_manipulation="instantaneous" output_frequency="2"/>
    </file>""")


CONFIGURATIONS = {"rotated": rotated(), "plane": rotated(PLANE, 'units="km"'), "mesh": mesh()}


def start(directory, kind, ranks=3, servers=2):
    """The files of a run by name."""
    mpi = available_mpis()[0]
    programs = [bin_of(mpi) / name for name in ("pileus_grid_model", "pileus-server")]
    for program in programs:
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(exist_ok=True)
    configuration = directory / "run.xml"
    configuration.write_text(CONFIGURATIONS[kind])
    of_model = "unstructured" if kind == "mesh" else "rotated"
    model = (ranks, [programs[0], configuration, of_model, STEPS])
    server = [(servers, [programs[1], configuration])] if servers else []
    done = run(["env", "-C", directory, *mpi_command(model, *server, mpi=mpi)], kind)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path for path in directory.glob("*.nc")}


FILES = {}


@pytest.fixture(scope="module")
def files_of(tmp_path_factory):
    def files(kind):
        if kind not in FILES:
            FILES[kind] = start(tmp_path_factory.mktemp(kind), kind)
        return FILES[kind]

    return files


def cdo(*arguments):
    if shutil.which("cdo") is None:
        pytest.skip("cdo is not installed")
    done = subprocess.run(["cdo", "-s", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    # Without what CDO warns of here, the CF checker would have errors (layout/grid_variables.cpp).
    said = done.stderr.replace("Warning (cdf_set_var): Inconsistent variable definition for area!", "")
    assert "Warning" not in said, said
    return done.stdout


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_the_configuration_is_right(kind, tmp_path):
    (tmp_path / "run.xml").write_text(CONFIGURATIONS[kind])
    said = pileus("check", tmp_path / "run.xml")
    assert (said.returncode, said.stdout.count("\n")) == (0, 1), said.stdout


@pytest.mark.parametrize("kind", CONFIGURATIONS)
@pytest.mark.parametrize(("ranks", "servers"), [(1, 1), (4, 2), (2, 0)])
def test_files_are_the_same_however_the_points_are_held(ranks, servers, kind, files_of, tmp_path):
    others = start(tmp_path / "out", kind, ranks, servers)
    assert sorted(others) == sorted(files_of(kind))
    for name, path in files_of(kind).items():
        assert others[name].read_bytes() == path.read_bytes(), name


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_the_cf_checker_finds_nothing(kind, files_of, tmp_path):
    for path in files_of(kind).values():
        found = complaints(path, tmp_path / "report.json")
        assert (without_roles_of_meshes(found) if kind == "mesh" else found) == []


def test_the_projection_of_a_file_leads_from_its_coordinates_to_its_places(files_of):
    with netCDF4.Dataset(files_of("rotated")["maps_4.nc"]) as maps:
        mapping = maps[maps["t"].grid_mapping]
        assert mapping.shape == () and "_FillValue" not in mapping.ncattrs()
        assert maps["area"].grid_mapping == "rotated_pole"
        for name, expected in (("x", "grid_longitude"), ("y", "grid_latitude")):
            assert (maps[name].standard_name, maps[name].units) == (expected, "degrees")
            assert maps[name].axis == name.upper()
        projection = pyproj.CRS.from_cf({name: mapping.getncattr(name) for name in mapping.ncattrs()})
        sphere = pyproj.CRS.from_cf({"grid_mapping_name": "latitude_longitude", "earth_radius": RADIUS})
        to_sphere = pyproj.Transformer.from_crs(projection, sphere, always_xy=True)
        places = to_sphere.transform(*np.meshgrid(maps["x"][:], maps["y"][:]))
        np.testing.assert_allclose(maps["nav_lon"][:], places[0], atol=1e-9)
        np.testing.assert_allclose(maps["nav_lat"][:], places[1], atol=1e-9)


def test_parameters_are_numbers_in_double_precision(files_of):
    with netCDF4.Dataset(files_of("plane")["maps_4.nc"]) as maps:
        mapping = maps["rotated_pole"]
        np.testing.assert_array_equal(mapping.standard_parallel, [30.0, 60.0])
        assert mapping.earth_radius.dtype == np.float64
        assert maps["x"].standard_name == "projection_x_coordinate" and maps["x"].units == "km"
        assert pyproj.CRS.from_cf(mapping.__dict__).is_projected


def test_xarray_decodes_the_projection(files_of):
    with xarray.open_dataset(files_of("rotated")["maps_4.nc"], decode_coords="all") as maps:
        assert set(maps["t"].coords) >= {"rotated_pole", "nav_lat", "nav_lon", "area", "x", "y"}
        assert maps["t"].encoding["grid_mapping"] == "rotated_pole"


def test_cdo_knows_the_rotated_pole(files_of, tmp_path):
    path = files_of("rotated")["maps_4.nc"]
    said = cdo("sinfon", path)
    assert "mapping : rotated_latitude_longitude" in said and "cellbounds area" in said, said
    described = cdo("griddes", path)
    assert "grid_north_pole_longitude = -162" in described, described
    cdo("remapbil,r36x18", path, tmp_path / "regular.nc")


def test_the_mesh_is_what_ugrid_wants(files_of):
    for name, variable, location in (("maps_4.nc", "t", "face"), ("nodes_4.nc", "psi", "node")):
        with netCDF4.Dataset(files_of("mesh")[name]) as file:
            assert file.Conventions == "CF-1.11 UGRID-1.0"
            assert (file[variable].mesh, file[variable].location) == ("mesh", location)
            topology = file["mesh"]
            assert (topology.cf_role, topology.topology_dimension) == ("mesh_topology", 2)
            x, y = topology.node_coordinates.split()
            assert (file[x].standard_name, file[y].standard_name) == ("longitude", "latitude")
            assert (file[x].units, file[y].units) == ("degrees_east", "degrees_north")
            assert file[x].dimensions == file[y].dimensions == ("node",)
            faces = file[topology.face_node_connectivity]
            assert faces.cf_role == "face_node_connectivity" and faces.dtype == np.int32
            assert faces.start_index == 0 and faces.start_index.dtype == np.int32
            assert faces.dimensions == (topology.face_dimension, "corner")
            assert file[variable].dimensions[-1] == faces.dimensions[0] or location == "node"


def test_nodes_are_the_corners_of_the_cells(files_of):
    with netCDF4.Dataset(files_of("mesh")["maps_4.nc"]) as maps:
        nodes = maps["cell_nodes"][:]
        has_corner = ~np.ma.getmaskarray(nodes)
        assert has_corner.sum(axis=1).tolist() == [3] + [4] * (NX * NY - 1)
        x, y = np.mgrid[0:NX + 1, 0:NY + 1].T.reshape(-1, 2).T
        np.testing.assert_allclose(maps["node_lat"][:], -60 + 15 * y + 0.5 * x, rtol=1e-14)
        for of_node, of_corner in (("node_lat", "lat_corners"), ("node_lon", "lon_corners")):
            expected = maps[of_corner][:].data[has_corner]
            np.testing.assert_array_equal(maps[of_node][:].data[nodes.data[has_corner]], expected)


def test_cdo_knows_the_cells_of_the_mesh(files_of, tmp_path):
    path = files_of("mesh")["maps_4.nc"]
    said = cdo("sinfon", "-selname,t", path)
    assert f"unstructured : points={NX * NY}" in " ".join(said.split()), said
    assert "cellbounds" in said
    cdo("remapcon,r36x18", "-selname,t", path, tmp_path / "regular.nc")


def test_uxarray_reads_the_mesh(files_of):
    uxarray = pytest.importorskip("uxarray")  # not among the requirements: with what it needs it has 1 GB
    path = files_of("mesh")["maps_4.nc"]
    grid = uxarray.open_grid(path)
    assert (grid.n_face, grid.n_node, grid.n_max_face_nodes) == (NX * NY, (NX + 1) * (NY + 1), 4)
    assert grid.n_nodes_per_face.values.tolist() == [3] + [4] * (NX * NY - 1)
    data = uxarray.open_dataset(path, path)
    assert data["t"].uxgrid.n_face == NX * NY and data["t"].dims[-1] == "n_face"

"""The whole way of regridding: a first run writes its grid, CDO makes weights, the next run writes maps."""

import shutil

import netCDF4
import numpy as np
import pytest
from oracle.cf_checker import ERRORS, complaints
from oracle.launch import available_mpis, bin_of, mpi_command, pileus, run

NX, NY, STEPS = 12, 8, 4
FILL = netCDF4.default_fillvals["f8"]
pytestmark = pytest.mark.skipif(shutil.which("cdo") is None, reason="no cdo")
MAPS = {
    "t_map": "regrid(t, to=map)",
    "t_near": "regrid(t, to=hp4, method=nearest)",
    "t_band": "mean[lon](t_map)",
    "t_alike": "mean[lat,lon](t_map)",
}
CONFIGURATION = """<io-configuration>
  <grid name="ocean" dimensions="{points}" latitude="nav_lat" longitude="nav_lon"
    latitude_bounds="lat_corners" longitude_bounds="lon_corners" area="area" mask="tmask"/>
  <grid name="map" cells="r18x12"/>
  <data-definition name="state" frequency="1">
    <field name="t" size="{points}" collective="true" units="K" grid="ocean"/>
  </data-definition>
  <data-definition name="constants" frequency="1">
    <field name="nav_lat" size="{points}" collective="true" static="true"/>
    <field name="nav_lon" size="{points}" collective="true" static="true"/>
    <field name="lat_corners" size="corner,{points}" collective="true" static="true"/>
    <field name="lon_corners" size="corner,{points}" collective="true" static="true"/>
    <field name="area" size="{points}" collective="true" static="true"/>
    <field name="tmask" data_type="integer" size="{points}" collective="true" static="true" units="1"/>
  </data-definition>
  <data-handling>
    {diagnostics}
  </data-handling>
  <data-writing>
    <file name="{name}.nc" title="Regridded" write_time_frequency="4">
      {includes}
    </file>
  </data-writing>
</io-configuration>
"""


def configuration(kind, name, expressions):
    diagnostics = "\n".join(
        f'<diagnostic field="{name}" expression="{text}" units="K"/>' for name, text in expressions.items()
    )
    written = "\n".join(f'<include field="{d}" time_manipulation="none"/>' for d in ["t", *expressions])
    return CONFIGURATION.format(
        points="cell" if kind == "unstructured" else "x,y",
        diagnostics=diagnostics,
        includes=written,
        name=name,
    )


def start(directory, kind, name, ranks, servers):
    mpi = available_mpis()[0]
    model, server = bin_of(mpi) / "pileus_grid_model", bin_of(mpi) / "pileus-server"
    if not model.is_file():
        pytest.skip(f"no program {model}: build it, or set PILEUS_BUILD")
    pair = [(servers, [server, f"{name}.xml"])] if servers else []
    command = mpi_command((ranks, [model, f"{name}.xml", kind, STEPS]), *pair, mpi=mpi)
    return run(["env", "-C", directory, *command], f"{kind} {name} {ranks} {servers}")


@pytest.fixture(scope="module", params=["curvilinear", "unstructured"])
def made(request, tmp_path_factory):
    """A folder with the weights that CDO has made of the grid that a first run wrote."""
    kind, directory = request.param, tmp_path_factory.mktemp(request.param)
    (directory / "first.xml").write_text(configuration(kind, "first", {}))
    (directory / "run.xml").write_text(configuration(kind, "run", MAPS))
    done = start(directory, kind, "first", 2, 1)
    assert done.returncode == 0, done.stdout + done.stderr
    (grids,) = directory.glob("first*.nc")
    said = pileus("weights", "run.xml", "--grids", grids.name, cwd=directory)
    assert said.returncode == 0, said.stderr
    assert sorted(path.name for path in (directory / "weights").iterdir()) == [
        "ocean-to-hp4-nearest.nc",
        "ocean-to-map-conservative.nc",
    ]
    return kind, directory


def maps(made, folder, ranks, servers):
    kind, directory = made
    shutil.copytree(directory, folder)
    done = start(folder, kind, "run", ranks, servers)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = folder.glob("run*.nc")
    return file


def applied(path, values):
    with netCDF4.Dataset(path) as file:
        size = int(file["dst_grid_dims"][:].prod())
        total, has_links = np.zeros((len(values), size)), np.zeros(size, bool)
        order = np.lexsort((file["src_address"][:], file["dst_address"][:]))
        for link in order:
            target, source = int(file["dst_address"][link]) - 1, int(file["src_address"][link]) - 1
            total[:, target] += float(file["remap_matrix"][link, 0]) * values[:, source]
            has_links[target] = True
    return np.where(has_links, total, FILL)


def test_maps_are_those_of_the_weights_whatever_the_layout(made, tmp_path):
    _, directory = made
    first = maps(made, tmp_path / "first", 1, 1)

    with netCDF4.Dataset(first) as file:
        file.set_auto_mask(False)
        t = file["t"][:].reshape(STEPS, -1)
        expected = applied(directory / "weights/ocean-to-map-conservative.nc", t)
        near = applied(directory / "weights/ocean-to-hp4-nearest.nc", t)
        assert (expected == FILL).any() and (expected != FILL).any()
        assert np.array_equal(file["t_map"][:].reshape(STEPS, -1), expected)
        assert np.array_equal(file["t_near"][:].reshape(STEPS, -1), near)
        # Cells between circles of latitude have other areas, and here count alike.
        assert "area" not in file["t_alike"].cell_methods
        assert not hasattr(file["t_map"], "coordinates") and hasattr(file["t"], "coordinates")
    assert complaints(first, tmp_path / "report.json", [ERRORS]) == []
    for number, (ranks, servers) in enumerate([(2, 1), (5, 3), (3, 0)]):
        other = maps(made, tmp_path / str(number), ranks, servers)
        assert other.read_bytes() == first.read_bytes(), (ranks, servers)


def test_weights_of_another_grid_are_refused(made, tmp_path):
    kind, directory = made
    folder = tmp_path / "run"
    shutil.copytree(directory, folder)
    with netCDF4.Dataset(folder / "weights/ocean-to-map-conservative.nc", "a") as file:
        file["src_grid_center_lat"][50] += np.radians(0.01)

    done = start(folder, kind, "run", 3, 2)

    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "ocean-to-map-conservative.nc: these are weights of another grid: a point" in said
    assert 'make them anew with "pileus weights"' in said

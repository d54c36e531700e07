"""Files with grids in the forms that others write them: CF, SCRIP, UGRID."""

import netCDF4
import numpy as np

NX, NY = 7, 5


def attributes(variable, **values):
    variable.setncatts(values)


def curved(b=0.0, a=0.0):
    """Latitude and longitude of a grid that leans, at an offset in cells."""
    y, x = np.mgrid[0:NY, 0:NX].astype(float)
    return -60 + 25 * (y + a) + 0.3 * (x + b), 20 + 40 * (x + b) + 3 * (y + a)


CORNERS = [curved(b, a) for a, b in [(-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5)]]
BOUNDS = [np.stack([corner[i] for corner in CORNERS], -1) for i in (0, 1)]


def write_places(file, dimensions, has_bounds=True, names=("nav_lat", "nav_lon")):
    shape = (NY, NX) if len(dimensions) == 2 else (NY * NX,)
    for name, size in zip(dimensions, shape, strict=True):
        file.createDimension(name, size)
    file.createDimension("nv", 4)
    for i, (name, units) in enumerate(zip(names, ("degrees_north", "degrees_east"), strict=True)):
        variable = file.createVariable(name, "f8", dimensions)
        variable[:] = curved()[i].reshape(shape)
        attributes(variable, units=units)
        if has_bounds:
            attributes(variable, bounds=name + "_b")
            file.createVariable(name + "_b", "f8", (*dimensions, "nv"))[:] = BOUNDS[i].reshape(*shape, 4)


def write_regular(file):
    for name, values, units in (
        ("lat", np.arange(80, -81, -20.0), "degrees_north"),
        ("lon", np.arange(15, 360, 30.0), "degrees_east"),
    ):
        file.createDimension(name, len(values))
        variable = file.createVariable(name, "f8", (name,))
        variable[:] = values
        attributes(variable, units=units, standard_name={"lat": "latitude", "lon": "longitude"}[name])


def write_scrip(file):
    file.createDimension("grid_size", NY * NX)
    file.createDimension("grid_corners", 4)
    file.createDimension("grid_rank", 2)
    file.createVariable("grid_dims", "i4", ("grid_rank",))[:] = [NX, NY]
    for i, name in enumerate(("lat", "lon")):
        centre = file.createVariable(f"grid_center_{name}", "f8", ("grid_size",))
        corner = file.createVariable(f"grid_corner_{name}", "f8", ("grid_size", "grid_corners"))
        centre[:], corner[:] = np.radians(curved()[i].ravel()), np.radians(BOUNDS[i].reshape(-1, 4))
        for variable in (centre, corner):
            attributes(variable, units="radians")


NODES = ([-80.0, -80, 0, 0, 80, 80, 5], [300.0, 350, 300, 350, 300, 350, 50])  # latitudes, longitudes
FACES = [[0, 1, 3, 2], [2, 3, 5, 4], [1, 6, 3, None]]  # two quadrilaterals and a triangle


def write_mesh(file, has_centres=False):
    file.createDimension("node", 7)
    file.createDimension("face", 3)
    file.createDimension("four", 4)
    mesh = file.createVariable("mesh", "i4", ())
    attributes(mesh, cf_role="mesh_topology", topology_dimension=np.int32(2), node_coordinates="nx ny")
    attributes(mesh, face_node_connectivity="nodes_of_faces")
    faces = file.createVariable("nodes_of_faces", "i4", ("face", "four"), fill_value=-1)
    faces[:] = [[-1 if node is None else node + 1 for node in face] for face in FACES]
    attributes(faces, start_index=np.int32(1))
    for i, (name, units) in enumerate((("ny", "degrees_north"), ("nx", "degrees_east"))):
        variable = file.createVariable(name, "f8", ("node",))
        variable[:] = NODES[i]
        attributes(variable, units=units)


WRITE = {
    "regular": write_regular,
    "curved": lambda file: write_places(file, ("eta", "xi")),
    "points": lambda file: write_places(file, ("ncells",), has_bounds=False),
    "scrip": write_scrip,
    "mesh": write_mesh,
}


def write(path, how):
    with netCDF4.Dataset(path, "w") as file:
        how(file)
    return path

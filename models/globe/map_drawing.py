"""Files of the globe, and maps of what is in them, on the grids of the model or on a regular one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "demo"))

import netCDF4  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402
from numbered_files import MissingOutput  # noqa: E402

DAY = 86400.0
LAND = "0.75"


class Output:
    """One file of the run."""

    def __init__(self, directory, name):
        path = Path(directory) / name
        if not path.exists():
            raise MissingOutput(f"no file {path}: has the run ended? Is it this directory?")
        self.path = path
        self.file = netCDF4.Dataset(path)

    def __getitem__(self, name):
        if name not in self.file.variables:
            raise MissingOutput(f"{self.path} holds no variable {name}")
        return self.file[name]

    def values(self, name):
        """All values of a variable, NaN where there is none."""
        return np.ma.filled(self[name][...].astype(float), np.nan)

    def days(self):
        return self.values("time") / DAY

    def nearest(self, coordinate, value):
        return int(np.abs(self.values(coordinate) - value).argmin())


def draw_map(axis, output, name, index, values=None, **colours):
    """Draws one map of a variable, whatever its grid is.

    A variable on latitudes and longitudes of one dimension each, as a regridded one, is drawn in one piece,
    and any other cell by cell, from the bounds of the coordinates that it names.

    Parameters
    ----------
    index : of the record and the level, all dimensions before those of the map.
    values : what is drawn in place of the variable's own values.
    """
    variable = output[name]
    if values is None:
        values = np.ma.filled(variable[index].astype(float), np.nan)
    axis.set(xlim=(-180, 180), ylim=(-90, 90), xticks=range(-180, 181, 60), yticks=range(-90, 91, 30))
    axis.set_facecolor(LAND)
    if "coordinates" not in variable.ncattrs():
        latitude, longitude = (output.values(dimension) for dimension in variable.dimensions[-2:])
        longitude = (longitude + 180) % 360 - 180
        order = np.argsort(longitude)
        order = np.append(order, order[0])  # half of the first cell lies at the other end of the map
        longitude = np.append(longitude[order[:-1]], longitude[order[0]] + 360)
        return axis.pcolormesh(longitude, latitude, values[:, order], shading="nearest", **colours)
    latitude, longitude = (output[output[place].bounds] for place in variable.coordinates.split())
    cells = np.stack([longitude[...], latitude[...]], axis=-1).reshape(-1, longitude.shape[-1], 2)
    return add_cells(axis, np.ma.filled(cells, np.nan), values.ravel(), **colours)


def add_cells(axis, cells, values, **colours):
    """Cells that lie across the border of the map are drawn at both ends of it."""
    known = np.isfinite(values)
    cells, values = cells[known], values[known]
    cells[..., 0] -= 360 * np.round(cells[..., 0].mean(axis=1, keepdims=True) / 360)
    crossing = np.abs(cells[..., 0]).max(axis=1) > 180
    others = cells[crossing]
    others[..., 0] -= 360 * np.sign(others[..., 0].mean(axis=1, keepdims=True))
    limits = colours.pop("vmin", np.nanmin(values)), colours.pop("vmax", np.nanmax(values))
    polygons = [around_pole(cell) for cell in np.concatenate([cells, others])]
    drawn = PolyCollection(polygons, linewidths=0.1, edgecolors="face", **colours)
    drawn.set_array(np.concatenate([values, values[crossing]]))
    drawn.set_clim(*limits)
    return axis.add_collection(drawn)


def around_pole(cell):
    """A corner at a pole becomes the line from the longitude of the corner before it to that of the next."""
    corner = int(np.abs(cell[:, 1]).argmax())
    if abs(cell[corner, 1]) < 89.999 or np.isclose(cell[corner - 1, 1], cell[corner, 1]):
        return cell
    before, after = cell[corner - 1], cell[(corner + 1) % len(cell)]
    if np.isclose(after[1], cell[corner, 1]):
        return cell
    ends = [(before[0], cell[corner, 1]), (after[0], cell[corner, 1])]
    return np.concatenate([cell[:corner], ends, cell[corner + 1:]])

"""Draws what a recipe of the cookbook wrote: draw.py FILE.nc ... PICTURE.png

One panel for each variable: a record as a map, a section or a profile; scalars as series. It is the last
record but one, as the last is often of a period that the end of the run cut short.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import netCDF4
import numpy as np

MOST_PANELS = 4


def is_drawn(file, name):
    variable = file[name]
    is_described = name in file.dimensions or name.endswith("_bnds") or variable.dtype is str
    is_place = any(name in getattr(one, "coordinates", "").split() for one in file.variables.values())
    is_number = not is_described and variable.dtype.kind in "fi"
    return is_number and not is_place and any(one.startswith("time") for one in variable.dimensions)


def coordinate(file, name):
    if name in file.variables:
        units = getattr(file[name], "units", "")
        return file[name][:], f"{name} ({units})" if units else name
    return np.arange(file.dimensions[name].size), name


def one_record(variable):
    """The last whole record that has values, and the names of its dimensions."""
    values = variable[:]
    names = list(variable.dimensions)
    if names[0].startswith("time"):
        if len(names) == 1:
            return values, names
        filled = [i for i in range(len(values)) if np.ma.count(values[i])] or [0]
        values, names = values[filled[-2 if len(filled) > 1 else -1]], names[1:]
    while values.ndim > 2:
        values, names = values[values.shape[0] // 2], names[1:]
    return values, names


def upwardness(file, name):
    """Dimensions lie from left to right in this order, and from the bottom up."""
    return {"X": 0, "Y": 1, "Z": 3}.get(getattr(file.variables.get(name), "axis", ""), 2)


def is_logarithmic(places):
    steps = np.diff(np.log(places)) if len(places) > 2 and np.all(places > 0) else np.zeros(0)
    return steps.size and np.allclose(steps, steps[0], rtol=1e-2)


def draw_points(axes, file, variable, values):
    places = {getattr(file[name], "units", ""): file[name][:] for name in variable.coordinates.split()}
    longitudes, latitudes = places["degrees_east"], places["degrees_north"]
    drawn = axes.scatter(longitudes, latitudes, c=values, s=12, cmap="viridis")
    axes.set(xlabel="longitude", ylabel="latitude")
    return drawn


def draw_days(axes, times, values, units):
    """A line for each window of a diurnal composite; the days begin at 00:00 of model time."""
    hours = np.asarray(times) / 3600 % 24
    for day in np.split(np.arange(len(hours)), np.flatnonzero(np.diff(hours) < 0) + 1):
        axes.plot(hours[day], values[day], marker=".")
    axes.set(xlabel="hour of the day", ylabel=units)


def draw(axes, file, name):
    variable = file[name]
    values, names = one_record(variable)
    units = getattr(variable, "units", "")
    axes.set_title(f"{name} ({units})" if len(units) < 20 else name, fontsize=9)
    if names[-1] == "point":
        values = values if values.ndim == 1 else values[0]
        axes.figure.colorbar(draw_points(axes, file, variable, values), ax=axes)
    elif values.ndim == 2:
        if upwardness(file, names[1]) > upwardness(file, names[0]):
            values, names = values.T, names[::-1]
        (rows, row_label), (columns, column_label) = (coordinate(file, one) for one in names)
        if not all(one.dtype.kind in "fi" and one.ndim == 1 for one in (rows, columns)):
            rows, columns = np.arange(values.shape[0]), np.arange(values.shape[1])
        drawn = axes.pcolormesh(columns, rows, values, shading="nearest", cmap="viridis")
        axes.figure.colorbar(drawn, ax=axes)
        axes.set(xlabel=column_label, ylabel=row_label)
        if getattr(file.variables.get(names[0]), "positive", "") == "down":
            axes.invert_yaxis()
    elif "climatology" in getattr(file.variables.get(names[0]), "ncattrs", list)():
        draw_days(axes, file[names[0]][:], values, units)
    else:
        along, label = coordinate(file, names[0])
        if getattr(file.variables.get(names[0]), "axis", "") == "Z":
            axes.plot(values, along)
            axes.set(xlabel=units, ylabel=label)
            axes.locator_params(axis="x", nbins=4)
        else:
            axes.plot(along, values, marker=".")
            axes.set(xlabel=label.partition(" since")[0].replace("(seconds", "(s)"), ylabel=units)
            if is_logarithmic(np.ma.getdata(along)):
                axes.set_xscale("log")


def main(paths, picture):
    files = [netCDF4.Dataset(path) for path in paths]
    drawn = [(file, name) for file in files for name in file.variables if is_drawn(file, name)]
    if not drawn:
        sys.exit(f"{paths[0]}: nothing to draw")
    drawn = drawn[:MOST_PANELS]
    figure, panels = plt.subplots(1, len(drawn), figsize=(3.4 * len(drawn), 2.6), squeeze=False)
    for axes, (file, name) in zip(panels[0], drawn, strict=True):
        draw(axes, file, name)
    figure.tight_layout()
    figure.savefig(picture, dpi=60)
    plt.close(figure)
    for file in files:
        file.close()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1:-1], sys.argv[-1])

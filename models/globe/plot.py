#!/usr/bin/env python3
"""Draws what the model's three configurations write: maps, means by latitude, and means over time.

Usage: plot.py DIR [--out DIR]
"""

import argparse
from pathlib import Path

import numpy as np
from map_drawing import DAY, LAND, Output, draw_map  # it says where pictures.py is
from pictures import BLUE, GREEN, ORANGE, draw_all, plt


def maps_of(directory, grid):
    """The regridded maps if the run made some, or else those on the model's own grid."""
    regular = Path(directory) / f"{grid}_regular.nc"
    return Output(directory, regular.name if regular.exists() else f"{grid}_maps.nc")


def draw_maps(directory):
    """One variable of each grid, and two of the ocean."""
    gaussian, icosahedral, tripolar = (
        maps_of(directory, grid) for grid in ("gaussian", "icosahedral", "tripolar")
    )
    figure, axes = plt.subplots(2, 2, figsize=(13, 7.6), sharex=True, sharey=True)
    record = gaussian.nearest("time", 5 * DAY)
    high = gaussian.nearest("plev", 30000)
    deep = tripolar.nearest("depth", 500)
    last = len(tripolar.days()) - 1
    half = tripolar.nearest("time", 180 * DAY)
    panels = (
        (gaussian, "q_plev", (record, high), "tracer (1)", dict(cmap="viridis"),
         f"Tracer at 300 hPa after {gaussian.days()[record]:.0f} days: from a reduced Gaussian grid"),
        (icosahedral, "t_plev", (record, icosahedral.nearest("plev", 85000)), "temperature (K)",
         dict(cmap="RdYlBu_r"),
         f"Temperature at 850 hPa after {icosahedral.days()[record]:.0f} days: from triangles of "
         "an icosahedron"),
        (tripolar, "sst", (half,), "temperature (°C)", dict(cmap="RdYlBu_r"),
         f"Temperature at the surface of the sea after {tripolar.days()[half]:.0f} days: from a "
         "tripolar grid"),
        (tripolar, "q", (last, deep), "tracer (1)", dict(cmap="viridis"),
         f"Tracer in {tripolar.values('depth')[deep]:.0f} m of depth after {tripolar.days()[last]:.0f} days"),
    )
    for axis, (output, name, index, label, colours, title) in zip(axes.flat, panels, strict=True):
        drawn = draw_map(axis, output, name, index, **colours)
        figure.colorbar(drawn, ax=axis, label=label, pad=0.01)
        axis.set_title(title)
    for axis in axes[1]:
        axis.set_xlabel("longitude (degrees east)")
    for axis in axes[:, 0]:
        axis.set_ylabel("latitude (degrees north)")
    return figure


def draw_zonal(directory):
    """Means by latitude over pressure, as meteorologists draw them, and over depth."""
    air, sea = Output(directory, "gaussian_zonal.nc"), Output(directory, "tripolar_zonal.nc")
    figure, axes = plt.subplots(2, 2, figsize=(13, 8), sharex=True)
    latitude = next(name for name in air["q_zonal"].dimensions if name.startswith("latitude_bin"))
    degrees, pressure = air.values(latitude), air.values("plev") / 100
    first, last = 0, len(air.days()) - 1
    tracer, wind = air.values("q_zonal"), air.values("u_zonal")
    for axis, record in zip(axes[0], (first, last), strict=True):
        drawn = axis.contourf(degrees, pressure, tracer[record], np.linspace(0, 1.05, 22), cmap="viridis")
        figure.colorbar(drawn, ax=axis, label="tracer (1)", pad=0.01, ticks=np.linspace(0, 1, 6))
        if record == first:
            lines = axis.contour(degrees, pressure, wind[record], range(10, 60, 5), colors="white",
                                 linewidths=0.8)
            named = "eastward wind (m s$^{-1}$): lines"
        else:
            lines = axis.contour(degrees, pressure, air.values("t_zonal")[record], range(190, 320, 10),
                                 colors="white", linewidths=0.8)
            named = "temperature (K): lines"
        inside = [text for text in axis.clabel(lines, fontsize=8) if 100 < text.get_position()[1] < 900]
        for text in set(lines.labelTexts) - set(inside):
            text.remove()
        axis.set_title(f"Tracer, mean of day {air.days()[record]:.0f}; {named}")
        axis.set(ylim=(950, 50), ylabel="pressure (hPa)")
    latitude = next(name for name in sea["q_zonal"].dimensions if name.startswith("latitude_bin"))
    degrees, depth = sea.values(latitude), sea.values("depth")
    last = len(sea.days()) - 1
    for axis, (name, label, colours, title) in zip(
        axes[1],
        (("q_zonal", "tracer (1)", "viridis", "Tracer in the sea"),
         ("t_zonal", "temperature (°C)", "RdYlBu_r", "Temperature of the sea")),
        strict=True,
    ):
        values = np.ma.masked_invalid(sea.values(name)[last])
        drawn = axis.pcolormesh(degrees, depth, values, cmap=colours, shading="nearest")
        figure.colorbar(drawn, ax=axis, label=label, pad=0.01)
        axis.set_facecolor(LAND)
        axis.set_title(f"{title}, mean of the 30 days before day {sea.days()[last]:.0f}")
        axis.set(ylim=(5000, 0), ylabel="depth (m)", xlabel="latitude (degrees north)")
    for axis in axes.flat:
        axis.set(xlim=(-90, 90), xticks=range(-90, 91, 30))
    return figure


def draw_means(directory):
    """Means over areas: two grids of the same atmosphere agree."""
    grids = {grid: Output(directory, f"{grid}_means.nc") for grid in ("gaussian", "icosahedral")}
    sea = Output(directory, "tripolar_means.nc")
    figure, ((tracer, hemispheres), (basins, tracers)) = plt.subplots(2, 2, figsize=(13, 7.6))
    for grid, output in grids.items():
        marks, label = dict(linestyle="none", marker="o", markersize=3), "icosahedral"
        if grid == "gaussian":
            marks, label = dict(linestyle="solid"), "Gaussian"
        for pressure, colour in ((85000, BLUE), (50000, ORANGE), (20000, GREEN)):
            level = output.nearest("plev", pressure)
            tracer.plot(output.days(), output.values("q_mean")[:, level], color=colour, **marks,
                        label=f"{pressure / 100:.0f} hPa, {label}")
        level = output.nearest("plev", 50000)
        for name, colour in (("north", ORANGE), ("south", BLUE)):
            hemispheres.plot(output.days(), output.values(f"t_{name}")[:, level], color=colour, **marks,
                             label=f"{name}, {label}")
    tracer.set(title="Mean of the tracer over the Earth", ylabel="tracer (1)", xlabel="model time (days)")
    hemispheres.set(title="Mean temperature of the hemispheres at 500 hPa", ylabel="temperature (K)",
                    xlabel="model time (days)")
    for name, colour in (("atlantic", BLUE), ("indian", ORANGE), ("pacific", GREEN)):
        basins.plot(sea.days(), sea.values(f"sst_{name}"), color=colour, label=name.capitalize())
    basins.set(title="Mean temperature at the surface of the oceans", ylabel="temperature (°C)",
               xlabel="model time (days)")
    for depth, colour in ((50, BLUE), (1000, ORANGE), (3000, GREEN)):
        level = sea.nearest("depth", depth)
        tracers.plot(sea.days(), sea.values("q_mean")[:, level], color=colour,
                     label=f"{sea.values('depth')[level]:.0f} m")
    tracers.set(title="Mean of the tracer over the sea", ylabel="tracer (1)", xlabel="model time (days)")
    for axis in (tracer, hemispheres, basins, tracers):
        axis.legend(fontsize=8, frameon=False, loc="center right" if axis is tracers else "best")
        axis.grid(alpha=0.3)
        axis.set_xlim(left=0)
    return figure


def main():
    """Draws all pictures and prints their paths."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=Path, metavar="DIR", help="where the files of the runs are")
    parser.add_argument("--out", type=Path, help="where the pictures land (DIR)")
    arguments = parser.parse_args()
    pictures = {"globe_maps.png": draw_maps, "globe_zonal.png": draw_zonal, "globe_means.png": draw_means}
    draw_all({name: lambda draw=draw: draw(arguments.directory) for name, draw in pictures.items()},
             arguments.out or arguments.directory)


if __name__ == "__main__":
    main()

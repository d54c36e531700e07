#!/usr/bin/env python3
"""Draws what the coupled run writes: air minus sea, the flux of heat between them, and both over time.

Usage: plot_coupled.py DIR [--out DIR]
"""

import argparse
from pathlib import Path

import numpy as np
from map_drawing import Output, draw_map  # it says where pictures.py is
from pictures import BLUE, ORANGE, draw_all, plt

KELVIN = 273.15


def air_minus_sea(directory):
    """The file with the air's grid, a name on it, and the difference by day, K: on the common grid of the two
    components if the run regridded them, or else on that of the air, which knows the sea of each exchange."""
    if (Path(directory) / "atmosphere_regular.nc").exists():
        air, sea = (Output(directory, f"{component}_regular.nc") for component in ("atmosphere", "ocean"))
        for axis in ("lat", "lon"):
            assert (air.values(axis) == sea.values(axis)).all()
    else:
        air = sea = Output(directory, "atmosphere_maps.nc")
    return air, air.values("t_low") - KELVIN - sea.values("sst")


def draw_coupled(directory):
    air, difference = air_minus_sea(directory)
    maps = Output(directory, "atmosphere_maps.nc")
    last = len(difference) - 1
    figure, ((first_day, last_day), (flux, series)) = plt.subplots(2, 2, figsize=(13, 7.6))
    for axis, day in ((first_day, 0), (last_day, last)):
        drawn = draw_map(axis, air, "t_low", None, difference[day], cmap="RdBu_r", vmin=-8, vmax=8)
        figure.colorbar(drawn, ax=axis, label="air minus sea (K)", pad=0.01, extend="both")
        axis.set_title(f"Lowest air minus surface of the sea, mean of day {day + 1}")
    drawn = draw_map(flux, maps, "flux", last, cmap="PuOr_r", vmin=-60, vmax=60)
    figure.colorbar(drawn, ax=flux, label="flux (W m$^{-2}$)", pad=0.01, extend="both")
    flux.set_title(f"Heat from the sea to the air, mean of day {last + 1}")
    for axis in (first_day, flux):
        axis.set_ylabel("latitude (degrees north)")
    flux.set_xlabel("longitude (degrees east)")
    draw_series(series, directory)
    return figure


def draw_series(axis, directory):
    air, sea = (Output(directory, f"{component}_means.nc") for component in ("atmosphere", "ocean"))
    axis.plot(air.days(), air.values("t_mean") - KELVIN, color=ORANGE, label="lowest air over the sea")
    axis.plot(sea.days(), sea.values("sst_mean"), color=BLUE, label="surface of the sea")
    axis.set(title="Means over the sea and two hours", xlabel="model time (days)",
             ylabel="temperature (°C)", xlim=(0, np.ceil(air.days()[-1])))
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8, frameon=False)


def main():
    """Draws the picture and prints its path."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=Path, metavar="DIR", help="where the files of the run are")
    parser.add_argument("--out", type=Path, help="where the picture lands (DIR)")
    arguments = parser.parse_args()
    draw_all({"globe_coupled.png": lambda: draw_coupled(arguments.directory)},
             arguments.out or arguments.directory)


if __name__ == "__main__":
    main()

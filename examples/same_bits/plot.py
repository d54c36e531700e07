#!/usr/bin/env python3
"""Draws the total mass at every step: the exact sum of Pileus, and the same elements added up by loops.

Usage: plot.py DIR --out PICTURE, where DIR has the files of same_bits.xml.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import netCDF4  # noqa: E402
import numpy as np  # noqa: E402

RANKS = {1: "#d55e00", 2: "#0072b2", 6: "#009e73"}  # Okabe and Ito's colours, which everybody can tell apart


def read(directory, series, variable):
    """A variable of the one file of a series."""
    (path,) = directory.glob(f"{series}_*.nc")
    with netCDF4.Dataset(path) as file:
        return np.asarray(file[variable][:])


def added_up(elements, ranks):
    """The sum as a model makes it: a loop over the cells of each rank, then the ranks one after the other."""
    parts = (np.cumsum(part.ravel())[-1] for part in np.array_split(elements, ranks, axis=1))
    return np.cumsum(np.fromiter(parts, dtype=float))[-1]


def main():
    """Prints how many values there are, and draws them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="PICTURE")
    arguments = parser.parse_args()
    minutes = read(arguments.directory, "mass", "time") / 60
    mass = read(arguments.directory, "mass", "mass")
    elements = 1 + read(arguments.directory, "pressure", "p") / 10000

    figure, axis = plt.subplots(figsize=(10, 3.6), constrained_layout=True)
    for ranks, colour in RANKS.items():
        sums = np.array([added_up(step, ranks) for step in elements])
        name = f"added up on {ranks} rank{'s'[: ranks > 1]}: {len(np.unique(sums))} values"
        axis.plot(minutes, (sums - mass[0]) / mass[0], ".", color=colour, markersize=3, label=name)
        print(f"{name} in {len(sums)} steps")
    count = len(np.unique(mass))
    name = f"Pileus, on any ranks and servers: {count} value{'s'[: count > 1]}"
    axis.plot(minutes, (mass - mass[0]) / mass[0], color="black", label=name)
    print(f"{name} in {len(mass)} steps")
    axis.set(xlabel="model time (min)", ylabel="relative to the first", xlim=(0, minutes[-1]))
    axis.set_title(f"Total mass of air at each of {len(mass)} steps", loc="left", fontsize=10)
    axis.set_ylim(np.multiply(axis.get_ylim(), 1.4))
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, ncols=2, fontsize=9)
    figure.savefig(arguments.out, dpi=110)
    print(arguments.out)


if __name__ == "__main__":
    main()

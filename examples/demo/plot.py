#!/usr/bin/env python3
"""Draws the demo's output: a section through the clouds, mean profiles over time, and time series.

Usage: plot.py DIR [--out DIR] [--time SECONDS]
"""

import argparse
from pathlib import Path

import numpy as np
from numbered_files import read
from pictures import BLUE, ORANGE, draw_all, plt

CLOUDY_KG_M2 = 0.01  # a column with more cloud water than this counts as cloudy
MINUTE = 60.0


def kilometres(directory, name, coordinate):
    """A coordinate of a series, km."""
    return read(directory, name, coordinate, (coordinate,)) / 1000


def edges(centres):
    """Borders of equal cells around their centres."""
    half = 0.5 * (centres[1] - centres[0])
    return np.append(centres - half, centres[-1] + half)


def draw_cross_section(directory, time_s):
    """Cloud water and upward wind on the x-z plane through the thickest cloud, and where that plane lies.

    `time_s`: the snapshot nearest to it; None: the one with the most cloud water.
    """
    times = read(directory, "fields", "time", ("time",))
    ql = 1000 * read(directory, "fields", "ql", ("time", "z", "y", "x"))
    w = read(directory, "fields", "w", ("time", "z_face", "y", "x"))
    n = int(np.argmax(ql.mean(axis=(1, 2, 3)) if time_s is None else -np.abs(times - time_s)))
    row = int(np.argmax(ql[n].sum(axis=(0, 2))))
    x, y, z, z_face = (kilometres(directory, "fields", name) for name in ("x", "y", "z", "z_face"))

    column_times = read(directory, "columns", "time", ("time",))
    lwp = read(directory, "columns", "lwp", ("time", "y", "x"))
    m = int(np.argmin(np.abs(column_times - times[n])))

    figure, (section, plan) = plt.subplots(1, 2, figsize=(12, 4.6), width_ratios=(1.9, 1))
    cloud = np.ma.masked_less(ql[n][:, row], 0.01)
    shading = section.pcolormesh(edges(x), edges(z), cloud, cmap="Blues", vmin=0)
    figure.colorbar(shading, ax=section, label="cloud water (g kg$^{-1}$)", pad=0.01)
    wind = w[n][:, row]
    spacing = next((s for s in (0.1, 0.2, 0.5, 1, 2, 5) if np.abs(wind).max() / s < 8), 10)
    levels = spacing * np.arange(1, 9)
    section.contour(x, z_face, wind, levels, colors=ORANGE, linewidths=1)
    section.contour(x, z_face, wind, -levels[::-1], colors="0.35", linewidths=0.8, linestyles="dashed")
    section.set(xlabel="x (km)", ylabel="height (km)", xlim=edges(x)[[0, -1]], ylim=(0, z_face[-1]))
    section.set_title(
        f"Cloud water and upward wind at {times[n]:.0f} s, y = {y[row]:.1f} km\n"
        f"wind every {spacing:g} m s$^{{-1}}$: upward solid, downward dashed"
    )
    cloud = np.ma.masked_less(lwp[m], CLOUDY_KG_M2)
    shading = plan.pcolormesh(edges(x), edges(y), cloud, cmap="Blues", vmin=0)
    figure.colorbar(shading, ax=plan, label="cloud water path (kg m$^{-2}$)", pad=0.02, shrink=0.9)
    plan.axhline(y[row], color=ORANGE, linewidth=1)
    plan.set(xlabel="x (km)", ylabel="y (km)", aspect="equal", xlim=edges(x)[[0, -1]], ylim=edges(y)[[0, -1]])
    plan.set_title(f"From above at {column_times[m]:.0f} s\nthe line is the section on the left")
    return figure


def draw_profiles(directory):
    """Horizontal means over time and height, each averaged over its own interval of time."""
    bounds = read(directory, "profiles", "time_bnds", ("time", "bnds"))
    minutes = np.append(bounds[:, 0], bounds[-1, 1]) / MINUTE
    z, z_face = (kilometres(directory, "profiles", name) for name in ("z", "z_face"))

    def mean(variable, levels):
        return read(directory, "profiles", variable, ("time", levels))

    theta, qv = mean("theta_mean", "z"), 1000 * mean("qv_mean", "z")
    panels = (
        ("Change of mean potential temperature since the first minute", "K", theta - theta[0], z, "RdBu_r"),
        ("Change of mean water vapour since the first minute", "g kg$^{-1}$", qv - qv[0], z, "PuOr"),
        ("Mean cloud water", "g kg$^{-1}$", 1000 * mean("ql_mean", "z"), z, "Blues"),
        ("Mean square of upward wind", "m$^2$ s$^{-2}$", mean("w_w_mean", "z_face"), z_face, "viridis"),
    )
    figure, axes = plt.subplots(2, 2, figsize=(11, 7), sharex=True, sharey=True)
    for axis, (title, units, values, heights, colours) in zip(axes.flat, panels, strict=True):
        largest = np.nanmax(np.abs(values)) or 1.0
        lowest = -largest if np.nanmin(values) < 0 else 0.0
        shading = axis.pcolormesh(minutes, edges(heights), values.T, cmap=colours, vmin=lowest, vmax=largest)
        figure.colorbar(shading, ax=axis, label=units, pad=0.02)
        axis.set_title(title)
        axis.set_ylim(0, z_face[-1])
    for axis in axes[1]:
        axis.set_xlabel("model time (min)")
    for axis in axes[:, 0]:
        axis.set_ylabel("height (km)")
    return figure


def draw_series(directory):
    """Cloud fraction, computed here from the cloud water path, and what the servers reduced at every step."""
    column_minutes = read(directory, "columns", "time", ("time",)) / MINUTE
    cloudy = read(directory, "columns", "lwp", ("time", "y", "x")) > CLOUDY_KG_M2
    minutes = read(directory, "series", "time", ("time",)) / MINUTE

    def at_every_step(variable):
        return read(directory, "series", variable, ("time",))

    figure, axes = plt.subplots(2, 2, figsize=(11, 6), sharex=True)
    (fraction, updraught), (path, step) = axes
    fraction.plot(column_minutes, 100 * cloudy.mean(axis=(1, 2)), color=BLUE, marker="o", markersize=3,
                  clip_on=False)
    fraction.set_title(f"Cloud fraction: columns with over {CLOUDY_KG_M2:g} kg m$^{{-2}}$ of cloud water")
    fraction.set_ylabel("cloud fraction (%)")
    updraught.plot(minutes, at_every_step("w_max"), color=BLUE)
    updraught.set_title("Strongest updraught, at every step")
    updraught.set_ylabel("upward wind (m s$^{-1}$)")
    path.plot(minutes, 1000 * at_every_step("lwp_mean"), color=BLUE)
    path.set_title("Mean cloud water path, at every step")
    path.set_ylabel("cloud water path (g m$^{-2}$)")
    step.plot(minutes, at_every_step("dt"), color=ORANGE)
    step.set_title("Length of the model's time step")
    step.set_ylabel("time step (s)")
    for axis in axes.flat:
        axis.set_ylim(0, 1.05 * axis.get_ylim()[1])
        axis.set_xlim(0, minutes[-1])
        axis.grid(alpha=0.3)
    for axis in axes[1]:
        axis.set_xlabel("model time (min)")
    return figure


def read_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=Path, metavar="DIR", help="where the files of the run are")
    parser.add_argument("--out", type=Path, help="where the pictures land (DIR)")
    parser.add_argument("--time", type=float, metavar="SECONDS",
                        help="model time of the section (the one with the most cloud water)")
    arguments = parser.parse_args()
    if not arguments.directory.is_dir():
        parser.error(f"{arguments.directory} is not a directory")
    arguments.out = arguments.out or arguments.directory
    return arguments


def main():
    """Draws all pictures and prints their paths."""
    arguments = read_arguments()
    pictures = {
        "cross_section.png": lambda: draw_cross_section(arguments.directory, arguments.time),
        "profiles.png": lambda: draw_profiles(arguments.directory),
        "series.png": lambda: draw_series(arguments.directory),
    }
    draw_all(pictures, arguments.out)


if __name__ == "__main__":
    main()

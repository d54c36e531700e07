#!/usr/bin/env python3
"""Compares every variable of two diagnostic files: bits, then the difference relative to its scale.

    compare.py ONE.nc OTHER.nc [--tolerance 1e-12] [--leave-out options_database,...]

The scale is the largest absolute value in either file. A variable differs if it is in one file alone, has
another shape, or differs by more than the tolerance of its scale. The exit status is 1 if any differs.
"""

import argparse
import sys

import netCDF4
import numpy


def values_of(variable):
    """The numbers or texts of a variable; missing elements are NaN, so that they compare alike."""
    values = variable[...]
    if numpy.ma.isMaskedArray(values):
        filling = numpy.nan if values.dtype.kind == "f" else values.fill_value
        values = values.filled(filling)
    return numpy.asarray(values)


def difference(one, other):
    """The largest difference relative to the scale; 0 for the same bits, infinity where it means nothing."""
    if one.dtype.kind not in "fiu" or other.dtype.kind not in "fiu":
        return 0.0 if numpy.array_equal(one, other) else numpy.inf
    a, b = one.astype(float), other.astype(float)
    if numpy.array_equal(a, b, equal_nan=True):
        return 0.0
    if not numpy.array_equal(numpy.isfinite(a), numpy.isfinite(b)):
        return numpy.inf
    is_number = numpy.isfinite(a)
    scale = max(numpy.abs(a[is_number]).max(), numpy.abs(b[is_number]).max())
    return float(numpy.abs(a[is_number] - b[is_number]).max() / scale)


def compare(one, other, tolerance, left_out=()):
    """A line for each variable, the number of variables with the same bits, and of those that differ."""
    lines, same, differing = [], 0, 0
    for name in sorted(set(one.variables) | set(other.variables)):
        if name in left_out:
            continue
        if name not in one.variables or name not in other.variables:
            where = "the first" if name in one.variables else "the second"
            lines.append(f"{name}: only in {where}")
            differing += 1
            continue
        a, b = values_of(one[name]), values_of(other[name])
        if a.shape != b.shape:
            lines.append(f"{name}: shapes {a.shape} and {b.shape}")
            differing += 1
            continue
        relative = difference(a, b)
        same += relative == 0
        differing += relative > tolerance
        lines.append(f"{name}: " + ("same bits" if relative == 0 else f"{relative:.3g} of its scale"))
    return lines, same, differing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("one")
    parser.add_argument("other")
    parser.add_argument("--tolerance", type=float, default=1e-12)
    parser.add_argument("--leave-out", default="", help="names of variables, with commas between them")
    parser.add_argument("--all", action="store_true", help="also list the variables with the same bits")
    arguments = parser.parse_args()
    with netCDF4.Dataset(arguments.one) as one, netCDF4.Dataset(arguments.other) as other:
        for file in (one, other):
            file.set_auto_chartostring(False)  # MONC's files do not say how texts are encoded
        left_out = arguments.leave_out.split(",")
        lines, same, differing = compare(one, other, arguments.tolerance, left_out)
    for line in lines:
        if arguments.all or not line.endswith("same bits"):
            print(line)
    print(f"{len(lines)} variables, {same} with the same bits, {differing} that differ")
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()

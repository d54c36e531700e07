#!/usr/bin/env python3
"""Lists what the netCDF files in a directory hold, one series of numbered files after the other.

Usage: contents.py DIR
"""

import argparse
import sys
from pathlib import Path

import netCDF4
from numbered_files import files_of, series_names


def describe_file(path):
    """One line: name, size, records and the model times that they stand for."""
    with netCDF4.Dataset(path) as file:
        times = file["time"][:]
    ends = times[[0, -1]] if len(times) > 1 else times
    span = " to ".join(f"{time:.1f} s" for time in ends)
    records = "1 record" if len(times) == 1 else f"{len(times)} records"
    return f"  {path.name:22} {path.stat().st_size / 1e6:7.2f} MB {records:>12}  {span}"


def describe_variables(path):
    """One line for each variable that is not a coordinate: name, dimensions, unit, meaning."""
    with netCDF4.Dataset(path) as file:
        bounds = {getattr(variable, "bounds", None) for variable in file.variables.values()}
        for name, variable in file.variables.items():
            if name in file.dimensions or name in bounds:
                continue
            sizes = [d if d == "time" else f"{d}={len(file.dimensions[d])}" for d in variable.dimensions]
            what = f"{variable.long_name} ({variable.units}); {variable.cell_methods}"
            yield f"    {name:11} ({', '.join(sizes)})".ljust(48) + what


def main():
    """Prints everything; status 1 if there is nothing."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=Path, metavar="DIR")
    directory = parser.parse_args().directory
    if not directory.is_dir():
        sys.exit(f"contents.py: {directory} is not a directory")
    names = series_names(directory)
    if not names:
        sys.exit(f"contents.py: no numbered files such as fields_600.nc in {directory}")
    for name in names:
        paths = files_of(directory, name)
        for path in paths:
            print(describe_file(path))
        for line in describe_variables(paths[0]):
            print(line)


if __name__ == "__main__":
    main()

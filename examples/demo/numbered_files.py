"""The files of a series, such as fields_600.nc and fields_1200.nc, read as one.

Pileus ends one file and begins the next after each write period; the number in a name is the model time in
seconds at which the period ends.
"""

import re
from pathlib import Path

import netCDF4
import numpy as np

NUMBERED = re.compile(r"(?P<name>.+)_(?P<number>[0-9]+(\.[0-9]+)?)\.nc")


class MissingOutput(Exception):
    """A file or a variable that is needed is not there. The text is for the user."""


def series_names(directory):
    """Names of all series in a directory, sorted."""
    found = (NUMBERED.fullmatch(path.name) for path in Path(directory).iterdir())
    return sorted({match["name"] for match in found if match})


def files_of(directory, name):
    """Paths of the files of a series in the order of model time.

    Raises MissingOutput if there are none.
    """
    numbered = []
    for path in Path(directory).glob("*.nc"):
        match = NUMBERED.fullmatch(path.name)
        if match and match["name"] == name:
            numbered.append((float(match["number"]), path))
    if not numbered:
        raise MissingOutput(f"no files {name}_*.nc in {directory}: has the run ended? Is it this directory?")
    return [path for _, path in sorted(numbered)]


def read(directory, name, variable, dimensions):
    """One variable of all files of a series, joined along time.

    Parameters
    ----------
    dimensions : the dimensions that the array shall have, in this order, "time" first if it has time.

    Returns
    -------
    Array with NaN where a value is missing, in the units of the file.
    """
    parts = []
    for path in files_of(directory, name):
        with netCDF4.Dataset(path) as file:
            if variable not in file.variables:
                raise MissingOutput(f"{path} holds no variable {variable}")
            stored = file[variable]
            if set(stored.dimensions) != set(dimensions):
                raise MissingOutput(f"{path}: {variable} is not over {dimensions} but {stored.dimensions}")
            values = np.ma.filled(stored[...].astype(float), np.nan)
            parts.append(values.transpose([stored.dimensions.index(one) for one in dimensions]))
        if dimensions[0] != "time":
            break
    return np.concatenate(parts) if dimensions[0] == "time" else parts[0]

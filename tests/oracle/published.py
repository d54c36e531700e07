"""Reads published files as plain arrays."""

import re

import netCDF4


def read(path):
    """The variables of a file by name, as they are stored: nothing masked, nothing scaled."""
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        return {name: variable[...] for name, variable in file.variables.items()}


def of_base(files, base):
    """The published files that belong to one file of the configuration."""
    return {name: path for name, path in files.items() if re.fullmatch(base + r"_[0-9.]+\.nc", name)}


def only(files, base):
    """The contents of the one file of a base."""
    (path,) = of_base(files, base).values()
    return read(path)

#!/usr/bin/env python3
"""Measures what records that are written only where they differ save, and how far they are from the others.

The two models write fields with every record, and with write_if="rms relative" at several limits, in one run,
compressed alike. Bytes are those of the files; the error is the root of the mean of squares over all records
and elements, relative to the field's own variation in time and space. With --picture FILE both are drawn.
"""

import tempfile
from pathlib import Path

import netCDF4
import numpy as np
from figures import Figures, read_settings
from runs import BIN, run

LIMITS = (3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3)
MODELS = {
    "cumulus": (
        '<field name="theta" size="z,y,x" collective="true" units="K"/>'
        '<field name="qv" size="z,y,x" collective="true" units="kg kg-1"/>',
        ("theta", "qv"),
        lambda size, steps: ["--nx", size, "--ny", size, "--nz", 32, "--steps", steps, "--output", "pileus",
                             "--quiet"],
    ),
    "globe": (
        '<field name="t" size="point,level" collective="true" units="K"/>'
        '<field name="q" size="point,level" collective="true" units="1"/>',
        ("t", "q"),
        lambda size, steps: ["--grid", "gaussian", "--size", max(4, size // 2), "--steps", steps, "--quiet"],
    ),
}


def configuration(fields, names):
    files = []
    for name in names:
        for n, limit in enumerate((None, *LIMITS)):
            more = f'write_if="rms relative {limit}"' if limit else ""
            files.append(f'<file name="{name}{n}.nc" write_time_frequency="0" write_on_terminate="true" '
                         f'precision="float" zstd="1"><include field="{name}" time_manipulation="none" '
                         f"{more}/></file>")
    return (f'<io-configuration><data-definition name="state" frequency="1">{fields}</data-definition>'
            f"<data-writing>{''.join(files)}</data-writing></io-configuration>")


def values_of(path, name):
    with netCDF4.Dataset(path) as dataset:
        return np.ma.filled(dataset[name][:].astype(float), np.nan)


def measure(model, settings):
    """Rows of field, limit, part of the bytes, part of the records, error."""
    fields, names, arguments = MODELS[model]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.xml"
        path.write_text(configuration(fields, names))
        command = [BIN / model, "--config", path, "--directory", folder]
        run(2, [*command, *arguments(settings.side, settings.steps)], directory=folder)
        for name in names:
            (whole,) = Path(folder).glob(f"{name}0*.nc")
            all_values = values_of(whole, name)
            for n, limit in enumerate(LIMITS, 1):
                (file,) = Path(folder).glob(f"{name}{n}*.nc")
                error = np.sqrt(np.nanmean((values_of(file, name) - all_values) ** 2)) / np.nanstd(all_values)
                with netCDF4.Dataset(file) as dataset:
                    written = len(np.unique(dataset[f"{name}_source_record"][:])) / len(all_values)
                rows.append((name, limit, file.stat().st_size / whole.stat().st_size, written, error))
    return rows


def draw(path, table):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7, 4.5))
    for model, rows in table.items():
        for name in dict.fromkeys(row[0] for row in rows):
            points = [(row[2], row[4]) for row in rows if row[0] == name and row[4] > 0]
            axis.loglog(*zip(*points, strict=True), "o-", label=f"{model}: {name}")
    axis.set_xlabel("bytes written, of those of all records")
    axis.set_ylabel("rms error, of the standard deviation")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    settings = read_settings(__doc__, side=48, steps=96, picture="")
    if settings.quick:
        settings.side, settings.steps = 16, 6
    figures = Figures("selective", settings)
    table = {model: measure(model, settings) for model in MODELS}
    for model, rows in table.items():
        for name, limit, size, written, error in rows:
            figures.add(f"{model}: {name}, rms relative {limit}: bytes", "1", [size])
            figures.add(f"{model}: {name}, rms relative {limit}: records", "1", [written])
            figures.add(f"{model}: {name}, rms relative {limit}: error", "1", [error])
    figures.report()
    if settings.picture:
        draw(settings.picture, table)


if __name__ == "__main__":
    main()

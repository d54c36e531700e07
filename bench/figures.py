"""Reports the figures of a benchmark: a table on standard output and, with --json FILE, the same as JSON.

--quick asks for a short run that only shows that the benchmark works.
"""

import argparse
import json
import os
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("PILEUS_BUILD", ROOT / "build" / "release"))
CANNOT = 77  # the exit status of a benchmark that cannot run here, and has said why


def read_settings(description, **more):
    """Reads the command line: --quick, --json FILE and, for each name=default in `more`, --name VALUE."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="only show that it works")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    for name, default in more.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    return parser.parse_args()


def machine():
    """The machine's name, for example "Intel(R) Xeon(R) Processor, 2 cores"."""
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return f"{model}, {os.cpu_count()} cores"


class Figures:
    """The figures of one benchmark."""

    def __init__(self, bench, settings):
        self.bench = bench
        self.json_file = settings.json
        self.figures = []

    def add(self, name, unit, samples, key=None):
        """Adds one figure: the median of the samples, with their quartiles as its spread.

        key : a name for programs; the JSON has the value under it too, beside the list of figures.
        """
        samples = sorted(samples)
        n = len(samples)
        self.figures.append({"name": name, "value": statistics.median(samples), "unit": unit,
                             "spread": [samples[n // 4], samples[3 * n // 4]], "repeats": n})
        if key:
            self.figures[-1]["key"] = key

    def report(self):
        """Prints the table and writes the JSON."""
        print(f"{self.bench} on {machine()}; median (first to third quartile)")
        for figure in self.figures:
            low, high = figure["spread"]
            print(f"{figure['name']:60s} {figure['value']:10.4g} ({low:.4g} to {high:.4g}) {figure['unit']}, "
                  f"{figure['repeats']} repeats")
        if self.json_file:
            document = {"bench": self.bench, "machine": machine(), "figures": self.figures}
            document |= {figure["key"]: figure["value"] for figure in self.figures if "key" in figure}
            Path(self.json_file).write_text(json.dumps(document, indent=1) + "\n")

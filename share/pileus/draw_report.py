#!/usr/bin/env python3
"""Draws what servers were at over the time of a run, or of several runs side by side.

Usage: draw_report.py --output PNG REPORT.json...   (pileus report REPORT.json... --output PNG calls it)
"""

import argparse
import json
import sys
from pathlib import Path

MOST_SERVERS = 8  # drawn of each run: the busiest
STYLE = {
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 110,
}
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999")


def growth(timeline, name):
    """How fast a sum grows in each stretch, a second."""
    ends, sums = [0.0, *timeline["end_s"]], [0.0, *timeline[name]]
    return [(b - a) / (end - begin) for a, b, begin, end in zip(sums, sums[1:], ends, ends[1:], strict=False)]


def most(timeline, name, unit):
    """The most in each stretch."""
    return [value / unit for value in timeline[name]]


PANELS = (
    ("Steps of the model", "step", lambda timeline: most(timeline, "steps", 1)),
    ("Held of what the model handed over", "MB", lambda timeline: most(timeline, "parcel_bytes", 1e6)),
    ("Steps that are not done", "steps", lambda timeline: most(timeline, "open_steps", 1)),
    ("Memory of the server", "MB", lambda timeline: most(timeline, "memory_bytes", 1e6)),
    ("Model ranks that wait for memory", "ranks", lambda timeline: growth(timeline, "waiting_s")),
    ("Threads that analyse", "threads", lambda timeline: growth(timeline, "analysis_s")),
    ("Threads that write", "threads", lambda timeline: growth(timeline, "writing_s")),
)


def draw(plt, reports):
    """The figure: a column for each report, a row for each panel, a line for each server."""
    figure, rows = plt.subplots(len(PANELS), len(reports), squeeze=False, sharex="col", sharey="row",
                                figsize=(1 + 5 * len(reports), 1.5 * len(PANELS)))
    for column, (name, report) in enumerate(reports):
        timelines = [one for one in report.get("timelines", []) if one["end_s"]]
        timelines = sorted(timelines, key=lambda one: -one["busy_s"][-1])[:MOST_SERVERS]
        for axis, (title, label, values) in zip(rows[:, column], PANELS, strict=True):
            by_number = sorted(timelines, key=lambda one: one["server"])
            for timeline, colour in zip(by_number, COLOURS, strict=False):
                axis.plot([0, *timeline["end_s"]], [0, *values(timeline)], color=colour, linewidth=1,
                          label=f"server {timeline['server']}",
                          drawstyle="default" if title == PANELS[0][0] else "steps-pre")
            axis.set_title(title)
            axis.grid(alpha=0.3)
            if column == 0:
                axis.set_ylabel(label)
        rows[0, column].set_title(f"{name}\n{rows[0, column].get_title(loc='left')}")
        rows[-1, column].set_xlabel("time since the first step (s)")
        if 1 < len(timelines):
            rows[0, column].legend(loc="upper left", frameon=False)
    for axis in rows[:, 0]:  # they share it with the others of their row, which are drawn by now
        axis.set_ylim(bottom=0)
    return figure


def main():
    """Reads the reports and draws. Status: 0, or 1 after a sentence that says why not."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", required=True, metavar="PNG", help="where the picture lands")
    parser.add_argument("reports", nargs="+", metavar="REPORT.json", help="what --report wrote")
    arguments = parser.parse_args()
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"the picture needs matplotlib, which {sys.executable} does not have: install it "
                 "(python3-matplotlib of Debian, or pip install matplotlib), or name a Python that has it in "
                 "PILEUS_PYTHON; the text above has the same")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update(STYLE)
    try:
        reports = [(Path(name).stem, json.loads(Path(name).read_text())) for name in arguments.reports]
        draw(plt, reports).savefig(arguments.output)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"draw_report.py: {error}")


if __name__ == "__main__":
    main()

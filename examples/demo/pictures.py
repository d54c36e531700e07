"""What the pictures of all demos have in common."""

import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
from numbered_files import MissingOutput  # noqa: E402

STYLE = {
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 150,
}
# Okabe and Ito's colours, which everybody can tell apart
BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"


def draw_all(pictures, out):
    """Draws pictures and prints their paths. `pictures`: for each file name what makes the figure."""
    plt.rcParams.update(STYLE)
    out.mkdir(parents=True, exist_ok=True)
    try:
        for name, draw in pictures.items():
            figure = draw()
            figure.savefig(out / name)
            plt.close(figure)
            print(f"  {out / name}")
    except MissingOutput as problem:
        sys.exit(f"{sys.argv[0].rpartition('/')[2]}: {problem}")

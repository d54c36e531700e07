"""The notebook runs, and the reference page is that of the package."""

import json
import re
import sys

import pytest
from oracle.launch import ROOT

import pileus


def test_the_notebook_runs(tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip("xarray")
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((ROOT / "examples" / "notebook" / "clouds.ipynb").read_text())
    scope = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), scope)  # noqa: S102

    results = scope["results"]
    assert len(scope["published"]) == 6 and pileus.check(scope["configuration"]) == []
    assert results["section.nc"]["water"].shape == (6, 40, 96)
    assert results["series.nc"]["profile"].shape == (30, 40)
    assert 0 < float(results["series.nc"]["cover"].max()) < 1
    pyplot.close("all")


def test_the_reference_is_that_of_the_package():
    sys.path.insert(0, str(ROOT / "tools"))
    import python_reference

    written = (ROOT / "docs" / "python-reference.md").read_text()
    assert written == python_reference.page(), "run tools/python_reference.py > docs/python-reference.md"


def test_everything_public_is_described_and_typed():
    lacking = []
    for name in pileus.__all__:
        thing = getattr(pileus, name)
        members = [(name, thing)]
        if isinstance(thing, type):
            members += [(f"{name}.{m}", w) for m, w in vars(thing).items() if not m.startswith("_")]
        lacking += [m for m, w in members if callable(w) and not (getattr(w, "__doc__", "") or "").strip()]
    assert lacking == []
    assert (ROOT / "bindings" / "python" / "pileus" / "py.typed").is_file()


def test_the_version_is_that_of_the_project():
    version = re.search(
        r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text().split("project(")[1]
    )[1]
    assert pileus.__version__ == version
    assert f'version = "{version}"' in (ROOT / "pyproject.toml").read_text()

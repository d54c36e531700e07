"""Every benchmark runs with --quick and writes JSON of the promised shape. Nobody judges the figures."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from oracle.launch import SERVER

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(SERVER).resolve().parent.parent


def benchmarks():
    """The programs that the build made, and the executable scripts."""
    folders = [BUILD / "bench", ROOT / "bench"]
    return [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())
            if path.is_file() and os.access(path, os.X_OK)]


@pytest.mark.parametrize("benchmark", benchmarks(), ids=lambda path: path.stem)
def test_benchmark_writes_figures_of_the_promised_shape(benchmark, tmp_path):
    written = tmp_path / "figures.json"

    done = subprocess.run([benchmark, "--quick", "--json", written], capture_output=True, text=True,
                          timeout=240, env={**os.environ, "PILEUS_BUILD": str(BUILD)})

    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(written.read_text())
    keys = {figure["key"]: figure["value"] for figure in document["figures"] if "key" in figure}
    assert document == {**keys, **{name: document[name] for name in ("bench", "machine", "figures")}}
    assert document["bench"] == benchmark.stem
    assert "cores" in document["machine"]
    assert document["figures"]
    for figure in document["figures"]:
        assert figure["name"] in done.stdout, "the table has what the JSON has"
        assert isinstance(figure["value"], (int, float)) and figure["unit"]
        low, high = figure["spread"]
        assert low <= figure["value"] <= high


def test_benchmark_names_an_argument_that_it_does_not_know(tmp_path):
    for benchmark in benchmarks():
        done = subprocess.run([benchmark, "--jsn", tmp_path / "x"], capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 2 and "--jsn" in done.stderr, benchmark

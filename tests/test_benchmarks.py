"""Every benchmark runs with --quick and writes JSON of the promised shape. Nobody judges the figures."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from oracle.launch import SERVER

ROOT = Path(__file__).resolve().parent.parent
CANNOT = 77  # of bench/figures.py
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

    if done.returncode == CANNOT:
        pytest.skip(done.stderr.strip())
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


def test_counter_of_allocations_counts_calls_and_copied_bytes(tmp_path):
    counter = BUILD / "bench" / "models" / "libcount_allocations.so"
    if not counter.is_file():
        pytest.skip(f"no library {counter}: build it, or set PILEUS_BUILD")
    program = ("import ctypes, sys; libc = ctypes.CDLL(None); memory = ctypes.create_string_buffer(1 << 20)\n"
               "for _ in range(int(sys.argv[1])): libc.calloc(1, 100); libc.memmove(memory, memory, 1 << 20)")

    def counted(calls):
        has = {"LD_PRELOAD": str(counter), "BENCH_COUNTS": str(tmp_path / "counts")}
        subprocess.run([sys.executable, "-c", program, str(calls)], env={**os.environ, **has}, check=True)
        return [int(word) for word in (tmp_path / "counts").read_text().split()]

    few, many = counted(1000), counted(3000)

    allocations, asked, _, copied = (b - a for a, b in zip(few, many, strict=True))
    assert 2000 <= allocations < 2200, "those of the interpreter hardly differ"
    assert 200_000 <= asked < 1_000_000
    assert 2000 << 20 <= copied < 2010 << 20


def test_benchmark_names_an_argument_that_it_does_not_know(tmp_path):
    for benchmark in benchmarks():
        done = subprocess.run([benchmark, "--jsn", tmp_path / "x"], capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 2 and "--jsn" in done.stderr, benchmark

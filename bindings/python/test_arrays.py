"""Arrays of every kind arrive as they are, or are refused with what to do."""

import array
import subprocess
import sys

import numpy as np
import pytest

import pileus
from attached_runs import SIZES, include, make, started, values_of
from attached_runs import configuration as configured

SHAPE = (3, 4, 5)


def arrived(tmp_path, put, dtype=np.float64):
    return make(tmp_path, put, dtype=dtype).dataset["theta"].to_numpy()


EXPECTED = np.stack([values_of(step) for step in (1, 2, 3, 4)])

LAYOUTS = {
    "dense": lambda a: a,
    "Fortran order": np.asfortranarray,
    "inside of a halo": lambda a: np.pad(a, 2)[2:-2, 2:-2, 2:-2],
    "every other": lambda a: np.repeat(np.repeat(a, 2, 0), 3, 2)[::2, :, ::3],
    "backwards": lambda a: np.ascontiguousarray(a[::-1, :, ::-1])[::-1, :, ::-1],
    "other order": lambda a: np.ascontiguousarray(a.transpose(1, 2, 0)).transpose(2, 0, 1),
    "read only": lambda a: np.frombuffer(a.tobytes()).reshape(a.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_strides(tmp_path, layout):
    got = arrived(tmp_path, lambda field, step: field.put(LAYOUTS[layout](values_of(step))))

    assert got.tobytes() == EXPECTED.tobytes()


def test_random_strides(tmp_path):
    rng = np.random.default_rng(7)

    def put(field, step):
        axes = rng.permutation(3)
        steps = rng.integers(1, 4, 3) * rng.choice([-1, 1], 3)
        room = np.full([SHAPE[axis] * 3 + 5 for axis in axes], np.nan)
        view = room.transpose(np.argsort(axes))
        chosen = tuple(
            slice(2, 2 + size * step, step) if step > 0 else slice(2 - size * step, 2, step)
            for size, step in zip(SHAPE, steps, strict=True)
        )
        view[chosen] = values_of(step)
        field.put(view[chosen])

    assert arrived(tmp_path, put).tobytes() == EXPECTED.tobytes()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.int64, bool])
def test_every_type(tmp_path, dtype):
    results = make(tmp_path, lambda field, step: field.put(values_of(step, dtype)), dtype=dtype)
    got = results.dataset["theta"]

    assert (got.to_numpy() == np.stack([values_of(step, dtype) for step in (1, 2, 3, 4)])).all()
    assert dtype is bool or got.encoding["dtype"] == dtype


class OnlyDlpack:
    """As a tensor of another library."""

    def __init__(self, values, device=(1, 0)):
        self._values, self._device = values, device

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, **settings):
        return self._values.__dlpack__(**settings)


def test_arrays_of_others(tmp_path):
    xarray = pytest.importorskip("xarray")
    kinds = [
        lambda a: xarray.DataArray(a, dims=("z", "y", "x")),
        OnlyDlpack,
        lambda a: memoryview(array.array("d", a.ravel())).cast("B").cast("d", SHAPE),
        lambda a: xarray.DataArray(OnlyDlpack(a).__class__(a)._values, dims=("z", "y", "x")),
    ]

    got = arrived(tmp_path, lambda field, step: field.put(kinds[step - 1](values_of(step))))

    assert got.tobytes() == EXPECTED.tobytes()


REFUSED = {
    "shape": (lambda a: a[:, :3], "3"),
    "rank": (lambda a: a[0], "5 x 4$"),
    "type": (lambda a: a.astype(np.float32), "float"),
    "complex": (lambda a: a.astype(complex), "complex128"),
    "half": (lambda a: a.astype(np.float16), "float16"),
    "swapped": (lambda a: a.astype(">f8"), "swapped"),
    "objects": (lambda a: a.astype(object), "float64"),
    "text": (lambda a: "warm", "<U4"),
    "nothing": (lambda a: None, "NoneType"),
    "device": (lambda a: OnlyDlpack(a, (2, 0)), "CUDA"),
    "masked": (lambda a: np.ma.masked_less(a, 5), "masked"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused_changes_nothing(tmp_path, kind):
    change, word = REFUSED[kind]

    def put(field, step):
        with pytest.raises(pileus.UsageError, match=word) as refused:
            field.put(change(values_of(step)))
        assert "theta" in str(refused.value)
        field.put(values_of(step))

    assert arrived(tmp_path, put).tobytes() == EXPECTED.tobytes()


def test_stable_arrays_and_memory_of_ours(tmp_path):
    held = []

    def put(field, step):
        if not held:
            held.append(field._run.empty(SHAPE))
            assert not held[0].any()
        held[0][:] = values_of(step)
        field.put(held[0], stable=True)

    assert arrived(tmp_path, put).tobytes() == EXPECTED.tobytes()
    held[0][:] = 1  # it outlives its run


def test_parts(tmp_path):
    def put(field, step):
        for part in (2, 0, 1):
            field.put_part(part, values_of(step)[part])

    assert arrived(tmp_path, put).tobytes() == EXPECTED.tobytes()


def test_scalars_texts_and_maps(tmp_path):
    text = configured(
        '<field name="n" type="scalar"/><field name="count" type="scalar" data_type="integer"/>'
        '<field name="word" type="scalar" data_type="string"/>'
        '<field name="options" type="map" data_type="string"/>',
        include("n") + include("count") + include("word") + include("options"),
    )
    with pileus.Run(text, directory=tmp_path) as run:
        run.dimension("pairs", 3)
        n, count = run.field("n"), run.field("count", dtype=np.int32)
        word, options = run.text_field("word", 8), run.map_field("options", 10, "pairs")
        run.commit()
        for step in (1, 2, 3, 4):
            with run.step(step, step, 1, final=step == 4):
                n.put(step / 2)
                count.put(step)
                word.put(f"wörd {step}")
                options.put({"a": "1", "b": f"{step}"})
    dataset = run.results().dataset

    assert dataset["n"].values.tolist() == [0.5, 1, 1.5, 2]
    assert dataset["count"].values.tolist() == [1, 2, 3, 4]
    assert dataset["word"].values.tolist() == [f"wörd {s}" for s in (1, 2, 3, 4)]
    assert dataset["options"].values[3].tolist() == [["a", "1"], ["b", "4"], ["", ""]]


def test_points_in_blocks(tmp_path):
    """Blocks of 3 of 20 points, in an order of their own, with holes at the end."""
    text = configured('<field name="t" type="array" size="x,y" collective="true"/>', include("t"))
    order = np.random.default_rng(1).permutation(20)
    indices = np.full((7, 3), -1)
    indices.ravel()[:20] = order
    with started(tmp_path, text) as run:
        run.points("cells", ("y", "x"), indices)
        t = run.field("t", ("cells", "cells"))
        run.commit()
        for step in (1, 2, 3, 4):
            with run.step(step, step, 1, final=step == 4):
                t.put(np.where(indices < 0, np.nan, indices * 10.0 + step))
    got = run.results().dataset["t"].to_numpy()

    assert (got == [np.arange(20.0).reshape(4, 5) * 10 + step for step in (1, 2, 3, 4)]).all()


def test_local_sums_have_the_bits_of_the_exact_sum():
    rng = np.random.default_rng(3)
    values = rng.standard_normal((6, 50)) * 10.0 ** rng.integers(-8, 9, (6, 50))
    with pileus.Run(configured('<field name="t" type="scalar"/>', include("t"))) as run:
        sums = run.local_sum(values, kept=[0])
        whole = run.local_sum(values.T[::2], parts=5)

    import math

    assert sums.shape == (6, 3)
    assert [math.fsum(row) for row in sums] == [math.fsum(row) for row in values]
    assert math.fsum(whole) == math.fsum(values.T[::2].ravel())


def test_wants_tell_what_a_model_has_to_register(tmp_path):
    text = configured(
        '<field name="theta" type="array" data_type="float" size="x,y,z" collective="true"/>'
        '<field name="n" type="scalar" optional="true"/>',
        include("theta"),
    )
    with started(tmp_path, text) as run:
        theta, n = run.wants()

    assert (theta.name, theta.dims, theta.dtype) == ("theta", ("z", "y", "x"), np.float32)
    assert theta.is_collective and not theta.is_optional
    assert (n.dims, n.dtype, n.is_optional, n.definition, n.frequency) == ((), None, True, "state", 1)


def test_it_imports_without_mpi():
    """Nor does an attached run load any."""
    program = (
        "import pileus; pileus.Run('<io-configuration/>').close(); print(open('/proc/self/maps').read())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    assert "libpileus_alone" in done.stdout and "libmpi" not in done.stdout


def test_the_sizes_of_a_field_are_those_of_its_dimensions(tmp_path):
    with started(tmp_path) as run:
        with pytest.raises(pileus.UsageError, match='no dimension "w"'):
            run.field("theta", ("w", "y", "x"))
        with pytest.raises(pileus.UsageError, match="3 names, start 3 numbers and shape 2"):
            run.field("theta", ("z", "y", "x"), shape=(3, 4))
        assert [SIZES[dim] for dim in ("z", "y", "x")] == list(SHAPE)


MISTAKES = {
    "half a size": lambda run: run.dimension("w", 4.5),
    "a size of 65 bits": lambda run: run.dimension("w", 2**64 + 4),
    "dates": lambda run: run.dimension("w", np.array(["2000-01-01"], "datetime64[D]")),
    "words": lambda run: run.dimension("w", ["a", "b"]),
    "half a shape": lambda run: run.field("theta", ("z", "y", "x"), shape=(3, 4, 4.7)),
    "no shape": lambda run: run.field("theta", ("z", "y", "x"), shape=("a", 4, 5)),
    "a start of 65 bits": lambda run: run.field("theta", ("z", "y", "x"), (2**64, 0, 0), (3, 4, 5)),
    "half a point": lambda run: run.points("cells", ("y", "x"), [0.5]),
    "a NUL": lambda run: run.option("a", "b\0c"),
    "half a step": lambda run: run.step(0.5, 1, 1),
    "a step of 65 bits": lambda run: run.step(2**64, 1, 1),
    "a time that is none": lambda run: run.step(1, "now", 1).__enter__(),
    "an axis that is none": lambda run: run.local_sum(np.ones((2, 2)), kept=[2]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_numbers_are_not_bent(tmp_path, mistake):
    with started(tmp_path) as run, pytest.raises(pileus.UsageError):
        MISTAKES[mistake](run)


def test_numbers_of_numpy_are_numbers(tmp_path):
    text = configured(
        '<field name="n" type="scalar"/><field name="i" type="scalar"/>', include("n") + include("i")
    )
    with pileus.Run(text, directory=tmp_path) as run:
        run.dimension("x", np.int32(3))
        run.dimension("y", np.array(4))
        n, i = run.field("n"), run.field("i", dtype=np.int32)
        run.commit()
        for step in np.arange(1, 5):
            with run.step(step, np.float32(step), np.float64(1), final=step == 4):
                n.put(np.float32(step))
                i.put(np.int64(step))
                with pytest.raises(pileus.UsageError, match="whole"):
                    i.put(2.7)
    assert run.results().dataset["n"].values.tolist() == [1, 2, 3, 4]

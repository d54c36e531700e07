#!/usr/bin/env python3
"""Measures how long it takes to follow objects from step to step, in planes and volumes: nanoseconds for an
element of a step.

Compared with scipy.ndimage.label for each step and a match of labels by what they have in common, with NumPy
(numpy.unique of pairs of labels, and numpy.lexsort). Both take turns and give the same identities. Times are
processor times of one thread.
"""

import ctypes

import numpy as np
from figures import BUILD, Figures, read_settings
from scipy import ndimage
from turns import take_turns


def moving(shape, steps, seed):
    """A field whose objects, some ten elements across, move along x, grow and vanish."""
    random = np.random.default_rng(seed)
    widths = [4 if size > 1 else 0 for size in shape]

    def smooth():
        field = ndimage.gaussian_filter(random.normal(size=shape), widths, mode="wrap")
        return field / field.std()

    first, second = smooth(), smooth()
    turns = np.linspace(0, 1, steps)
    return np.array([np.roll(np.cos(t) * first + np.sin(t) * second, 2 * s, -1) for s, t in enumerate(turns)])


def first_of(keys, *orders):
    """Where each key stands first, when all stand by the orders, the most important one first."""
    at = np.lexsort((*orders[::-1], keys))
    return at[np.unique(keys[at], return_index=True)[1]]


def followed(inside):
    """The identity of each element's object in each step, as the operator `track` has them."""
    made = np.zeros(inside.shape)
    before, identities, following = None, None, 1
    for s, plane in enumerate(inside):
        labels, count = ndimage.label(plane)
        mine = np.zeros(count + 1, np.int64)
        if before is not None:
            both = (labels > 0) & (before > 0)
            pairs = labels[both].astype(np.int64) * len(identities) + before[both]
            pairs, elements = np.unique(pairs, return_counts=True)
            now, then = np.divmod(pairs, len(identities))
            origin = first_of(now, -elements, identities[then])
            now, then, elements = now[origin], then[origin], elements[origin]
            heir = first_of(then, -elements, now)
            mine[now[heir]] = identities[then[heir]]
        new = np.flatnonzero(mine[1:] == 0) + 1
        mine[new] = following + np.arange(len(new))
        following += len(new)
        made[s] = mine[labels]
        before, identities = labels, mine
    return made


def main():
    """Measures planes and volumes, dense and sparse, and reports."""
    settings = read_settings(__doc__, repeats=7, steps=10)
    repeats, steps = (1, 3) if settings.quick else (settings.repeats, settings.steps)
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libobjects_operators.so"))
    library.bench_track_ns.restype = ctypes.c_double
    figures = Figures("tracks", settings)
    shapes = {"planes": (1, 500, 800), "volume": (16, 160, 160)}
    if settings.quick:
        shapes = {"planes": (1, 30, 48), "volume": (4, 20, 24)}
    for name, above in ("sparse", 1.5), ("half", 0.0):
        for way, shape in shapes.items():
            inside = moving(shape, steps, 3) > above
            fields = inside.astype(np.float64)

            def ours(fields=fields, shape=shape, way=way):
                out = np.zeros(fields.shape)
                sizes = [ctypes.c_int64(n) for n in (*shape[::-1], steps)]
                arrays = [ctypes.c_void_p(one.ctypes.data) for one in (fields, out)]
                dimensions = b"y,x" if way == "planes" else b"z,y,x"
                return library.bench_track_ns(dimensions, *sizes, *arrays), out

            take_turns(figures, f"{name}, {way}", repeats, inside.size, ours=ours, other="SciPy and NumPy",
                       theirs=lambda inside=inside: followed(inside), same=np.array_equal)
    figures.report()


if __name__ == "__main__":
    main()

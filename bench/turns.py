"""Two ways to the same numbers that take turns: how long each takes, and their ratio."""

import time


def timed(function):
    """The nanoseconds of this thread's processor time that a function took, and what it returned."""
    start = time.thread_time()
    made = function()
    return (time.thread_time() - start) * 1e9, made


def take_turns(figures, name, repeats, elements, *, ours, other, theirs, same):
    """Adds the nanoseconds an element of both ways, and ours over theirs.

    ours : returns nanoseconds, and what was made
    theirs : returns what it made; `other` says whose it is
    same : whether both made the same
    """
    found = {"ours": [], other: [], f"ours / {other}": []}
    for _ in range(repeats):
        theirs_ns, expected = timed(theirs)
        ours_ns, made = ours()
        assert same(made, expected), name
        values = (ours_ns / elements, theirs_ns / elements, ours_ns / theirs_ns)
        for samples, value in zip(found.values(), values, strict=True):
            samples.append(value)
    for key, samples in found.items():
        figures.add(f"{name}, {key}", "1" if "/" in key else "ns", samples)

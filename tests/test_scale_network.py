"""In bench/scale's virtual time a link serves letters in the order in which they come to it."""

import subprocess

import numpy as np
import pytest
from oracle.launch import BUILD

SCALE = BUILD / "bench" / "models" / "scale"
RANKS, SERVERS, STEPS, STEP_S, BEGIN_S = 40, 4, 4, 0.1, 2.0
OF_NODE, LATENCY_S, LINK_BYTES_S, NEAR_LATENCY_S, NEAR_BYTES_S = 36, 2e-6, 12.5e9, 0.5e-6, 5e9  # world.h
SENT = np.dtype([("from", "u4"), ("to", "u4"), ("size_bytes", "u8"), ("departs", "f8"), ("arrives", "f8")])


def arrivals(sent):
    """When each letter comes, where they are in the order in which they depart; seen after the fact.

    Within a node a letter does not overtake a larger one before it between the same two.
    """
    arrives, out_free, in_free, last, reaching = np.zeros(len(sent)), {}, {}, {}, []
    for number, letter in enumerate(sent):
        source, target = letter["from"] // OF_NODE, letter["to"] // OF_NODE
        if source == target:
            both = letter["from"], letter["to"]
            alone = letter["departs"] + NEAR_LATENCY_S + letter["size_bytes"] / NEAR_BYTES_S
            arrives[number] = last[both] = max(alone, last.get(both, 0))
            continue
        begins = max(letter["departs"], out_free.get(source, 0))
        out_free[source] = begins + letter["size_bytes"] / LINK_BYTES_S
        reaching.append((begins + LATENCY_S, number, target))
    for reaches, number, target in sorted(reaching):
        in_free[target] = max(reaches, in_free.get(target, 0)) + sent[number]["size_bytes"] / LINK_BYTES_S
        arrives[number] = in_free[target]
    return arrives


@pytest.mark.parametrize("case", ["profiles", "fields"])
def test_letters_of_steps_come_when_the_links_before_them_are_free(case, tmp_path):
    if not SCALE.is_file():
        pytest.skip(f"no program {SCALE}: build it, or set PILEUS_BUILD")
    words = [case, RANKS, SERVERS, STEPS, STEP_S, tmp_path, tmp_path / "letters", BEGIN_S]

    subprocess.run([str(word) for word in [SCALE, *words]], check=True, capture_output=True, timeout=240)

    sent = np.sort(np.fromfile(tmp_path / "letters", SENT), order="departs")
    sent = sent[sent["departs"] >= BEGIN_S]
    from_ranks = np.count_nonzero(sent["from"] < RANKS)
    assert from_ranks >= RANKS * STEPS, "each rank sends something in each step"
    assert np.any(sent["from"] // OF_NODE != sent["to"] // OF_NODE)
    np.testing.assert_allclose(sent["arrives"], arrivals(sent), rtol=0, atol=1e-9)

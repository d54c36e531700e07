#!/usr/bin/env python3
"""Checks the network of scale.py against SimGrid's: the same letters, in both.

The program scale records what ten steps send, where all model ranks begin a step together. SimGrid's MPI
(smpirun, Debian's libsimgrid-dev) sends the same letters at the same moments, on two platforms: nodes with
one link in each direction, as bench/scale/world.h has them, and a fat tree whose switches have half as many
links to above as to nodes. It reports how long a letter is on its way, within a node and between nodes, and
how long after a step's end all has come: in virtual time, and SimGrid's as a multiple of that.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from figures import CANNOT, ROOT, Figures, read_settings
from runs import MODELS

CASES = ("profiles", "fields")
SIZES = ((64, 6), (256, 25), (1024, 102))
STEPS, FIRST_RECORDED, STEP_S, BEGIN_S = 20, 10, 0.1, 3.0
OF_NODE = 36  # processes, as in world.h
SENT = np.dtype([("from", "u4"), ("to", "u4"), ("size_bytes", "u8"), ("departs", "f8"), ("arrives", "f8")])
# SimGrid's network without what it adds for a cluster with TCP: no factor for each size of a message (model
# CM02 with factors of 1, not SMPI), no weight of latencies, no acknowledgements that take bandwidth. The
# program's own time is not counted, nor what a look at the clock takes. What a message costs the processors
# of both sides (smpi/os, smpi/ois, smpi/or) stays 0, as scale puts it on its clocks before a letter departs.
# Where MPI would turn from eager to rendezvous (64 KiB) does not matter, as all receives are posted before.
OPTIONS = ("network/model:CM02", "network/latency-factor:1", "network/bandwidth-factor:1",
           "network/weight-S:0", "network/crosstraffic:0", "smpi/simulate-computation:no", "smpi/wtime:0",
           "smpi/host-speed:1Gf", "surf/precision:1e-10")
WITHIN = 'loopback_bw="5GBps" loopback_lat="500ns" speed="1Gf" prefix="n" suffix="" id="nodes"'
TREE = 'topology="FAT_TREE" topo_parameters="2;8,4;1,4;1,1"'  # 4 switches of 8 nodes, 4 above them
PLATFORMS = {"one link": 'radical="0-{last}" bw="12.5GBps" lat="1us"',
             "fat tree": f'radical="0-31" bw="12.5GBps" lat="500ns" {TREE}'}


def checked(command):
    """What a program prints. Errors: ends the benchmark."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def recorded(case, ranks, servers, folder):
    """What the last steps of a run sent, in the order in which it departed; second 0 is when they begin."""
    letters = folder / "recorded"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        checked([MODELS / "scale", case, ranks, servers, STEPS, STEP_S, directory, letters, BEGIN_S])
    sent = np.fromfile(letters, SENT)
    begin_s = BEGIN_S + FIRST_RECORDED * STEP_S
    end_s = BEGIN_S + STEPS * STEP_S  # the last step's hand-over, and the end of the run, come after it
    sent = sent[(sent["departs"] >= begin_s) & (sent["departs"] < end_s)]
    for moment in ("departs", "arrives"):
        sent[moment] -= begin_s
    return np.sort(sent, order="departs")


def arrivals(sent, processes, platform, program, folder):
    """When SimGrid has each letter at its receiver."""
    letters, xml, hosts = folder / "letters", folder / "platform.xml", folder / "hosts"
    sent.tofile(letters)
    nodes = PLATFORMS[platform].format(last=(processes - 1) // OF_NODE)
    xml.write_text('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                   f'<platform version="4.1"><cluster {WITHIN} {nodes}/></platform>\n')
    hosts.write_text("".join(f"n{p // OF_NODE}\n" for p in range(processes)) * 2)
    options = [f"--cfg={option}" for option in OPTIONS]
    text = checked(["smpirun", "-no-privatize", "-np", 2 * processes, "-platform", xml, "-hostfile", hosts,
                    program, *options, "--log=root.thresh:error", letters])
    numbers, came = np.array([line.split() for line in text.splitlines()], float).T
    if sorted(numbers) != list(range(len(sent))):
        sys.exit(f"smpi_replay: {len(numbers)} of {len(sent)} letters came")
    return came[np.argsort(numbers)]


def measures(sent, arrives, ranks):
    """Seconds, by name."""
    delays = arrives - sent["departs"]
    is_near = sent["from"] // OF_NODE == sent["to"] // OF_NODE
    found = {}
    for where, which in (("within a node", is_near), ("between nodes", ~is_near)):
        if which.any():
            found[f"letter {where}, median"] = np.median(delays[which])
            found[f"letter {where}, 90 %"] = np.quantile(delays[which], 0.9)
            found[f"letter {where}, most"] = delays[which].max()
    step = (sent["departs"] / STEP_S).astype(int)
    for what, which in (("what model ranks sent", sent["from"] < ranks), ("everything", sent["from"] >= 0)):
        last = [arrives[which & (step == n)].max() - n * STEP_S for n in np.unique(step)]
        found[f"a step's end until {what} came"] = np.median(last)
    return found


def main():
    """Records each run once, sends its letters through each platform, and reports."""
    settings = read_settings(__doc__)
    for tool in ("smpicc", "smpirun"):
        if shutil.which(tool) is None:
            print(f"network: {tool} was not found: install SimGrid (Debian: libsimgrid-dev)", file=sys.stderr)
            sys.exit(CANNOT)
    figures = Figures("network", settings)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        program = folder / "smpi_replay"
        checked(["smpicc", "-O1", ROOT / "bench" / "scale" / "smpi_replay.c", "-o", program])
        for case in CASES:
            for ranks, servers in ((40, 4),) if settings.quick else SIZES:
                sent = recorded(case, ranks, servers, folder)
                ours = measures(sent, sent["arrives"], ranks)
                theirs = {}
                for platform in PLATFORMS:
                    arrives = arrivals(sent, ranks + servers, platform, program, folder)
                    theirs[platform] = measures(sent, arrives, ranks)
                for name, seconds in ours.items():
                    title = f"{case}: {ranks} ranks, {servers} servers: {name}"
                    figures.add(title, "us", [1e6 * seconds])
                    for platform, measured in theirs.items():
                        figures.add(f"{title}, SimGrid's {platform} over it", "1", [measured[name] / seconds])
    figures.report()


if __name__ == "__main__":
    main()

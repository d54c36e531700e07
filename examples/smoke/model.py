"""A puff of smoke in the wind, in Python: 50 x 33 cells of 1 km, carried and mixed, periodic; the domain is
shared in both directions, unevenly, and the time step varies. docs/python.md says how it is started."""

import sys

import numpy as np
from mpi4py import MPI

import pileus

NX, NY, STEPS = 50, 33, 90
CELL, WIND_X, WIND_Y, MIXING = 1000.0, 6.0, 4.0, 100.0  # m, m/s, m2/s


def exchange(c, grid):
    """Fills the halo of the cells, one cell wide, from the four neighbours."""
    west, east = grid.Shift(0, 1)
    south, north = grid.Shift(1, 1)
    for to, source, sent, halo in (
        (east, west, (slice(1, -1), -2), (slice(1, -1), 0)),
        (west, east, (slice(1, -1), 1), (slice(1, -1), -1)),
        (north, south, (-2, slice(1, -1)), (0, slice(1, -1))),
        (south, north, (1, slice(1, -1)), (-1, slice(1, -1))),
    ):
        got = np.empty_like(c[halo])
        grid.Sendrecv(np.ascontiguousarray(c[sent]), to, 0, got, source, 0)
        c[halo] = got


def compute(run):
    # This rank's part: nx x ny cells, the first of them at (x0, y0) of the domain.
    model = run.model_comm
    shares = MPI.Compute_dims(model.size, 2)
    grid = model.Create_cart(shares, periods=[True, True])
    at = grid.Get_coords(grid.rank)
    x0, y0 = NX * at[0] // shares[0], NY * at[1] // shares[1]
    nx, ny = NX * (at[0] + 1) // shares[0] - x0, NY * (at[1] + 1) // shares[1] - y0

    # docs: register
    run.dimension("x", NX)
    run.dimension("y", NY)
    smoke = run.field("smoke", dims=("y", "x"), start=(y0, x0), shape=(ny, nx))
    step_length = run.field("step_length")
    run.commit()
    # docs: end

    dx = (x0 + np.arange(nx) - 12) / 4.0
    dy = ((y0 + np.arange(ny) - 10) / 3.0)[:, np.newaxis]
    c = np.zeros((ny + 2, nx + 2))
    c[1:-1, 1:-1] = 1 / (1 + dx * dx + dy * dy)
    time = 0.0
    for step in range(1, STEPS + 1):
        dt = 20.0 + 5 * (step % 5)  # s
        exchange(c, grid)
        here, west, east = c[1:-1, 1:-1], c[1:-1, :-2], c[1:-1, 2:]
        south, north = c[:-2, 1:-1], c[2:, 1:-1]
        carried = WIND_X * (here - west) + WIND_Y * (here - south)
        mixed = MIXING / CELL * (west + east + south + north - 4 * here)
        following = c.copy()
        following[1:-1, 1:-1] = here + dt / CELL * (mixed - carried)
        c = following
        time += dt

        # docs: step
        with run.step(step, time, dt, final=step == STEPS):
            step_length.put(dt)
            if smoke.wanted:
                smoke.put(c[1:-1, 1:-1])  # the halo lies between the rows
        # docs: end
    grid.Free()


# docs: start
configuration = sys.argv[1] if len(sys.argv) > 1 else None
with pileus.Run(configuration, MPI.COMM_WORLD) as run:
    if not run.serves:  # the others have served, and the run is over
        compute(run)
# docs: end

"""Runs Veros' setup acc_basic with output of its own, by Pileus, by both or with none.

acc.py DAYS [--output veros pileus] [--config FILE] [--servers N], also under mpirun.
"""

import argparse
import sys
import time


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("days", type=float, help="model days")
    parser.add_argument("--output", nargs="*", default=[], choices=["veros", "pileus"])
    parser.add_argument("--config", default="acc.xml", help="the configuration of Pileus")
    parser.add_argument("--servers", type=int, default=0, help="so many ranks serve")
    return parser.parse_args()


def simulate(given, run, comm):
    """Seconds that the steps of the model took, with their output."""
    from veros import runtime_settings

    if comm is not None:
        runtime_settings.mpi_comm = comm
        runtime_settings.num_proc = (comm.Get_size(), 1)
    runtime_settings.loglevel = "error"
    runtime_settings.hdf5_gzip_compression = False
    runtime_settings.diskless_mode = "veros" not in given.output
    from veros import veros_routine
    from veros.setups.acc_basic.acc_basic import ACCBasicSetup

    class Setup(ACCBasicSetup):
        @veros_routine
        def set_parameter(self, state):
            super().set_parameter(state)
            state.settings.runlen = 86400 * given.days

        @veros_routine
        def set_diagnostics(self, state):
            diagnostics, step = state.diagnostics, state.settings.dt_tracer
            for one in diagnostics.values():
                one.output_frequency = one.sampling_frequency = 0
            if "veros" in given.output:
                averages, snapshot = diagnostics["averages"], diagnostics["snapshot"]
                averages.output_variables = ["temp", "salt", "u", "v", "w", "psi"]
                averages.sampling_frequency, averages.output_frequency = step, 10 * step
                snapshot.output_variables = ["temp", "salt", "u", "v", "w"]
                snapshot.output_frequency = 20 * step
            if run is not None:
                from veros_pileus import PileusDiagnostic

                diagnostics["pileus"] = PileusDiagnostic(state, run)

    model = Setup()
    model.setup()
    began = time.perf_counter()
    model.run(show_progress_bar=False)
    if run is not None:
        model.state.diagnostics["pileus"].finish(model.state)
    return time.perf_counter() - began


def main():
    given = parse()
    comm = None
    try:
        from mpi4py import MPI

        comm = MPI.COMM_WORLD if MPI.COMM_WORLD.Get_size() > 1 else None
    except ImportError:
        pass
    if "pileus" not in given.output:
        print("seconds", simulate(given, None, comm))
        return
    import pileus

    with pileus.Run(given.config, comm, servers=given.servers or None) as run:
        if not run.serves:
            print("seconds", simulate(given, run, run.model_comm))


if __name__ == "__main__":
    sys.exit(main())

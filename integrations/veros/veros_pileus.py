"""Hands the variables of Veros over to Pileus, as one of its diagnostics.

```python
import pileus
from mpi4py import MPI
from veros import runtime_settings

from veros_pileus import PileusDiagnostic

with pileus.Run("ocean.xml", MPI.COMM_WORLD, servers=1) as run:
    if not run.serves:
        runtime_settings.mpi_comm = run.model_comm
        ...  # in set_diagnostics: state.diagnostics["pileus"] = PileusDiagnostic(state, run)
```

Fields are the variables that the configuration names, with Veros' own names of dimensions, xt first; those
with several time levels are handed over at the present one. A step ends at the model's time, and is as long
as the time since the last one.
"""

import numpy as np
from veros import distributed
from veros import runtime_settings as rs
from veros.diagnostics.base import VerosDiagnostic
from veros.variables import TIMESTEPS, get_shape

GHOSTS = 2  # on either side of a rank's part in x and y
_SCATTERED = [dim for dims in distributed.SCATTERED_DIMENSIONS for dim in dims]


class PileusDiagnostic(VerosDiagnostic):
    """Args: the state of Veros, and a run of Pileus before its registration."""

    name = "pileus"
    output_path = None

    def __init__(self, state, run):
        self.run = run
        self.sampling_frequency = state.settings.dt_tracer
        self._fields, self._time, self._step = {}, None, 0

    def initialize(self, state):
        run = self.run
        wanted = [one.name for one in run.wants()]
        unknown = [name for name in wanted if name not in state.var_meta]
        if unknown:
            raise ValueError(f"Veros has no variable {', '.join(unknown)}, which the configuration wants")
        dims = {name: self._dims(state, name) for name in wanted}
        for dim in dict.fromkeys(dim for each in dims.values() for dim in each):
            coordinates, units = self._coordinates(state, dim)
            run.dimension(dim, coordinates, units=units)
        for name in wanted:
            start, shape = self._part(state, dims[name])
            variable = state.var_meta[name]
            self._fields[name] = run.field(
                name,
                dims[name],
                start,
                shape,
                np.asarray(getattr(state.variables, name)).dtype,
                units=variable.units or None,
                long_name=variable.name or None,
            )
        run.commit()
        self._time = float(state.variables.time)

    @staticmethod
    def _part(state, dims):
        """Where this rank's part begins in the whole domain, and its extents."""
        if not dims:
            return [], []
        whole = get_shape(state.dimensions, dims, include_ghosts=False, local=False)
        places, _ = distributed.get_chunk_slices(state.dimensions["xt"], state.dimensions["yt"], dims)
        bounds = [place.indices(size) for place, size in zip(places, whole, strict=True)]
        return [first for first, _, _ in bounds], [last - first for first, last, _ in bounds]

    @staticmethod
    def _dims(state, name):
        return tuple(dim for dim in state.var_meta[name].dims or () if dim != TIMESTEPS[0])

    @staticmethod
    def _coordinates(state, dim):
        """Of the whole domain, on every rank; the size alone where Veros has none."""
        if dim not in state.var_meta:
            return state.dimensions[dim], None
        mine = np.asarray(getattr(state.variables, dim))
        whole = np.asarray(distributed.gather(mine, state.dimensions, (dim,)))
        if rs.mpi_comm is not None and rs.mpi_comm.Get_size() > 1:
            whole = rs.mpi_comm.bcast(whole, root=0)
        return (whole[GHOSTS:-GHOSTS] if dim in _SCATTERED else whole), state.var_meta[dim].units

    def _values(self, state, name):
        """This rank's part of the present time level, without its halo; a view, not a copy."""
        values = np.asarray(getattr(state.variables, name))
        dims = state.var_meta[name].dims or ()
        if TIMESTEPS[0] in dims:
            values = values[..., int(state.variables.tau)]
        inside = tuple(
            slice(GHOSTS, -GHOSTS) if dim in _SCATTERED else slice(None) for dim in self._dims(state, name)
        )
        return values[inside]

    def _put_wanted(self, state):
        for name, field in self._fields.items():
            if field.wanted:
                field.put(self._values(state, name))

    def diagnose(self, state):
        time = float(state.variables.time)
        self._step += 1
        with self.run.step(self._step, time, time - self._time):
            self._put_wanted(state)
        self._time = time

    def output(self, state):
        """Pileus writes when the configuration says."""

    def finish(self, state):
        """After the model's run: hands over what is due at the end, and waits until all is published."""
        with self.run.closing():
            self._put_wanted(state)
        self.run.finish()

"""Pileus from Python: hand a model's fields to servers that analyse and write them while the model runs.

```python
import pileus

with pileus.Run("run.xml", comm=None) as run:
    run.dimension("x", 64)
    theta = run.field("theta", dims=("x",))
    run.commit()
    for index in range(1, 11):
        with run.step(index, time=60.0 * index, length=60.0, final=index == 10):
            if theta.wanted:
                theta.put(state)
print(run.results())
```
"""

from pileus._fields import Field, Input, MapField, TextField, WantedField
from pileus._follow import PublishedFile
from pileus._library import program
from pileus._run import Run, Step, checkpoints, serve
from pileus._tools import check, explain, state
from pileus.errors import (
    ConfigError,
    Error,
    Finding,
    InternalError,
    OutputError,
    TransportError,
    UsageError,
)
from pileus.results import Results, open

__version__ = "0.1.0"

__all__ = [
    "ConfigError",
    "Error",
    "Field",
    "Finding",
    "Input",
    "InternalError",
    "MapField",
    "OutputError",
    "PublishedFile",
    "Results",
    "Run",
    "Step",
    "TextField",
    "TransportError",
    "UsageError",
    "WantedField",
    "check",
    "checkpoints",
    "explain",
    "open",
    "program",
    "serve",
    "state",
]

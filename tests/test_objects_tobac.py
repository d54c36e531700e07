"""Objects against those of tobac (https://tobac.readthedocs.io), which meteorologists track clouds with.

It brings 400 MB of packages, so it is none of those that `./dev` installs:
`build/venv/bin/pip install tobac==1.6.4` lets these tests run.
"""

import netCDF4
import numpy as np
import pytest
from test_objects import by_one  # noqa: F401 (a fixture)

tobac = pytest.importorskip("tobac")
xarray = pytest.importorskip("xarray")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def fields(by_one):  # noqa: F811
    """w, and what is made of it, each over times, z, y, x or times, z, rows of a table."""
    with netCDF4.Dataset(by_one) as file:
        file.set_auto_mask(False)
        dimensions = file["w"].dimensions
        names = ("w", "with_corners")
        found = {name: (file[name].dimensions, file[name][:]) for name in names}
    assert dimensions[0].startswith("time")
    order = [dimensions[0], *(one for name in "zyx" for one in dimensions if one == name)]
    assert len(order) == 4
    return {
        name: np.transpose(values, [at.index(one) for one in order]) for name, (at, values) in found.items()
    }


def features(w):
    """By time of one level: the points of each feature, and where its middle is."""
    times = np.datetime64("2000-01-01", "ns") + np.arange(len(w)) * np.timedelta64(60, "s")
    field = xarray.DataArray(
        w,
        dims=("time", "y", "x"),
        coords={"time": times, "y": np.arange(w.shape[1]) * 1e3, "x": np.arange(w.shape[2]) * 1e3},
    )
    found = tobac.feature_detection_multithreshold(
        field,
        dxy=1e3,
        threshold=[0.2],
        position_threshold="center",
        sigma_threshold=0,
        n_min_threshold=0,
        strict_thresholding=False,
        return_labels=False,
    )
    by_time = [[] for _ in w]
    for row in [] if found is None else found.itertuples():
        by_time[row.frame].append((int(row.num), float(row.hdim_1), float(row.hdim_2)))
    return by_time


def of_labels(labels):
    by_time = []
    for plane in labels:
        rows = []
        for label in np.unique(plane[plane > 0]):
            y, x = np.nonzero(plane == label)
            rows.append((len(y), y.mean(), x.mean()))
        by_time.append(rows)
    return by_time


def test_features_are_those_of_tobac(fields):
    """It joins points that touch at corners."""
    seen = 0
    for level in range(fields["w"].shape[1]):
        ours = of_labels(fields["with_corners"][:, level])
        theirs = features(fields["w"][:, level])
        for one, other in zip(ours, theirs, strict=True):
            assert len(one) == len(other)
            np.testing.assert_allclose(sorted(one), sorted(other), rtol=0, atol=1e-9)
            seen += len(one)
    assert seen > 50

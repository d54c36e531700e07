"""What rounding did to each record stands beside the variable: the oracle has all bits, in NumPy."""

import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
import xarray as xr
from oracle.configured import file, group, handling, include, write, writing
from oracle.kills import kill_when
from oracle.launch import Layout, environment, model_command, pileus, require_programs, run, run_model

STEPS = 12
OPTIONS = ("--size", "6,14,12", "--steps", STEPS)
LARGE = ("--size", "20,220,160", "--steps", 2)
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
FIELDS = '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
MADE = {
    "wave": "300 + 20 * sin(0.01 * w) + 0.001 * w",
    "flat": "0 * w + 3.3",
    "holes": "where(mod(w, 7) &lt; 2, log(0 - 1 - abs(w)), 270 + 0.37 * w)",
    "late": "lag(w, 3 steps) / 3",
}
WAYS = {
    "float": 'precision="float"',
    "bits": 'precision="float" significant_bits="7"',
    "multiples": 'precision="double" error="absolute 0.3"',
    "learned": 'precision="double" precision_from="information 0.9"',
    "all": 'precision="double"',
}
KINDS = {
    "none": {"manipulation": "none"},
    "means": {"manipulation": "averaged", "every": "7"},
}
SUFFIXES = ("largest_error", "rms_error", "variance_loss")


def configured(directory, kinds=KINDS, ending="nc"):
    made = "".join(
        f'<diagnostic field="{name}" units="K" expression="{text}"/>' for name, text in MADE.items()
    )
    files = []
    for kind, how in kinds.items():
        names = [name for name in MADE if kind == "none" or name != "late"]
        files.append(file(f"given_{kind}.nc", include(*names, **how), more='precision="double"'))
        for way, rounding in WAYS.items():
            more = f'{rounding} zstd="1" audit="true"'
            files.append(file(f"{way}_{kind}.{ending}", include(*names, **how), more=more))
    return write(directory, group(FIELDS), handling(made), writing(*files))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("audit")
    return run_model(ALONE, configured(directory), directory / "out", *OPTIONS)


def audited(given, there):
    """Of each record. `given`: NaN where there is no number."""
    found = {suffix: [] for suffix in SUFFIXES}
    for before, after in zip(given, there, strict=True):
        numbers = np.isfinite(before)
        before, error = before[numbers], (after - before)[numbers]
        if before.size == 0:
            for suffix in SUFFIXES:
                found[suffix].append(np.nan)
            continue
        deviation = before - before.mean()
        lost = -(2 * (deviation * (error - error.mean())).sum() + ((error - error.mean()) ** 2).sum())
        variance = (deviation**2).sum()
        found["largest_error"].append(np.abs(error).max())
        found["rms_error"].append(np.sqrt((error**2).mean()))
        found["variance_loss"].append(lost / variance if variance > 0 else 0.0 if lost == 0 else np.nan)
    return {suffix: np.array(numbers) for suffix, numbers in found.items()}


def assert_audited(given, found, name):
    """Both as xarray opens them."""
    expected = audited(given[name].values, found[name].values.astype(float))
    assert len(expected["rms_error"]) > 0
    for suffix in SUFFIXES:
        series = found[f"{name}_{suffix}"]
        assert series.dims == found[name].dims[:1] and series.dtype == np.float64
        assert series.attrs["units"] == ("1" if suffix == "variance_loss" else "K")
        assert name in series.attrs["long_name"]
    assert np.array_equal(found[f"{name}_largest_error"], expected["largest_error"], equal_nan=True)
    assert np.allclose(found[f"{name}_rms_error"], expected["rms_error"], rtol=1e-11, equal_nan=True)
    if name != "flat":  # which has a variance of the last bits of its mean
        assert np.allclose(
            found[f"{name}_variance_loss"], expected["variance_loss"], rtol=1e-8, atol=1e-14, equal_nan=True
        )
    assert found[name].attrs["ancillary_variables"].split() == [f"{name}_{suffix}" for suffix in SUFFIXES]


def opened(path):
    engine = {"engine": "zarr"} if path.suffix == ".zarr" else {}
    return xr.open_dataset(path, decode_times=False, **engine)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_errors_and_the_loss_of_variance_are_those_of_the_numbers(way, kind, files):
    with opened(files[f"given_{kind}_1000.nc"]) as given, opened(files[f"{way}_{kind}_1000.nc"]) as found:
        names = [name for name in MADE if name in given]
        for name in names:
            assert_audited(given, found, name)
        largest = {name: np.nanmax(found[f"{name}_largest_error"]) for name in names}
    assert largest["wave"] == 0 if way == "all" else largest["wave"] > 0
    if kind == "none":
        assert np.isnan(found["late_rms_error"][:3]).all() and not np.isnan(found["late_rms_error"][3])


def test_rounding_keeps_the_error_that_was_asked_for(files):
    with opened(files["multiples_none_1000.nc"]) as found:
        assert 0.1 < found["wave_largest_error"].max() <= 0.3
        assert 1e-13 < np.abs(found["wave_variance_loss"]).max() < 1e-6


@pytest.mark.parametrize("ending", ["nc", "zarr"])
@pytest.mark.parametrize("layout", [ALONE, Layout(4, 3, 1, True)], ids=str)
def test_all_chunks_of_a_record_count(layout, ending, tmp_path):
    require_programs()
    out = tmp_path / "out"
    out.mkdir()
    path = configured(tmp_path, {"none": KINDS["none"]}, ending)
    done = run(model_command(layout, path, out, *LARGE), str(layout))
    assert done.returncode == 0, done.stderr
    with opened(out / "given_none_1000.nc") as given:
        for way in WAYS:
            with opened(out / f"{way}_none_1000.{ending}") as found:
                if ending == "nc" and way in ("multiples", "learned", "all"):
                    assert np.prod(found["wave"].encoding["chunksizes"]) < found["wave"][0].size
                for name in ("wave", "holes"):
                    assert_audited(given, found, name)


def test_other_readers_see_them(files):
    path = files["bits_none_1000.nc"]
    said = subprocess.run(["ncdump", "-h", path], capture_output=True, text=True, check=True).stdout
    assert "double wave_variance_loss(time)" in said, said
    with netCDF4.Dataset(path) as dataset:
        assert dataset["wave_rms_error"].dimensions == dataset["wave"].dimensions[:1]
    if shutil.which("cdo"):
        shown = subprocess.run(
            ["cdo", "-s", "outputf,%.17g,1", "-selname,wave_largest_error", path],
            capture_output=True,
            text=True,
            check=True,
        )
        with opened(path) as found:
            assert [float(one) for one in shown.stdout.split()] == list(found["wave_largest_error"].values)


def wrong_in(published, wanted):
    assert sorted(published) == sorted(wanted)
    return [name for name, path in wanted.items() if path.read_bytes() != published[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_the_bytes_are_the_same_in_every_layout(layout, files, tmp_path):
    published = run_model(layout, configured(tmp_path), tmp_path / "out", *OPTIONS)

    assert not wrong_in(published, files)


@pytest.mark.parametrize("first, second, every", [(0, 1, 3), (1, 3, 1), (3, 0, 5)])
def test_records_before_a_kill_keep_what_was_found(first, second, every, files, tmp_path):
    path = configured(tmp_path)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(LAYOUTS[first], path, directory, *OPTIONS, "--checkpoint-every", every)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    done = run(model_command(LAYOUTS[second], path, directory, *OPTIONS, "--continue"), "continued")

    assert done.returncode == 0, done.stderr
    assert not wrong_in({one.name: one for one in directory.glob("*.nc")}, files)


MISTAKES = {
    'audit="true"': "audit without a codec: numbers are compared where they are compressed",
    'zstd="1" audit="yes"': 'audit="yes"',
    'zstd="1" audit="true" parts="server"': 'audit with parts="server": what rounding did goes into the file',
    'zstd="1" audit="true" write_if="rms 1" per="chunk"': "audit with write_if, which says itself how far",
    'zstd="1" adit="true"': 'did you mean "audit"?',
}


@pytest.mark.parametrize("more", MISTAKES)
def test_mistakes_are_named(more, tmp_path):
    path = write(tmp_path, group(FIELDS), writing(file("w.nc", include("w"), more=more)))
    done = pileus("check", path)

    assert done.returncode == 1
    assert MISTAKES[more] in done.stdout, done.stdout
    assert "1 error\n" in done.stdout, done.stdout


OTHERS = '<field name="n" size="z,y,x" collective="true" data_type="integer"/>'
STATIC = '<field name="s" size="z,y,x" collective="true" static="true"/>'


@pytest.mark.parametrize(
    "fields, name, more, why",
    [
        (OTHERS, "n", "", "is for floating-point numbers, and this has none"),
        (STATIC, "s", "", "is of records, and this never changes"),
        (FIELDS, "w", ' write_if="rms 1"', "with write_if, which says itself how far records are"),
    ],
)
def test_what_has_no_audit_is_refused_where_it_alone_is_asked_for(fields, name, more, why, tmp_path):
    asked = include(name, more=f'audit="true"{more}')
    done = pileus("check", write(tmp_path, group(fields), writing(file("n.nc", asked, more='zstd="1"'))))
    assert done.returncode == 1 and f'"{name}": audit {why}' in done.stdout, done.stdout

    others = FIELDS.replace('"w"', '"other"')
    both = include(name, more=more.strip()) + include("other")
    of_file = file("n.nc", both, more='zstd="1" audit="true"')
    done = pileus("check", write(tmp_path, group(fields + others), writing(of_file)))
    assert done.returncode == 0, done.stdout


def test_names_beside_a_variable_are_taken(tmp_path):
    fields = FIELDS + FIELDS.replace('"w"', '"w_rms_error"')
    asked = file("w.nc", include("w", "w_rms_error"), more='zstd="1" audit="true"')
    done = pileus("check", write(tmp_path, group(fields), writing(asked)))
    assert done.returncode == 1 and '"w_rms_error" is the name of' in done.stdout, done.stdout

"""Numbers with the bits that carry real information: learned from the first record, kept for all others.

The oracle is BitInformation.jl as Klöwer et al. 2021 describe it, in NumPy, on files with all bits.
"""

import netCDF4
import numpy as np
import pytest
import zarr
from oracle.configured import file, group, handling, include, write, writing
from oracle.kills import kill_when
from oracle.launch import Layout, environment, model_command, pileus, require_programs, run, run_model

STEPS = 12
OPTIONS = ("--size", "6,14,12", "--steps", STEPS)
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
FIELDS = '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
MADE = {
    "wave": "300 + 20 * sin(0.01 * w) + 0.001 * w",
    "columns": "sum[z](w) / 7",
    "flat": "0 * w + 3.25",
    "holes": "where(mod(w, 7) < 2, log(0 - 1 - abs(w)), 270 + 0.37 * w)",
    "late": "lag(w, 3 steps) / 3",
}
KINDS = {
    "none": {"manipulation": "none"},
    "means": {"manipulation": "averaged", "every": "7"},
}
LEVELS = {"most": "0.99", "half": "0.5", "all": "1"}
SMALLEST_PACKED = 1024  # bytes of a record; smaller ones are not compressed, and keep all bits
NORMAL = 2.5758293035489004  # 99 % of a normal distribution lie so near


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def configured(directory):
    made = "".join(
        f'<diagnostic field="{name}" expression="{escaped(text)}"/>' for name, text in MADE.items()
    )
    files = []
    for kind, how in KINDS.items():
        names = [name for name in MADE if kind == "none" or name != "late"]
        for precision in ("float", "double"):
            more = f'precision="{precision}" zstd="1"'
            files.append(file(f"plain_{precision}_{kind}.nc", include(*names, **how), more=more))
            for level, part in LEVELS.items():
                rounding = f'{more} precision_from="information {part}"'
                files.append(file(f"{level}_{precision}_{kind}.nc", include(*names, **how), more=rounding))
    # A series whose first file alone has the record that counts.
    rounding = 'precision="float" zstd="1" precision_from="information 0.99"'
    files.append(file("series.nc", include("wave", "late"), period=4, more=rounding))
    return write(directory, group(FIELDS), handling(made), writing(*files))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("information")
    return run_model(ALONE, configured(directory), directory / "out", *OPTIONS)


def entropy(*parts):
    parts = np.array(parts)
    parts = parts[parts > 0]
    return -(parts * np.log2(parts)).sum()


def kept_bits(record, level):
    """Of the fraction; 0: all. `record`: with the fastest dimension last."""
    bits, whole = (32, 9) if record.dtype == np.float32 else (64, 12)
    there = np.isfinite(record) & (record != record.dtype.type(netCDF4.default_fillvals["f8"]))
    pairs = there[..., :-1] & there[..., 1:]
    numbers = record.view(f"u{bits // 8}")
    first, second = numbers[..., :-1][pairs], numbers[..., 1:][pairs]
    n = len(first)
    if n == 0:
        return None
    found = []
    for bit in reversed(range(bits)):
        a, b = first >> bit & 1, second >> bit & 1
        joint = [np.mean((a == i) & (b == j)) for i in (0, 1) for j in (0, 1)]
        found.append(entropy(*[np.mean(x == i) for x in (a, b) for i in (0, 1)]) - entropy(*joint))
    p = min(0.5 + NORMAL / (2 * np.sqrt(n)), 1)
    found = np.array(found)
    found[found <= 1 - entropy(p, 1 - p)] = 0
    if found.sum() == 0:
        return 0
    needed = int(np.argmax(np.cumsum(found) >= level * found.sum() * (1 - 1e-14))) + 1
    kept = max(1, needed - whole)
    return 0 if kept >= bits - whole else kept


def rounded(record, bits):
    if bits == 0:
        return record
    of_fraction, kind = (23, np.uint32) if record.dtype == np.float32 else (52, np.uint64)
    dropped = kind(of_fraction - bits)
    numbers = record.view(kind)
    half = (kind(1) << (dropped - kind(1))) - kind(1)
    result = (numbers + half + (numbers >> dropped & kind(1))) & ~((kind(1) << dropped) - kind(1))
    stays = ~np.isfinite(record) | (record == record.dtype.type(netCDF4.default_fillvals["f8"]))
    return np.where(stays, record, result.view(record.dtype))


def read(path):
    """Records and attributes of each variable."""
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_mask(False)
        return {
            name: (np.ascontiguousarray(dataset[name][:]), dataset[name].__dict__)
            for name in dataset.variables
            if name in MADE
        }


def bits_of(records, level):
    return next((bits for bits in (kept_bits(one, level) for one in records) if bits is not None), 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("level", LEVELS)
def test_bits_are_those_that_have_the_information_of_the_first_record(level, precision, kind, files):
    plain = read(files[f"plain_{precision}_{kind}_1000.nc"])
    found = read(files[f"{level}_{precision}_{kind}_1000.nc"])

    assert set(found) == set(plain)
    for name, (records, _) in plain.items():
        bits = bits_of(records, float(LEVELS[level]))
        values, attributes = found[name]
        if records[0].nbytes < SMALLEST_PACKED:
            assert np.array_equal(values, records) and "precision_from" not in attributes
            continue
        assert np.array_equal(values, rounded(records, bits), equal_nan=True), (name, bits)
        assert attributes["precision_from"] == f"information {LEVELS[level]}"
        assert attributes.get("quantization_nsb", 0) == bits
        assert attributes.get("_QuantizeBitRoundNumberOfSignificantBits", 0) == bits
        if bits > 0:
            assert attributes["quantization_maximum_relative_error"] == 2.0 ** -(bits + 1)
        assert attributes["quantization"] == "quantization_info"


def test_some_bits_are_learned_and_some_records_say_nothing(files):
    plain = read(files["plain_float_none_1000.nc"])
    learned = {name: bits_of(records, 0.99) for name, (records, _) in plain.items()}
    assert 0 < learned["wave"] < 23 and 0 < learned["holes"] < 23
    assert learned["flat"] == 0
    assert kept_bits(plain["late"][0][0], 0.99) is None and learned["late"] > 0


def test_later_files_of_a_series_keep_the_bits_of_its_first(files):
    series = {name: path for name, path in files.items() if name.startswith("series")}
    assert len(series) > 2
    said = [read(path) for path in series.values()]
    assert len({one["wave"][1]["quantization_nsb"] for one in said}) == 1
    missing = [one["late"][0].max() == one["late"][0].min() for one in said]
    assert missing[0] and not missing[1]
    for one, is_missing in zip(said, missing, strict=True):
        assert is_missing != ("quantization_nsb" in one["late"][1])


def wrong_in(published, wanted):
    assert sorted(published) == sorted(wanted)
    return [name for name, path in wanted.items() if path.read_bytes() != published[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_bits_are_the_same_in_every_layout(layout, files, tmp_path):
    published = run_model(layout, configured(tmp_path), tmp_path / "out", *OPTIONS)

    assert not wrong_in(published, files)


@pytest.mark.parametrize("first, second, every", [(0, 1, 3), (1, 3, 1), (3, 0, 5)])
def test_bits_are_kept_over_a_kill(first, second, every, files, tmp_path):
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


@pytest.mark.parametrize("layout", [ALONE, Layout(4, 3, 1, True)], ids=str)
def test_the_pairs_of_all_chunks_count(layout, tmp_path):
    require_programs()
    how = 'precision="double" zstd="1"'
    path = write(
        tmp_path,
        group(FIELDS),
        handling(f'<diagnostic field="wave" expression="{escaped(MADE["wave"])}"/>'),
        writing(
            file("plain.nc", include("wave"), more=how),
            *(
                file(name, include("wave"), more=f'{how} precision_from="information 0.99"')
                for name in ("rounded.nc", "rounded.zarr")
            ),
        ),
    )
    out = tmp_path / "out"
    out.mkdir()
    done = run(model_command(layout, path, out, "--size", "20,220,160", "--steps", 2), str(layout))
    assert done.returncode == 0, done.stderr
    records = read(out / "plain_1000.nc")["wave"][0]
    with netCDF4.Dataset(out / "rounded_1000.nc") as dataset:
        chunk = dataset["wave"].chunking()
    assert np.prod(chunk) < records[0].size and chunk[-1] == records.shape[-1]

    values, attributes = read(out / "rounded_1000.nc")["wave"]
    bits = bits_of(records, 0.99)
    assert attributes["quantization_nsb"] == bits
    assert np.array_equal(values, rounded(records, bits))
    store = zarr.open(out / "rounded_1000.zarr", mode="r")["wave"]
    assert np.array_equal(store[:], values)
    learned = [name for name in attributes if "uantiz" in name or name == "precision_from"]
    assert len(learned) > 3 and all(store.attrs[name] == attributes[name] for name in learned)


MISTAKES = {
    'zstd="1" precision_from="information"': 'expected "information" and which part of it is kept',
    'zstd="1" precision_from="noise 0.99"': 'expected "information" and which part of it is kept',
    'zstd="1" precision_from="information 0"': "above 0 and at most 1",
    'zstd="1" precision_from="information 1.5"': "above 0 and at most 1",
    'zstd="1" precision_from="information nan"': "above 0 and at most 1",
    'zstd="1" precision_from="information 0.99" error="relative 1e-3"': "has both precision_from and error",
    'zstd="1" precision_from="information 0.9" significant_bits="8"': "precision_from and significant_bits",
    'precision_from="information 0.99"': "add deflate, zstd or blosc, or use significant_bits or error",
    'zstd="1" precision_form="information 0.99"': 'did you mean "precision_from"?',
}


@pytest.mark.parametrize("more", MISTAKES)
def test_mistakes_are_named(more, tmp_path):
    path = write(tmp_path, group(FIELDS), writing(file("w.nc", include("w"), more=more)))
    done = pileus("check", path)

    assert done.returncode == 1
    assert MISTAKES[more] in done.stdout, done.stdout
    assert "1 error\n" in done.stdout, done.stdout


def test_whole_numbers_have_no_bits_to_lose(tmp_path):
    whole = '<field name="n" size="z,y,x" collective="true" data_type="integer"/>'
    asked = include("n", more='precision_from="information 0.99"')
    done = pileus("check", write(tmp_path, group(whole), writing(file("n.nc", asked, more='zstd="1"'))))
    assert done.returncode == 1 and "precision_from is for floating-point numbers" in done.stdout

    of_file = file("n.nc", include("n"), more='zstd="1" precision_from="information 0.99"')
    assert pileus("check", write(tmp_path, group(whole), writing(of_file))).returncode == 0

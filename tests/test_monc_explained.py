"""What pileus explain says of MONC's files: the same as of their strict form, for a model with their fields.

PILEUS_MONC_FILES names a copy of MONC's root, whose files are no part of this source; small ones stand in.
PILEUS_MONC_DIALECT says which fork it is, monc-leeds or monc-epcc.
"""

import json
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from oracle.launch import BIN

PILEUS = BIN / "pileus"
SIZES = {"x": 12, "y": 10, "z": 8, "zn": 8, "qfields": 2, "key_and_value": 2}
OTHER_SIZE = 3
PARTS = {"x": ((0, 12), (0, 12)), "y": ((0, 4), (4, 6))}  # start and count on each of two model ranks
MONC = os.environ.get("PILEUS_MONC_FILES")
DIALECT = os.environ.get("PILEUS_MONC_DIALECT", "monc")

FIELDS = """<data-definition name="fields" frequency={sampling} namespace="n">
  <field name="w" type="array" data_type="double" size="z,y,x" collective=true/>
  <field name="q" type="array" data_type="double" size="z,y,x,qfields" collective=true optional=true/>
  <field name="w_local" type="array" data_type="double" size="z"/>
  <field name="peak" type="array" data_type="double" size="z"/>
  <field name="peak_at" type="array" data_type="double" size="z"/>
  <field name="options" type="map" size="number_options" data_type="string"/>
  <field name="count" type="scalar" data_type="integer"/>
</data-definition>
<data-handling namespace="n">
  <diagnostic field="w_mean" type="array" data_type="double" size="z" units="m s-1">
    <operator name="arithmetic" result="w_mean" equation="w_sum/({x_size}*{y_size})"/>
    <communication name="reduction" operator="sum" result="w_sum" field="w_local" root="auto"/>
  </diagnostic>
  <diagnostic field="w_top" type="scalar" data_type="double">
    <communication name="reduction" operator="max" result="w_top" field="w_max" root="auto"/>
    <operator name="localreduce" operator="max" result="w_max" field="w"/>
  </diagnostic>
  <diagnostic field="w_at" type="array" data_type="double" size="z">
    <communication name="reduction" operator="max" result="w_at" field="found_at" root="auto"/>
    <operator name="reductionlocation" result="found_at" input="peak_at,all_peak,peak"/>
    <communication name="allreduction" operator="max" result="all_peak" field="peak"/>
  </diagnostic>
  <diagnostic field="w_coarse" type="array" data_type="double" size="z,y,x-auto" collective=true>
    <operator name="field_coarsener" result="w_coarse" field="w" dimension="x" period="2"/>
  </diagnostic>
  <diagnostic field="w_level" type="array" data_type="double" size="y,x" collective=true>
    <operator name="field_slicer" result="w_level" field="w" dimension="z" index="3"/>
  </diagnostic>
</data-handling>
<group name="profiles" namespace="n">
  <member name="w_mean"/>
  <member name="w_top"/>
  <member name="w_at"/>
  <member name="time"/>
</group>
<group name="volumes" namespace="n">
  <member name="w"/>
  <member name="q"/>
  <member name="w_coarse"/>
</group>
<group name="levels" namespace="n">
  <member name="w_level"/>
</group>
"""
RUN = """<io-configuration>
#include "io/fields.xml"
<data-writing>
  <file name="out/profiles.nc" write_time_frequency="{writing}">
    <include group="profiles" time_manipulation="averaged" output_frequency={mm}/>
    <include group="profiles" time_manipulation="none"/>
  </file>
  <file name="out/volumes.nc" write_time_frequency="{writing}">
    <include group="volumes" time_manipulation="instantaneous" output_frequency={mm}/>
    <include group="levels" time_manipulation="averaged" output_frequency={mm}/>
  </file>
</data-writing>
</io-configuration>
"""


@pytest.fixture(autouse=True)
def program():
    if not PILEUS.is_file():
        pytest.skip(f"no program {PILEUS}: build it, or set PILEUS_BUILD")


def pileus(*words, status=0, folder=None):
    done = subprocess.run(
        [PILEUS, *map(str, words)], capture_output=True, text=True, timeout=60, cwd=folder
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def options_of(file):
    """A number for each key that the file takes from the model, and another name for each file."""
    done = subprocess.run(
        [PILEUS, "check", "--dialect", DIALECT, file], capture_output=True, text=True, timeout=60
    )
    keys = set(re.findall(r'no option "(\w+)"', done.stdout + done.stderr))
    values = {key: f"{key}.nc" if re.search("(?<!pro)file", key) else "60" for key in sorted(keys)}
    values |= {key: "5" for key in values if "sampling" in key}
    return values | {"q_field_names": "vapour,rain"}


def is_without_a_part(file):
    """Whether the file includes one that is not there."""
    done = subprocess.run(
        [PILEUS, "check", "--dialect", DIALECT, file], capture_output=True, text=True, timeout=60
    )
    return "there is no file" in done.stdout


def fields_of(text):
    """Fields with their groups. An array without a size is as large as its diagnostic's result."""
    root = ElementTree.fromstring(text)
    made = {}
    for diagnostic in root.iter("diagnostic"):
        words = " ".join(" ".join(rule.attrib.values()) for rule in diagnostic)
        made |= {name: diagnostic.get("size", "") for name in re.findall(r"\w+", words)}
    for group in root.iter("data-definition"):
        for field in group.iter("field"):
            if field.get("type") == "array" and "size" not in field.attrib:
                field.set("size", made.get(field.get("name"), ""))
            yield group, field


def model_of(text):
    """A model with every field of a strict configuration, spread over two ranks in y where it has x and y."""
    fields, ranks, names = [], [{}, {}], set(SIZES)
    for group, field in fields_of(text):
        form = field.get("type")
        name = "::".join(filter(None, (group.get("namespace"), field.get("name"))))
        dimensions = [one for one in field.get("size", "").split(",") if one and form == "array"]
        kind = "integer" if field.get("data_type") == "integer" else "double"
        if form == "map":
            kind, dimensions = "string", ["string_3", "key_and_value", field.get("size")]
        names.update(dimensions)
        fields.append({"name": name, "type": kind, "dimensions": dimensions})
        for number, rank in enumerate(ranks):
            whole = [(0, SIZES.get(one, OTHER_SIZE)) for one in dimensions]
            if {"x", "y"} <= set(dimensions):
                parts = zip(dimensions, whole, strict=True)
                whole = [PARTS.get(one, {number: part})[number] for one, part in parts]
            if form == "array" and not dimensions:
                whole = [(0, SIZES["z"])]  # a shape that only the rank knows
            rank[name] = {"start": [start for start, _ in whole], "count": [count for _, count in whole]}
    return {
        "servers": 2,
        "timestep_s": 6,
        "dimensions": [{"name": name, "size": SIZES.get(name, OTHER_SIZE)} for name in sorted(names)],
        "fields": fields,
        "ranks": [{"fields": rank} for rank in ranks],
    }


def explained_both_ways(file, folder):
    """Explains the file and its strict form, and returns both texts."""
    options = options_of(file)
    words = [word for key, value in options.items() for word in ("--set", f"{key}={value}")]
    strict = folder / "strict.xml"
    pileus("convert", "--dialect", DIALECT, *words, file, "-o", strict)
    model = folder / "model.json"
    model.write_text(json.dumps(model_of(strict.read_text(encoding="utf-8"))))
    words += ["--model", model, "--steps", 25, "--json"]
    both = [
        json.loads(pileus("explain", "--dialect", dialect, *words, path))
        for dialect, path in ((DIALECT, file), ("strict", strict))
    ]
    for one in both:
        one.pop("configuration")
    return both


def without_sizes(explanation):
    """Removes the sizes of files, which differ, as each has the text of its configuration."""
    for series in explanation["files"]:
        for file in series["files"]:
            file.pop("size_bytes", None)
    return explanation


@pytest.fixture(name="root")
def fixture_root(tmp_path):
    (tmp_path / "io").mkdir()
    (tmp_path / "io" / "fields.xml").write_text(FIELDS, encoding="utf-8")
    (tmp_path / "case_1.xml").write_text(RUN, encoding="utf-8")
    return tmp_path


def test_a_file_of_monc_is_explained_as_its_strict_form(root):
    own, strict = explained_both_ways(root / "case_1.xml", root)

    assert all(file["size_bytes"] > 0 for one in own["files"] for file in one["files"] if file["is_complete"])
    assert without_sizes(own) == without_sizes(strict)
    variables = {one["name"]: [each["name"] for each in one["variables"]] for one in own["files"]}
    assert variables == {
        "out/profiles_{time}.nc": [
            name + how for how in ("_timeaveraged", "") for name in ("w_mean", "w_top", "w_at", "time")
        ],
        "out/volumes_{time}.nc": ["w", "q_vapour", "q_rain", "w_coarse", "w_level"],
    }
    assert [file["name"] for file in own["files"][0]["files"]] == [
        f"out/profiles_{end_s}.nc" for end_s in (60, 120, 180)
    ]
    assert all(server["memory"]["keeps_up_bytes"] > 0 for server in own["servers"])


@pytest.mark.skipif(MONC is None, reason="PILEUS_MONC_FILES names no folder")
def test_every_file_that_monc_ships_is_explained_as_its_strict_form(tmp_path):
    files = sorted(Path(MONC).rglob("*.xml"))
    written = 0
    for number, file in enumerate(files):
        folder = tmp_path / str(number)
        folder.mkdir()
        if is_without_a_part(file):
            continue  # and so in MONC
        own, strict = explained_both_ways(file, folder)
        assert without_sizes(own) == without_sizes(strict), file
        written += len(own["files"])

    assert len(files) >= 35
    assert written >= 20

"""Every recipe of the cookbook runs, on the model that it is for, and says the same on any layout."""

import re
import runpy
import shutil

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, ROOT, SERVER, mpi_command, pileus, run

FOLDER = ROOT / "examples" / "cookbook"
PAGE = ROOT / "docs" / "cookbook.md"
RECIPES = sorted(path for path in FOLDER.glob("*.xml") if not path.stem.endswith("_fields"))
RUNS = dict(re.findall(r"^(\w+): (.*)$", (FOLDER / "runs.txt").read_text(), re.MULTILINE))


def model_of(recipe):
    return re.search(r'include file="(\w+)_fields.xml"', recipe.read_text())[1]


def with_weights(recipe, directory):
    """The recipe, beside weights where it needs them, which a first run of two steps says the points for."""
    if 'expression="regrid(' not in recipe.read_text():
        return recipe
    model = model_of(recipe)
    directory.mkdir()
    for one in (recipe, *FOLDER.glob(f"{model}_*fields.xml")):
        shutil.copy(one, directory)
    places = directory / f"{model}_places_fields.xml"
    options = [*RUNS[model].split(), "--steps", "2", "--config", places, "--directory", directory]
    done = run([BIN / model, *options], str(places))
    assert done.returncode == 0, done.stdout + done.stderr
    (grids,) = directory.glob("places*.nc")
    made = pileus("weights", directory / recipe.name, "--grids", grids)
    assert made.returncode == 0, made.stdout + made.stderr
    return directory / recipe.name


def published(recipe, directory, ranks, servers):
    model = model_of(recipe)
    program = BIN / model
    for one in (program, SERVER):
        if not one.is_file():
            pytest.skip(f"no program {one}: build it, or set PILEUS_BUILD")
    directory.mkdir()
    common = ["--directory", directory]
    options = RUNS.get(recipe.stem, RUNS[model]).split()
    command = [program, *options, *common]
    server = [(servers, [SERVER, recipe, *common])] if servers else []
    if not servers:
        command += ["--config", recipe]
    done = run(mpi_command((ranks, command), *server), f"{recipe.stem} {ranks} {servers}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr, done.stderr
    return sorted(directory.glob("*.nc"))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.stem)
def test_a_recipe_has_values_and_the_same_on_any_layout(tmp_path, recipe):
    checked = pileus("check", recipe)
    assert checked.returncode == 0 and "no errors" in checked.stdout, checked.stdout + checked.stderr
    assert "warning" not in checked.stdout + checked.stderr, checked.stdout + checked.stderr
    assert max(map(len, recipe.read_text().splitlines())) <= 110

    recipe = with_weights(recipe, tmp_path / "weights")
    first = published(recipe, tmp_path / "first", 1, 0)
    second = published(recipe, tmp_path / "second", 3, 2)

    assert [one.name for one in first] == [one.name for one in second]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    written = {}
    for path in first:
        with netCDF4.Dataset(path) as file:
            written |= {name: np.ma.array(one[:]) for name, one in file.variables.items() if one.dtype != str}
            assert all(one.size for one in file.dimensions.values())
    named = re.findall(r'include (?:field="(\w+)"(?: name="(\w+)")?)', recipe.read_text())
    assert named or "include group" in recipe.read_text()
    for field, name in named:
        values = written[name or field]
        assert values.size and np.isfinite(values.compressed()).any(), name or field
    draw = runpy.run_path(str(FOLDER / "draw.py"))
    draw["main"](first, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 2000


def test_the_page_lists_every_recipe_with_its_picture():
    page = PAGE.read_text()
    rows = re.findall(r"^\| \[(\w+)\]\(\.\./examples/cookbook/(\w+)\.xml\)", page, re.MULTILINE)
    assert sorted(name for _, name in rows) == [one.stem for one in RECIPES]
    pictures = re.findall(r"\(images/cookbook/(\w+)\.png\)", page)
    assert sorted(pictures) == [one.stem for one in RECIPES]
    for one in RECIPES:
        assert (ROOT / "docs" / "images" / "cookbook" / f"{one.stem}.png").is_file(), one.stem

"""docs/fortran.md has every name of module pileus, and no other."""

import re

from oracle.launch import ROOT

PAGE = (ROOT / "docs" / "fortran.md").read_text(encoding="utf-8")
OPERATORS = ROOT / "bindings" / "fortran" / "pileus_operators.f90"
MODULE = (ROOT / "bindings" / "fortran" / "pileus.F90").read_text(encoding="utf-8")


def public_names():
    lists = re.findall(r"^ *public :: (.*)$", MODULE, re.MULTILINE)
    return {name.strip() for line in lists for name in line.split(",")}


def test_it_has_every_name_of_the_module_and_no_other():
    named = set(re.findall(r"\bpileus_\w+", PAGE))

    assert named == public_names()


def test_it_has_every_argument_of_the_procedures():
    paths = set((ROOT / "bindings" / "fortran").glob("pileus*.[fF]90")) - {OPERATORS}
    sources = [path.read_text(encoding="utf-8") for path in paths]
    assert len(sources) > 5
    called = re.compile(r"(?:subroutine|function) (pileus_\w+|\w+_int32)\(([^)]*)\)")
    for source in sources:
        for procedure, arguments in called.findall(re.sub(r"&\s*\n\s*", "", source)):
            for argument in (one.strip() for one in arguments.split(",")):
                is_named = re.search(rf"\b{argument}\b", PAGE)
                assert is_named or not procedure.startswith("pileus_"), (procedure, argument)


def test_the_page_of_operators_has_every_procedure_of_their_module():
    page = (ROOT / "docs" / "add-an-operator.md").read_text(encoding="utf-8")
    source = OPERATORS.read_text(encoding="utf-8")
    procedures = set(re.findall(r"(?:subroutine|function|interface) (pileus_\w+)", source))

    assert len(procedures) == 7
    assert [name for name in sorted(procedures) if name not in page] == []

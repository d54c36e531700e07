"""Each kind of violation, planted in a small good tree, must be named with its file and line."""

import pathlib

import pytest
from check_rooms import check, main

ROOT = pathlib.Path(__file__).parent.parent

RULES = """
library spdlog: spdlog/*
library expat: expat.h
library mpi: mpi.h mpi_*.h
library netcdf: netcdf.h
library gtest: gtest/*
room core:
room config: core expat
room plan: core config
room transport: core
room transport/mpi: core transport mpi
room output: core
room output/netcdf: core output netcdf
room client: core plan/demand.h transport/endpoint.h
room server: *
room apps: *
room include:
file core/log.cpp: spdlog
test *: gtest
test client: transport
"""

GOOD_TREE = {
    "cmake/rooms.txt": RULES,
    "include/pileus/pileus.h": "#include <stdint.h>\n",
    "include/pileus/pileus.hpp": "#include <pileus/pileus.h>\n#include <vector>\n",
    "src/core/error.h": "#pragma once\n#include <string>\n",
    "src/core/log.cpp": "#include <spdlog/spdlog.h>\n",
    "src/core/core_test.cpp": '#include <gtest/gtest.h>\n#include "core/testing/samples.h"\n',
    "src/core/testing/samples.h": '#include "../error.h"\n',
    "src/config/read.cpp": '#include <expat.h>\n#include "core/error.h"\n',
    "src/plan/demand.h": '#include "core/error.h"\n',
    "src/plan/plan.h": '#include "config/config.h"\n',
    "src/transport/endpoint.h": "",
    "src/transport/queue.h": "",
    "src/transport/mpi/lane.cpp": '#include <mpi.h>\n#include "transport/queue.h"\n#include "mailbox.h"\n',
    "src/transport/mpi/mailbox.h": "",
    "src/output/format.h": "",
    "src/output/netcdf/header.cpp": '#include <netcdf.h>\n#include "output/format.h"\n',
    "src/client/put.cpp": '#include "plan/demand.h"\n#include "transport/endpoint.h"\n',
    "src/client/put_test.cpp": '#include "client/put_oracle.h"\n#include "transport/queue.h"\n',
    "src/client/put_oracle.h": "",
    "src/client/test_server.h": "#include <gtest/gtest.h>\n",
    "src/server/server.cpp": '#include "transport/mpi/mailbox.h"\n#include "pileus/pileus.h"\n',
    "apps/main.cpp": '#include "server/server.h"\n#include <sys/stat.h>\n',
}


@pytest.fixture
def tree(tmp_path):
    """Writes files, given as {path: text}, over the good tree and returns what the check says of it."""

    def write_and_check(changes=()):
        for path, text in {**GOOD_TREE, **dict(changes)}.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return check(tmp_path)

    return write_and_check


def test_the_rooms_of_pileus_keep_their_rules():
    complaints = check(ROOT)

    assert not complaints, "\n" + "\n".join(complaints)


def test_a_good_tree_has_no_complaint(tree):
    assert tree() == []


def may_not(room, header):
    return f'room "{room}" may not include "{header}"'


VIOLATIONS = [
    ("another room", "core/x.h", '"plan/plan.h"', may_not("core", "plan/plan.h")),
    ("angle brackets", "core/x.h", "<plan/plan.h>", may_not("core", "plan/plan.h")),
    ("a path with ..", "core/x.h", '"../plan/plan.h"', may_not("core", "plan/plan.h")),
    ("a file not written yet", "core/x.h", '"plan/new.h"', may_not("core", "plan/new.h")),
    ("not that header of the room", "client/x.cpp", '"plan/plan.h"', may_not("client", "plan/plan.h")),
    ("only tests may", "client/x.cpp", '"transport/queue.h"', may_not("client", "transport/queue.h")),
    ("only other tests may", "plan/x_test.cpp", '"transport/queue.h"', may_not("plan", "transport/queue.h")),
    ("an inner room", "core/x.cpp", '"transport/mpi/a.h"', may_not("core", "transport/mpi/a.h")),
    ("an outer room's inner", "output/x.cpp", '"output/netcdf/a.h"', may_not("output", "output/netcdf/a.h")),
    ("a neighbour of an inner room", "output/netcdf/x.h", '"plan/p.h"', may_not("output/netcdf", "plan/p.h")),
    ("MPI", "transport/x.cpp", "<mpi.h>", may_not("transport", "mpi.h") + " (library mpi)"),
    ("MPI where all rooms may", "server/x.h", '"mpi_x.h"', may_not("server", "mpi_x.h") + " (library mpi)"),
    ("netCDF", "output/x.cpp", "<netcdf.h>", may_not("output", "netcdf.h") + " (library netcdf)"),
    ("XML", "plan/x.cpp", "<expat.h>", may_not("plan", "expat.h") + " (library expat)"),
    ("one file's library", "core/x.cpp", "<spdlog/a.h>", may_not("core", "spdlog/a.h") + " (library spdlog)"),
    ("... in a test", "core/a_test.cpp", "<spdlog/a.h>", may_not("core", "spdlog/a.h") + " (library spdlog)"),
    ("GoogleTest", "core/x.cpp", "<gtest/gtest.h>", may_not("core", "gtest/gtest.h") + " (library gtest)"),
    ("an oracle", "client/x.cpp", '"client/put_oracle.h"', '"client/put_oracle.h" is for tests only'),
    ("test data", "core/x.h", '"core/testing/samples.h"', '"core/testing/samples.h" is for tests only'),
    ("test support", "client/x.h", '"client/test_server.h"', '"client/test_server.h" is for tests only'),
    ("the inside in public", "../include/pileus/x.h", '"core/error.h"', may_not("include", "core/error.h")),
    ("MPI in public", "../include/pileus/x.h", "<mpi.h>", may_not("include", "mpi.h") + " (library mpi)"),
    ("the public inside", "core/x.h", '"pileus/pileus.h"', may_not("core", "include/pileus/pileus.h")),
]


@pytest.mark.parametrize("_, path, include, complaint", VIOLATIONS)
def test_a_violation_is_named_with_file_and_line(tree, _, path, include, complaint):
    path = f"src/{path}".removeprefix("src/../")
    text = f"/* a comment\n   of two lines */\n// and one more\n #  include {include}\n"

    assert tree({path: text}) == [f"{path}:4: {complaint}"]


def test_an_include_in_a_comment_is_none(tree):
    assert tree({"src/core/x.h": '/*\n#include "plan/plan.h"\n*/\n// #include "plan/plan.h"\n'}) == []


def test_a_folder_without_a_rule_is_named(tree):
    complaints = tree({"src/utilities/x.h": "", "src/server/x.cpp": '#include "utilities/x.h"\n'})

    assert complaints == [
        'src/server/x.cpp:1: "utilities/x.h" is in no room of cmake/rooms.txt',
        "src/utilities/x.h:1: this folder is no room of cmake/rooms.txt",
    ]


@pytest.mark.parametrize(
    "line, complaint",
    [
        ("room time: core maths", 'no room or library "maths"'),
        ("room time: core plam/demand.h", 'no room or library "plam/demand.h"'),
        ("test tme: core", 'no room or library "tme"'),
        ("file tme/log.cpp: spdlog", '"tme/log.cpp" is in no room'),
        ("room core: plan", 'a second line for room "core"'),
        ("core: plan", 'not "library", "room", "file" or "test", a name and a colon: core: plan'),
    ],
)
def test_a_rule_that_makes_no_sense_is_named_with_its_line(tree, line, complaint):
    number = len(RULES.splitlines()) + 1

    assert tree({"cmake/rooms.txt": RULES + line + "\n"}) == [f"cmake/rooms.txt:{number}: {complaint}"]


def test_the_exit_status_tells(tree, tmp_path, capsys):
    assert tree() == [] and main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""

    (tmp_path / "src/core/x.h").write_text("#include <mpi.h>\n")

    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == 'src/core/x.h:1: room "core" may not include "mpi.h" (library mpi)\n'

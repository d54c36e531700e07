"""The counter must never say "0 failed" of a run in which something went wrong."""

import pytest
from count_tests import main

CTEST = """<testsuite name="(empty)" tests="4">
  <testcase name="sum_is_exact" classname="sum_is_exact" status="run"/>
  <testcase name="needs a GPU" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
  <testcase name="matched" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
  <testcase name="switched_off" status="disabled"><system-out>Disabled</system-out></testcase>
</testsuite>"""
CTEST_FAILURE = """<testsuite tests="2">
  <testcase name="good" status="run"/>
  <testcase name="bad" status="fail">
    <failure message=""/><system-out>expected 3 &lt; 2</system-out></testcase>
</testsuite>"""
CTEST_NOT_STARTED = """<testsuite tests="1">
  <testcase name="gone" status="notrun"><skipped message="Unable to find executable"/></testcase>
</testsuite>"""
PYTEST = """<testsuites><testsuite errors="1" failures="1" skipped="1" tests="4">
  <testcase classname="tests.test_a" name="test_one"/>
  <testcase classname="tests.test_a" name="test_two">
    <skipped type="pytest.skip" message="no cdo"/></testcase>
  <testcase classname="tests.test_a" name="test_three">
    <failure message="assert 1">assert 1 == 2</failure></testcase>
  <testcase classname="tests.test_a" name="test_four">
    <error message="setup">no such fixture</error></testcase>
</testsuite></testsuites>"""
EMPTY = '<testsuite tests="0"></testsuite>'


@pytest.fixture
def counted(tmp_path, capsys):
    """Reports runners given as (part, status, JUnit text or None) and returns (status, all lines)."""

    def run(*runners):
        for part, status, xml in runners:
            (tmp_path / f"{part}.log").write_text("the last words\n")
            if xml is not None:
                (tmp_path / f"{part}.xml").write_text(xml)
            main(["report", part, str(status), str(tmp_path)])
        status = main(["total", str(tmp_path)])
        return status, capsys.readouterr().out.splitlines()

    return run


def test_skipped_and_disabled_tests_are_skipped(counted):
    status, lines = counted(("unit", 0, CTEST))

    assert (status, lines) == (0, ["unit: 1 passed, 0 failed, 3 skipped", "1 passed, 0 failed, 3 skipped"])


def test_what_a_failed_test_said_is_shown(counted):
    status, lines = counted(("unit", 8, CTEST_FAILURE))

    assert status == 1
    assert "--- unit: bad failed" in lines and "expected 3 < 2" in lines
    assert lines[-1] == "1 passed, 1 failed"


def test_a_test_that_could_not_be_started_has_failed(counted):
    status, lines = counted(("unit", 8, CTEST_NOT_STARTED))

    assert (status, lines[-1]) == (1, "0 passed, 1 failed")


def test_errors_of_pytest_are_failures(counted):
    status, lines = counted(("python", 1, PYTEST))

    assert status == 1
    assert "--- python: tests.test_a: test_three failed" in lines
    assert lines[-1] == "1 passed, 2 failed, 1 skipped"


def test_all_runners_are_summed(counted):
    status, lines = counted(("unit", 0, CTEST), ("python", 1, PYTEST), ("mpi", 0, EMPTY))

    assert status == 1
    assert "mpi: no tests" in lines
    assert lines[-1] == "2 passed, 2 failed, 4 skipped"


@pytest.mark.parametrize("xml", [None, "", "<testsuite><testcase"])
def test_a_runner_that_leaves_no_readable_file_has_failed(counted, xml):
    status, lines = counted(("unit", 0, CTEST), ("mpi", 0, xml))

    assert status == 1
    assert "the last words" in lines
    assert lines[-1] == "1 passed, 1 failed, 3 skipped"


def test_a_runner_that_dies_after_its_tests_have_passed_has_failed(counted):
    status, lines = counted(("unit", 139, CTEST))

    assert (status, lines[-1]) == (1, "1 passed, 1 failed, 3 skipped")


@pytest.mark.parametrize("runners", [[], [("unit", 0, EMPTY)], [("python", 5, EMPTY)]])
def test_no_test_at_all_is_an_error(counted, runners):
    status, lines = counted(*runners)

    assert (status, lines[-1]) == (1, "0 passed, 0 failed")


def test_what_failed_is_said_once_more_at_the_end(counted):
    status, lines = counted(("unit", 8, CTEST_FAILURE), ("python", 0, CTEST))

    summary = lines[lines.index("--- what failed, once more") :]
    assert status == 1
    assert summary[1:] == ["--- unit: bad failed", "expected 3 < 2", "2 passed, 1 failed, 3 skipped"]


def test_of_many_and_long_failures_the_ends_are_said_once_more(counted):
    said = "\n".join(f"line {n}" for n in range(100))
    cases = "".join(
        f'<testcase name="t{n}" status="fail"><failure/><system-out>{said}</system-out></testcase>'
        for n in range(50)
    )

    _, lines = counted(("unit", 8, f"<testsuite>{cases}</testsuite>"))

    summary = lines[lines.index("--- what failed, once more") :]
    assert all(f"--- unit: t{n} failed" in summary for n in range(50))
    assert summary.count("line 99") == summary.count("(70 lines before)") == 20
    assert "line 69" not in summary


def test_good_runs_say_nothing_once_more(counted):
    _, lines = counted(("unit", 0, CTEST))

    assert "--- what failed, once more" not in lines

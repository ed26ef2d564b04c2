"""Counts tests in a report: `tally.py ctest FOLDER | junit FILE | tap FILE` prints "PASSED FAILED". A report that is
missing or broken counts as nothing; the caller knows from the exit status whether that is a failure. With `--failures`
before it the report's failed tests are printed instead, each with the first lines of what it says."""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

LINES_MAX = 12  # of a failure
LINE_CHARACTERS_MAX = 200


def programs_of(folder):
    """Of ctest.xml in FOLDER (a test is a program), each with its GoogleTest report, if it left one."""
    for program in xml.etree.ElementTree.parse(pathlib.Path(folder) / "ctest.xml").getroot().iter("testcase"):
        path = pathlib.Path(folder) / f"{program.get('name')}_test.json"
        yield program, json.loads(path.read_text()) if path.exists() and path.stat().st_size else None


def ctest(folder):
    """A program that failed counts at least once, also if it crashed or leaked after its last test had passed."""
    passed = failed = 0
    for program, report in programs_of(folder):
        counts = report or {"tests": 1, "failures": 0}
        wrong = counts["failures"] + counts.get("errors", 0)
        if program.get("status") != "run":
            wrong = max(wrong, 1)
        failed += wrong
        passed += max(counts["tests"] - wrong - counts.get("disabled", 0), 0)
    return passed, failed


def ctest_failures(folder):
    for program, report in programs_of(folder):
        tests = [test for suite in (report or {}).get("testsuites", []) for test in suite["testsuite"]]
        failed = [(f"{test['classname']}.{test['name']}", "\n".join(part["failure"] for part in test["failures"]))
                  for test in tests if test.get("failures")]
        if program.get("status") != "run" and not failed:
            failed = [("outside its tests", program.findtext("system-out", "")[-LINES_MAX * LINE_CHARACTERS_MAX:])]
        for name, text in failed:
            yield f"{program.get('name')}: {name}", text


def junit(path):
    passed = failed = 0
    for suite in xml.etree.ElementTree.parse(path).getroot().iter("testsuite"):
        wrong = int(suite.get("failures")) + int(suite.get("errors"))
        failed += wrong
        passed += int(suite.get("tests")) - wrong - int(suite.get("skipped", 0))
    return passed, failed


def junit_failures(path):
    for test in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        for problem in [*test.findall("failure"), *test.findall("error")]:
            yield f"{test.get('classname')}.{test.get('name')}", problem.get("message", "")


def tap(path):
    text = pathlib.Path(path).read_text()
    counts = {name: int(number) for name, number in re.findall(r"^# (pass|fail|cancelled) (\d+)$", text, re.M)}
    return counts.get("pass", 0), counts.get("fail", 0) + counts.get("cancelled", 0)


def tap_failures(path):
    for name in re.findall(r"^ *not ok \d+ - (.*)$", pathlib.Path(path).read_text(), re.M):
        yield name, ""


def print_failures(failures):
    for name, text in failures:
        print(name)
        for line in text.splitlines()[:LINES_MAX]:
            print("   ", line[:LINE_CHARACTERS_MAX])


if __name__ == "__main__":
    try:
        if sys.argv[1] == "--failures":
            print_failures({"ctest": ctest_failures, "junit": junit_failures, "tap": tap_failures}[sys.argv[2]](sys.argv[3]))
        else:
            print(*{"ctest": ctest, "junit": junit, "tap": tap}[sys.argv[1]](sys.argv[2]))
    except Exception as error:
        print(f"tally: {error}", file=sys.stderr)
        if sys.argv[1] != "--failures":
            print(0, 0)

"""Counts tests in a report: `tally.py ctest FOLDER | junit FILE | tap FILE` prints "PASSED FAILED". A report that is
missing or broken counts as nothing; the caller knows from the exit status whether that is a failure."""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree


def ctest(folder):
    """FOLDER holds ctest.xml (a test is a program) and the report of each GoogleTest program. A program that failed
    counts at least once, also if it crashed or leaked after its last test had passed."""
    passed = failed = 0
    for program in xml.etree.ElementTree.parse(pathlib.Path(folder) / "ctest.xml").getroot().iter("testcase"):
        report = pathlib.Path(folder) / f"{program.get('name')}_test.json"
        counts = json.loads(report.read_text()) if report.exists() and report.stat().st_size else {"tests": 1, "failures": 0}
        wrong = counts["failures"] + counts.get("errors", 0)
        if program.get("status") != "run":
            wrong = max(wrong, 1)
        failed += wrong
        passed += max(counts["tests"] - wrong - counts.get("disabled", 0), 0)
    return passed, failed


def junit(path):
    passed = failed = 0
    for suite in xml.etree.ElementTree.parse(path).getroot().iter("testsuite"):
        wrong = int(suite.get("failures")) + int(suite.get("errors"))
        failed += wrong
        passed += int(suite.get("tests")) - wrong - int(suite.get("skipped", 0))
    return passed, failed


def tap(path):
    text = pathlib.Path(path).read_text()
    counts = {name: int(number) for name, number in re.findall(r"^# (pass|fail|cancelled) (\d+)$", text, re.M)}
    return counts.get("pass", 0), counts.get("fail", 0) + counts.get("cancelled", 0)


if __name__ == "__main__":
    try:
        print(*{"ctest": ctest, "junit": junit, "tap": tap}[sys.argv[1]](sys.argv[2]))
    except Exception as error:
        print(f"tally: {error}", file=sys.stderr)
        print(0, 0)

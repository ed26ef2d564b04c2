"""Counts tests in a report: `tally.py gtest FOLDER | junit FILE | tap FILE` prints "PASSED FAILED". A report that is
missing or broken counts as nothing; the caller knows from the exit status whether that is a failure."""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree


def gtest(folder):
    passed = failed = 0
    for path in pathlib.Path(folder).glob("*.json"):
        report = json.loads(path.read_text())
        failed += report["failures"] + report.get("errors", 0)
        passed += report["tests"] - report["failures"] - report.get("errors", 0) - report.get("disabled", 0)
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
        print(*{"gtest": gtest, "junit": junit, "tap": tap}[sys.argv[1]](sys.argv[2]))
    except Exception as error:
        print(f"tally: {error}", file=sys.stderr)
        print(0, 0)

"""Counts the tests of a run by their reports; exits with 1 where one failed or a report is not there."""
from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def pytest_counts(path: Path) -> tuple[int, int]:
    """Passed and failed tests of a JUnit report."""
    suites = ElementTree.parse(path).getroot().iter("testsuite")
    passed = failed = 0
    for suite in suites:
        bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        passed += int(suite.get("tests", 0)) - bad - int(suite.get("skipped", 0))
        failed += bad
    return passed, failed


def jest_counts(path: Path) -> tuple[int, int]:
    """Passed and failed tests of jest's report; a suite that does not start counts as one."""
    report = json.loads(path.read_text(encoding="utf-8"))
    return report["numPassedTests"], report["numFailedTests"] + report["numRuntimeErrorTestSuites"]


def playwright_counts(path: Path) -> tuple[int, int]:
    """Passed and failed stories of Playwright's report; one that passes when tried again has passed."""
    report = json.loads(path.read_text(encoding="utf-8"))
    stats = report["stats"]
    return stats["expected"] + stats["flaky"], stats["unexpected"] + len(report["errors"])


REPORTS = {
    "Python": ("pytest*.xml", pytest_counts),
    "TypeScript": ("jest.json", jest_counts),
    "Browser": ("playwright.json", playwright_counts),
}


def main(folder: Path) -> int:
    """Prints a line for each kind of test, and one for all."""
    passed = failed = 0
    print()
    for kind, (name, counts) in REPORTS.items():
        try:
            reports = sorted(folder.glob(name))
            if not reports:
                raise OSError(f"{name} is missing")
            good, bad = (sum(numbers) for numbers in zip(*map(counts, reports)))
        except (OSError, ValueError, KeyError, ElementTree.ParseError) as error:
            print(f"{kind} tests: no report ({error})")
            failed += 1
            continue
        print(f"{kind} tests: {good} passed, {bad} failed")
        passed, failed = passed + good, failed + bad
    print(f"\n{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""examples/week-in-a-second runs as it stands, and docs/clock.md shows it as it is."""
import os
import subprocess
import sys

import pytest

from harness import ROOT, SERVER

pytestmark = pytest.mark.local
EXAMPLE = ROOT / "examples" / "week-in-a-second" / "test_week.py"


def test_a_week_passes_in_a_moment():
    environment = {**{name: text for name, text in os.environ.items() if not name.startswith(("AWS_", "PYTEST"))},
                   "TIDEMILL": str(SERVER), "PATH": "/usr/bin:/bin:" + os.environ["PATH"]}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", EXAMPLE.parent, EXAMPLE],
                          capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("file", [EXAMPLE, ROOT / "tests" / "js" / "week.test.mjs"], ids=lambda path: path.name)
def test_the_documentation_shows_what_runs(file):
    language = "python" if file.suffix == ".py" else "js"
    assert f"```{language}\n{file.read_text()}```\n" in (ROOT / "docs" / "clock.md").read_text()

"""The examples do what their READMEs say, twice: deploying again updates."""
import os
import pathlib
import subprocess

import pytest

from harness import ROOT, SERVER

pytestmark = pytest.mark.local
FOLDER = ROOT / "examples" / "change-feed"


def run(aws_program, program, server, home, *arguments):
    environment = {**{name: text for name, text in os.environ.items() if not name.startswith("AWS_")},
                   "PATH": f"{aws_program.parent}:/usr/bin:/bin:" + os.environ["PATH"],
                   "TIDEMILL_ENDPOINT": server.endpoint, "HOME": str(home)}
    return subprocess.run([str(FOLDER / program), *arguments], capture_output=True, text=True, timeout=300,
                          env=environment)


def test_change_feed_shows_what_the_function_saw(aws_program, start_server, tmp_path):
    server = start_server()
    for _ in range(2):
        deployed = run(aws_program, "deploy", server, tmp_path)
        assert deployed.returncode == 0, deployed.stderr
        written = run(aws_program, "write", server, tmp_path, "--orders", "2")
        assert written.returncode == 0, written.stderr + server.log()[-3000:]
        lines = [line.split(": ", 1)[1] for line in written.stdout.splitlines()]
        assert lines == ["placed by Ada for 19.9", "state placed -> paid", "removed",
                         "placed by Ada for 39.8", "state placed -> paid", "removed"]
    assert "placed by Ada" in server.log()
    shown = subprocess.run([str(SERVER), "logs", "order-feed", "--endpoint", server.endpoint], capture_output=True,
                           text=True, timeout=60)
    assert "placed by Ada" in shown.stdout, shown.stderr
    assert pathlib.Path(FOLDER / "README.md").exists()

"""The AWS CLI as Debian ships it, in one process for many commands: each takes a second to start otherwise. As people start
it, command by command, it runs in tests/test_awscli.py and tests/test_s3_awscli.py."""
import json
import os
import pathlib
import subprocess

import pytest

from harness import REGION

PROGRAM = pathlib.Path(__file__).with_name("awscli_process.py")


class CommandLine:
    def __init__(self, endpoint, home):
        self.endpoint = endpoint
        environment = {**os.environ, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
                       "AWS_DEFAULT_REGION": REGION, "AWS_PAGER": "", "HOME": str(home)}
        self.process = subprocess.Popen(["/usr/bin/python3", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=environment)

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def run(self, *arguments):
        """(exit code, standard output, standard error)"""
        # The region is told each time: the one that a command names would hold for those after it.
        command = ["--endpoint-url", self.endpoint, "--region", REGION, "--output", "json", *map(str, arguments)]
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def __call__(self, *arguments, **options):
        """What the command prints, read as JSON; None: nothing. Options are arguments too: queue_url=… is --queue-url …;
        what is no text goes as JSON, True is a flag."""
        code, out, err = self.run(*arguments, *flags(options))
        assert code == 0, err
        return json.loads(out) if out.strip() else None

    def error(self, *arguments, **options):
        """What a command says that is refused."""
        code, out, err = self.run(*arguments, *flags(options))
        assert code != 0, out
        return err.strip()


def flags(options):
    result = []
    for name, value in options.items():
        result.append("--" + name.replace("_", "-"))
        if value is not True:
            result.append(value if isinstance(value, str) else json.dumps(value))
    return result


def refused(operation, code, message=""):
    """How the CLI tells of an error, up to `message`."""
    return f"An error occurred ({code}) when calling the {operation} operation: {message}"


@pytest.fixture(scope="module")
def aws(server, tmp_path_factory):
    command_line = CommandLine(server.endpoint, tmp_path_factory.mktemp("home"))
    yield command_line
    command_line.close()

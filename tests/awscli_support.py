"""The AWS CLI as Debian ships it, without its start, which takes a second each time: in one process for many commands
(CommandLine), or as a program, a process for each command that begins with everything imported (forks). As people start it, it
runs here and there in tests/test_awscli.py, tests/test_s3_awscli.py and others."""
import contextlib
import json
import os
import pathlib
import subprocess

import pytest

from harness import REGION

INSTALLED = "/usr/bin/aws"
PROCESS, FORKS, CLIENT = (pathlib.Path(__file__).with_name(f"awscli_{name}.py") for name in ("process", "forks", "client"))


@contextlib.contextmanager
def forks(folder):
    """A program `aws` in the empty folder, to be called by its path or through the PATH; it works as long as the context."""
    program = folder / "aws"
    program.symlink_to(CLIENT)
    # Nothing of this environment shall be left in what the commands find in memory: each brings its own.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("AWS_")}
    with subprocess.Popen(["/usr/bin/python3", FORKS, folder / "socket"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, env=environment) as process:
        assert process.stdout.readline() == "ready\n"
        yield program


def run_in(home, *command, timeout=120):
    """What came of a command of `aws` with the usual environment."""
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": REGION,
                   "AWS_PAGER": "", "HOME": str(home)}
    return subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment, timeout=timeout)


class CommandLine:
    def __init__(self, endpoint, home):
        self.endpoint = endpoint
        environment = {**os.environ, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
                       "AWS_DEFAULT_REGION": REGION, "AWS_PAGER": "", "HOME": str(home)}
        self.process = subprocess.Popen(["/usr/bin/python3", PROCESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
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

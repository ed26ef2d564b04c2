"""Tools of npm, in the versions of a folder's lock: installed once, and run with nothing but the endpoint set."""
import fcntl
import os
import shutil
import subprocess

from harness import REGION

INSTALL_SECONDS = 900
RUN_SECONDS = 900


def installed(folder):
    """The folder's node_modules as its package-lock.json says."""
    lock, modules = folder / "package-lock.json", folder / "node_modules"
    marker = modules / ".installed"
    with open(lock, "rb") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # other processes of pytest may want it, too
        if not marker.exists() or marker.read_bytes() != lock.read_bytes():
            shutil.rmtree(modules, ignore_errors=True)
            done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-progress", "--loglevel=error"], cwd=folder,
                                  capture_output=True, text=True, timeout=INSTALL_SECONDS)
            assert done.returncode == 0, done.stderr
            shutil.copyfile(lock, marker)
    return modules


def copy_of(folder, to):
    """The folder's own files in `to`, beside a link to what npm has installed for it."""
    modules = installed(folder)
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns("node_modules", "cdk.out", ".serverless"))
    (to / "node_modules").symlink_to(modules)
    return to


class Tool:
    """A program of a folder's node_modules, as its user would run it there."""

    def __init__(self, name, folder, server, home, **environment):
        self.program, self.folder, self.server = folder / "node_modules" / ".bin" / name, folder, server
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("AWS_", "CDK_", "SLS_", "SERVERLESS_"))}
        self.environment = {**kept, "AWS_ENDPOINT_URL": server.endpoint, "AWS_ENDPOINT_URL_S3": server.endpoint,
                            "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": REGION,
                            "HOME": str(home), "NO_COLOR": "1", **environment}

    def __call__(self, *arguments, **environment):
        """What it prints, on both of its streams."""
        done = subprocess.run([str(self.program), *arguments], cwd=self.folder, text=True, timeout=RUN_SECONDS,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**self.environment, **environment})
        assert done.returncode == 0, f"{arguments}: {done.stdout}\n{self.server.log()[-3000:]}"
        return done.stdout

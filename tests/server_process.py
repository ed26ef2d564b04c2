"""A server to start, to stop and to kill."""
import contextlib
import os
import pathlib
import queue
import random
import signal
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SERVER = pathlib.Path(os.environ.get("TIDEMILL_TEST_SERVER", ROOT / "build/release/tidemill"))


STOP_SECONDS = 60  # in which it ends, however slow the disk is


def free_port():
    """One that nobody has, of those that only who names them gets: it is still free a moment later."""
    while True:
        port = random.randrange(10_000, 30_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class StartFailed(Exception):
    """The server ended before it was ready."""

    def __init__(self, code, output, errors):
        super().__init__(f"exit code {code}: {errors.strip() or output.strip()}")
        self.code, self.output, self.errors = code, output, errors


class Server:
    """One server process on one data directory."""

    def __init__(self, data, *flags, port=0, environment=None, log=None, program=SERVER):
        self.data, self.flags, self.port = pathlib.Path(data), flags, port
        self.environment = environment or {}
        self.program = program
        self.log_path = log
        self.process = self.endpoint = None
        self.root_key = None  # of the account, if this start has made it
        self.log_lines = []

    def start(self, deadline_seconds=120):
        command = [str(self.program), "serve", "--data", str(self.data), "--port", str(self.port), *map(str, self.flags)]
        # Debian's python3, which has boto3, must be the one that functions run on.
        # Functions that still run when a test ends are not waited for.
        # Master keys are made beside the data, and go with it.
        environment = {**os.environ, "PATH": "/usr/bin:/bin:" + os.environ["PATH"], "TIDEMILL_GRACE": "1",
                       "XDG_CONFIG_HOME": str(self.data.absolute().parent / "config"), **self.environment}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment, errors="replace")
        lines = queue.Queue()
        self.log_lines = []
        threading.Thread(target=self._pump, args=(self.process.stdout, lines.put), daemon=True).start()
        self._log_reader = threading.Thread(target=self._pump, args=(self.process.stderr, self._keep), daemon=True)
        self._log_reader.start()
        try:
            line = lines.get(timeout=deadline_seconds)
            if line and line.startswith("tidemill root credentials"):
                self.root_key = dict(word.split("=", 1) for word in line.split() if "=" in word)
                line = lines.get(timeout=deadline_seconds)
        except queue.Empty:
            self.kill()
            raise AssertionError(f"not ready within {deadline_seconds} s; log:\n{self.log()}") from None
        if line is None:
            code = self.process.wait()
            self._log_reader.join(5)
            raise StartFailed(code, "", self.log())
        assert line.startswith(("tidemill ready http://127.0.0.1:", "tidemill ready https://127.0.0.1:")), line
        self.ready_line = line
        self.endpoint = line.split()[-1]
        return self

    def _keep(self, line):
        if line is None:
            return
        self.log_lines.append(line)
        if self.log_path:
            with open(self.log_path, "a") as file:
                file.write(line)

    @staticmethod
    def _pump(stream, take):
        for line in stream:
            take(line)
        take(None)

    def log(self):
        return "".join(self.log_lines)

    def stop(self):
        """SIGTERM; the exit code and how many seconds it took."""
        started = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still running {STOP_SECONDS} s after SIGTERM; log:\n{self.log()[-4000:]}") from None
        seconds = time.monotonic() - started
        self._log_reader.join(5)  # or its last lines may be missing
        return code, seconds

    def kill(self):
        """SIGKILL: the crash that nothing can prepare for."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def processor_seconds(self):
        """What it has had of the processors: how much work something was, however busy the machine is."""
        user, system = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    @property
    def running(self):
        return self.process is not None and self.process.poll() is None

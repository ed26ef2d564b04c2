"""Runs every benchmark against one build, each line beside its floor from the same run. scripts/bench calls it.

Usage: bench.py [--seconds S] [--items N] [--entries N] [--expiring N] [--schedules N] [--waiting N]
                [--only WORD[,WORD...]] [--results DIR] [--build DIR]
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "bench"))

import buckets  # noqa: E402
import comparisons  # noqa: E402
import fairness  # noqa: E402
import guarding  # noqa: E402
import measures  # noqa: E402
import queue_mappings  # noqa: E402
import queues  # noqa: E402
import scale  # noqa: E402
import stacks  # noqa: E402
import stream_mappings  # noqa: E402
import streams  # noqa: E402
import timing  # noqa: E402
import workflows  # noqa: E402
from report import Report  # noqa: E402
from rig import Rig  # noqa: E402

BENCHMARKS = [
    ("startup", measures.startup),
    ("items", measures.items),
    ("query", measures.query),
    ("fairness", fairness.measure),
    ("compare", comparisons.compare),
    ("queues", queues.compare),
    ("streams", streams.put_records),
    ("buckets", buckets.put_and_get),
    ("invoke", measures.invoke),
    ("invoke", measures.first_byte),
    ("latency", stream_mappings.latency),
    ("mapping", stream_mappings.throughput),
    ("queue-mappings", queue_mappings.measure),
    ("time", timing.measure),
    ("workflows", workflows.measure),
    ("stacks", stacks.measure),
    ("guarding", guarding.measure),
    ("memory", measures.memory),
    ("scale", scale.measure),
]
NEED_ECHO = {"invoke", "latency", "queue-mappings", "time", "workflows"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4, help="per line of load (default: 4)")
    parser.add_argument("--items", type=int, default=1_000_000, help="for the memory line (default: a million)")
    parser.add_argument("--entries", type=int, default=10_000_000, help="of the group scale, at most (default: ten million)")
    parser.add_argument("--expiring", type=int, default=1_000_000, help="items of the group time (default: a million)")
    parser.add_argument("--schedules", type=int, default=10_000, help="of the group time, at most (default: 10,000)")
    parser.add_argument("--waiting", type=int, default=100_000, help="executions of the group workflows (default: 100,000)")
    parser.add_argument("--only", default="", help="of: " + ", ".join(name for name, _ in BENCHMARKS))
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    arguments = parser.parse_args()
    wanted = set(filter(None, arguments.only.split(",")))
    unknown = wanted - {name for name, _ in BENCHMARKS}
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="tidemill-bench-", dir=os.environ.get("TIDEMILL_BENCH_DIR")))
    report = Report()
    try:
        if wanted & NEED_ECHO and "items" not in wanted:  # items measures it as well
            with Rig(arguments.build, scratch / "echo", arguments) as rig:
                measures.echo(rig, report)
        for name, measure in BENCHMARKS:
            if wanted and name not in wanted:
                continue
            print(f"==> {name}", file=sys.stderr, flush=True)
            with Rig(arguments.build, scratch / name, arguments) as rig:
                measure(rig, report)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

    about = describe_machine()
    text = report.markdown(about)
    print(text)
    if not wanted:
        save(arguments.results, about, report, text)
    return 0


def describe_machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip() or "unknown",
        "cpu": cpu.group(1) if cpu else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "fdatasync_us": fdatasync_us(),
    }


def fdatasync_us():
    """The median time of appending 200 bytes and syncing them: what a disk makes of a durable write."""
    import time
    directory = tempfile.mkdtemp(dir=os.environ.get("TIDEMILL_BENCH_DIR"))
    file = os.open(os.path.join(directory, "sync"), os.O_CREAT | os.O_WRONLY, 0o600)
    taken = []
    for _ in range(300):
        started = time.perf_counter()
        os.write(file, b"x" * 200)
        os.fdatasync(file)
        taken.append((time.perf_counter() - started) * 1e6)
    os.close(file)
    shutil.rmtree(directory)
    return round(statistics.median(taken), 1)


def save(directory, about, report, text):
    directory.mkdir(parents=True, exist_ok=True)
    name = f"{about['date']}-{about['commit']}"
    (directory / f"{name}.md").write_text(text + "\n")
    (directory / f"{name}.json").write_text(json.dumps({"about": about, "lines": report.lines, "comparisons": report.comparisons}, indent=1) + "\n")
    print(f"written to {directory / name}.md and .json", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

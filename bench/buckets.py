"""Buckets: objects put and got, beside a plain copy of a file of the same size that is synced before it counts."""
import os
import time

from rig import AUTHORIZATION, progress

# size -> how many in one turn
OBJECTS = {64 << 10: 256, 8 << 20: 16, 1 << 30: 1}
TURNS = 3  # of copy, put and get each, one after the other; the best turn of each counts
PIECE = 1 << 20
NAMES = {64 << 10: "64 KiB", 8 << 20: "8 MiB", 1 << 30: "1 GiB"}


def put_and_get(rig, report):
    server = rig.server()
    server.cloud.client("s3").create_bucket(Bucket="bench")
    for size, count in OBJECTS.items():
        measure(rig, report, server, size, count)


def measure(rig, report, server, size, count):
    source = rig.scratch / "source"
    write_source(source, size)
    copies, puts, gets = [], [], []
    for _ in range(TURNS):
        copies.append(synced_copies(rig, source, size, count))
        puts.append(body_load(rig, server, "PUT", size, count))
        gets.append(body_load(rig, server, "GET", size, count))
    source.unlink()
    floor = max(copies)
    for what, loads in (("put", puts), ("get", gets)):
        best = max(loads, key=speed)
        cpu = min(load["server_cpu_seconds"] / load["bytes"] for load in loads) * 2**30
        share = speed(best) / floor
        expected = ("at least 70 %", share >= 0.7) if size >= 8 << 20 else None
        report.add(f"{what} of {NAMES[size]}, one after the other", speed(best), "MB/s", "a synced copy of a file", floor,
                   expect=expected, note=f"{cpu:.2f} CPU seconds per GiB")
        progress(f"{what} of {NAMES[size]}: {speed(best):,.0f} MB/s, {share:.0%} of {floor:,.0f}; {cpu:.2f} CPU s per GiB")


def speed(load):
    return load["bytes"] / load["seconds"] / 1e6


def body_load(rig, server, method, size, count):
    return rig.run_load("body_load", ["--port", server.endpoint.rsplit(":", 1)[1], "--method", method, "--path", "/bench/object",
                                      "--size", str(size), "--count", str(count), "--pid", str(server.pid),
                                      *headers()])


def headers():
    lines = AUTHORIZATION.format(service="s3").split("\r\n")
    return [word for line in [*lines, "x-amz-content-sha256: UNSIGNED-PAYLOAD"] for word in ("--header", line)]


def write_source(path, size):
    """Data that does not compress; it is in memory when it is copied."""
    with path.open("wb") as file:
        for at in range(0, size, PIECE):
            file.write(os.urandom(min(PIECE, size - at)))
        os.fsync(file.fileno())


def synced_copies(rig, source, size, count):
    """MB/s of copies to new files, each synced with its name before the next."""
    directory = os.open(rig.scratch, os.O_RDONLY)
    copies = []
    started = time.perf_counter()
    for number in range(count):
        copies.append(rig.scratch / f"copy-{number}")
        copy(source, copies[-1])
        os.fsync(directory)
    taken = time.perf_counter() - started
    os.close(directory)
    for path in copies:
        path.unlink()
    return size * count / taken / 1e6


def copy(source, target):
    buffer = bytearray(PIECE)
    with source.open("rb", buffering=0) as read, target.open("xb", buffering=0) as write:
        while got := read.readinto(buffer):
            write.write(memoryview(buffer)[:got])
        os.fdatasync(write.fileno())

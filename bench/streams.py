"""Data streams: PutRecords in full batches beside what the disk takes when every batch is written to a file and synced."""
import base64
import json
import os
import time

from measures import load_row
from rig import AUTHORIZATION, progress

BATCH = 500
RECORD_BYTES = (100, 1_000)
CONNECTIONS = (1, 4, 16)
SHARDS = 4


def put_records(rig, report):
    server = rig.server()
    server.cloud.create_data_stream(shards=SHARDS, name="bench")
    for size in RECORD_BYTES:
        body = request(size)
        for connections in CONNECTIONS:
            floor = synced_mb_per_second(rig, size * BATCH)
            answer = rig.load(server.endpoint + "/", connections, body, kinesis_headers("PutRecords"), pid=server.pid,
                              vary=1_000_000)
            records = answer["per_second"] * BATCH
            mb = records * size / 1e6
            what = f"PutRecords of {BATCH} records of {size:,} bytes, {connections} connections"
            load_row(report, what, answer, value=records, unit="records/s")
            expected = ("at least 50 %", mb >= floor / 2) if size == RECORD_BYTES[-1] and connections > 1 else None
            load_row(report, what, answer, f"synced sequential writes of {size * BATCH // 1000} KB", floor, value=mb,
                     unit="MB/s", expect=expected)
            progress(f"{what}: {records:,.0f} records/s, {mb:.0f} MB/s; the disk {floor:.0f} MB/s")


def request(size):
    """Data that does not compress: a disk that got it smaller would be no measure."""
    records = [{"PartitionKey": "@@N@@", "Data": base64.b64encode(os.urandom(size)).decode()} for _ in range(BATCH)]
    return json.dumps({"StreamName": "bench", "Records": records}, separators=(",", ":"))


def kinesis_headers(operation):
    return [AUTHORIZATION.format(service="kinesis"), "Content-Type: application/x-amz-json-1.1",
            f"X-Amz-Target: Kinesis_20131202.{operation}"]


def synced_mb_per_second(rig, size):
    """One file, written from its beginning to its end in pieces of `size`, each synced before the next."""
    data = os.urandom(size)
    path = rig.scratch / "floor"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    started, written = time.perf_counter(), 0
    while time.perf_counter() - started < rig.arguments.seconds / 2:
        os.write(file, data)
        os.fdatasync(file)
        written += size
    taken = time.perf_counter() - started
    os.close(file)
    path.unlink()
    return written / taken / 1e6

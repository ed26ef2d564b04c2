"""The Python function of the latency benchmark: tells a UDP port when it was entered with which records."""
import os
import socket
import time

REPORTS = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
REPORTS.connect(("127.0.0.1", int(os.environ["REPORT_PORT"])))


def handler(event, context):
    entered = time.time_ns()
    turns = " ".join(map(turn, event["Records"][:100]))
    REPORTS.send(f"{entered} {len(event['Records'])} {turns}".encode())


def turn(record):
    if "body" in record:
        return record["body"][:20]
    if "kinesis" in record:
        return record["kinesis"]["partitionKey"]
    return '"turn":{"N":"%s"}' % record["dynamodb"]["NewImage"]["turn"]["N"]

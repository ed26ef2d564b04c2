"""Splits a piece of a file of NDJSON into batches of changes, each fit for one PutEvents. A line belongs to the piece in which it
begins. One call reads as much as fits into a state's result; `rest` is what the next call is to get, or null at the end."""
import json

import boto3

objects = boto3.client("s3")
BATCH_ENTRIES = 10  # of one PutEvents
BATCH_BYTES = 200 * 1024  # of PutEvents' 256 KiB: an entry is larger than its detail
PART_BYTES = 200 * 1024  # of a state's 256 KiB
READ_BYTES = 64 * 1024


def handler(event, context):
    batches, size, rest = [], 0, None
    for position, line in lines(event["bucket"], event["key"], event["offset"], event["end"]):
        change, more = change_of(line, {"bucket": event["bucket"], "key": event["key"], "offset": position})
        if batches and size + more > PART_BYTES:
            rest = {**event, "offset": position}
            break
        if not batches or len(batches[-1]["changes"]) == BATCH_ENTRIES:
            batches.append({"changes": []})
        batches[-1]["changes"].append(change)
        size += more
    return {"batches": batches, "rest": rest}


def lines(bucket, key, offset, end):
    """(position, line) of those that begin from offset to before end. What comes before the first newline began earlier."""
    position = max(offset - 1, 0)
    found = objects.get_object(Bucket=bucket, Key=key, Range=f"bytes={position}-")["Body"].iter_lines(READ_BYTES)
    if offset:
        position += len(next(found)) + 1
    for line in found:
        if position >= end:
            break
        yield position, line
        position += len(line) + 1


def change_of(line, place):
    """The event's detail, and its size in bytes. A resource that is too large for an event is told by where it is."""
    resource = json.loads(line)
    change = {"type": resource["resourceType"], "id": resource["id"], "version": resource["meta"]["versionId"],
              "lastUpdated": resource["meta"]["lastUpdated"]}
    whole = {**change, "resource": resource}
    size = len(json.dumps(whole))
    if size <= BATCH_BYTES:
        return whole, size
    change["at"] = {**place, "bytes": len(line)}
    return change, len(json.dumps(change))

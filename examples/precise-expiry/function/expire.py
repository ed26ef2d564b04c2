"""Deletes what has expired, by hand: looks into the index of the window that the time in its event ends, and deletes
what is older than that time, 25 items at once. What comes back unprocessed is tried again up to three times; then the
invocation fails, and Lambda repeats it. Runs on AWS as it does here.
"""
import os
import time
from datetime import datetime

import boto3
from windows import window_of

TABLE, INDEX = os.environ["TABLE"], "by-window"
CHUNK = 25
RETRIES = 3
FIRST_WAIT = 0.05  # seconds; twice as long each time

client = boto3.client("dynamodb")


def handler(event, context):
    now = int(datetime.fromisoformat(event["time"].replace("Z", "+00:00")).timestamp())
    deleted, chunk = 0, []
    for key in expired(window_of(now - 1), now):  # a window ends just before the minute that ends it
        chunk.append(key)
        if len(chunk) == CHUNK:
            deleted += delete(chunk)
            chunk = []
    if chunk:
        deleted += delete(chunk)
    return {"deleted": deleted}


def expired(window, now):
    pages = client.get_paginator("query").paginate(
        TableName=TABLE, IndexName=INDEX, KeyConditionExpression="expirationWindow = :window AND #ttl < :now",
        ExpressionAttributeNames={"#ttl": "ttl"},
        ExpressionAttributeValues={":window": {"S": window}, ":now": {"N": str(now)}})
    for page in pages:
        for item in page["Items"]:
            yield {"id": item["id"]}


def delete(keys):
    requests = [{"DeleteRequest": {"Key": key}} for key in keys]
    for attempt in range(1 + RETRIES):
        if attempt:
            print(f"retry {attempt}: {len(requests)} items are left")
            time.sleep(FIRST_WAIT * 2 ** (attempt - 1))
        answer = client.batch_write_item(RequestItems={TABLE: requests})
        requests = answer["UnprocessedItems"].get(TABLE, [])
        if not requests:
            return len(keys)
    raise RuntimeError(f"{len(requests)} items are not deleted after {RETRIES} retries")

"""Looks after the export until it has ended: every 30 seconds, as its queue delays messages by that. Tells the state machine
that it is still alive, and at last where the manifest is, a JSON array of the files, or what went wrong. A large file is listed
piece by piece, so that no execution has too many events."""
import json
import os
import urllib.parse

import boto3
from fhir import Store

queues, states, objects = boto3.client("sqs"), boto3.client("stepfunctions"), boto3.client("s3")
store = Store(os.environ["DATASTORE"], boto3.client("healthlake"), boto3.Session().get_credentials())
RUNNING = {"SUBMITTED", "QUEUED", "IN_PROGRESS"}
PIECE_BYTES = 2 * 1024 * 1024  # of resources of 100 bytes and more: 20,000 changes, nine events for ten of them


def handler(event, context):
    for record in event["Records"]:
        message = json.loads(record["body"])
        try:
            look(message["token"], message["job"])
        except states.exceptions.TaskTimedOut:
            print("nobody waits any more")


def look(token, job):
    status, answer = store.send("GET", f"export/{job}")
    if status not in (200, 202):
        raise RuntimeError(f"no export: {status} {json.dumps(answer)}")
    reached = answer["exportJobProperties"]["jobStatus"]
    if reached in RUNNING:
        states.send_task_heartbeat(taskToken=token)
        queues.send_message(QueueUrl=os.environ["POLL_QUEUE_URL"], MessageBody=json.dumps({"token": token, "job": job}))
    elif reached == "COMPLETED":
        manifest = write_manifest(job, answer["output"])
        states.send_task_success(taskToken=token, output=json.dumps({"bucket": os.environ["BUCKET"], "manifest": manifest}))
    else:
        states.send_task_failure(taskToken=token, error=f"Export.{reached}", cause=json.dumps(answer)[:32000])


def write_manifest(job, output):
    files = []
    for file in output:
        where = urllib.parse.urlsplit(file["url"])  # s3://bucket/key
        bucket, key = where.netloc, where.path.lstrip("/")
        size = objects.head_object(Bucket=bucket, Key=key)["ContentLength"]
        files += [{"type": file["type"], "bucket": bucket, "key": key, "offset": offset, "end": min(offset + PIECE_BYTES, size)}
                  for offset in range(0, size, PIECE_BYTES)]
    key = f"manifests/{job}.json"
    objects.put_object(Bucket=os.environ["BUCKET"], Key=key, Body=json.dumps(files).encode())
    return key

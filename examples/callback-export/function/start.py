"""Takes the message with the task token and starts the export of what has changed since the last run.

A message may come twice, and a function may die after any line. So the export is named by the token, and one that is there
already is gone on with. Whatever fails is tried again when the queue gives the message back; until the state machine has
waited for too long."""
import hashlib
import json
import os
import urllib.parse

import boto3
from fhir import Store

queues, states = boto3.client("sqs"), boto3.client("stepfunctions")
store = Store(os.environ["DATASTORE"], boto3.client("healthlake"), boto3.Session().get_credentials())
SUCCESSFUL = {"SUBMITTED", "QUEUED", "IN_PROGRESS", "COMPLETED"}


def handler(event, context):
    for record in event["Records"]:
        message = json.loads(record["body"])
        try:
            states.send_task_heartbeat(taskToken=message["token"])
        except states.exceptions.TaskTimedOut:
            print("nobody waits any more")
            continue
        name = "changes-" + hashlib.sha256(message["token"].encode()).hexdigest()[:32]
        job = begun(name) or begin(name, message["since"])
        queues.send_message(QueueUrl=os.environ["POLL_QUEUE_URL"],
                            MessageBody=json.dumps({"token": message["token"], "job": job}))


def begun(name):
    jobs = store.lake.list_fhir_export_jobs(DatastoreId=store.id, JobName=name)["ExportJobPropertiesList"]
    return next((job["JobId"] for job in jobs if job["JobStatus"] in SUCCESSFUL), None)


def begin(name, since):
    query = "?" + urllib.parse.urlencode({"_since": since}) if since else ""
    status, answer = store.send("POST", "$export" + query, {
        "JobName": name, "DataAccessRoleArn": os.environ["ROLE"],
        "OutputDataConfig": {"S3Configuration": {"S3Uri": f"s3://{os.environ['BUCKET']}/exports",
                                                 "KmsKeyId": os.environ["KMS_KEY"]}}})
    if status != 202:
        raise RuntimeError(f"no export: {status} {json.dumps(answer)}")
    print(f"export {answer['jobId']} of what has changed since {since or 'ever'}")
    return answer["jobId"]

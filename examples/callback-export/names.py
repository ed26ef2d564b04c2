"""What the example's things are called."""
import os

ROLE = os.environ.get("ROLE_ARN", "arn:aws:iam::000000000000:role/callback-export")
KMS_KEY = os.environ.get("KMS_KEY_ARN", "arn:aws:kms:us-east-1:000000000000:key/callback-export")
BUCKET = os.environ.get("BUCKET", "callback-export")

MACHINE = SCHEDULE = DATASTORE = "callback-export"
TABLE = "export-runs"
BUS = "resource-changes"
CHANGES = "changes"  # the queue in which they are collected
START, POLL, SPLIT = "export-start", "export-poll", "export-split"
MISSED, FAILED = "export-missed", "export-failed"  # dead letters of the schedule, of the two queues

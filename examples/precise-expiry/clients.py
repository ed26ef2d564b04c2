"""Clients of the server that TIDEMILL_ENDPOINT names, or of AWS; and the time there."""
import json
import os
import time
import urllib.request

import boto3

ENDPOINT = os.environ.get("TIDEMILL_ENDPOINT")


def connect(service):
    region = os.environ.get("AWS_DEFAULT_REGION", "us-east-1")
    if not ENDPOINT:
        return boto3.client(service, region_name=region)
    return boto3.client(service, region_name=region, endpoint_url=ENDPOINT,
                        aws_access_key_id=os.environ.get("AWS_ACCESS_KEY_ID", "test"),
                        aws_secret_access_key=os.environ.get("AWS_SECRET_ACCESS_KEY", "test"))


def now():
    """In seconds; of a server whose clock is turned, what that shows."""
    if not ENDPOINT:
        return int(time.time())
    with urllib.request.urlopen(f"{ENDPOINT}/_tidemill/clock", timeout=10) as answer:
        return int(json.loads(answer.read())["now"])

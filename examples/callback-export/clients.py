"""Clients of the server that TIDEMILL_ENDPOINT names, or of AWS."""
import os

import boto3

ENDPOINT = os.environ.get("TIDEMILL_ENDPOINT")


def session():
    keys = {"aws_access_key_id": os.environ.get("AWS_ACCESS_KEY_ID", "test"),
            "aws_secret_access_key": os.environ.get("AWS_SECRET_ACCESS_KEY", "test")} if ENDPOINT else {}
    return boto3.Session(region_name=os.environ.get("AWS_DEFAULT_REGION", "us-east-1"), **keys)


def connect(service):
    return session().client(service, **({"endpoint_url": ENDPOINT} if ENDPOINT else {}))

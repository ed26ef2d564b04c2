"""Clients of the server that TIDEMILL_ENDPOINT names, or of AWS."""
import os

import boto3


def connect(service):
    region = os.environ.get("AWS_DEFAULT_REGION", "us-east-1")
    endpoint = os.environ.get("TIDEMILL_ENDPOINT")
    if not endpoint:
        return boto3.client(service, region_name=region)
    return boto3.client(service, region_name=region, endpoint_url=endpoint,
                        aws_access_key_id=os.environ.get("AWS_ACCESS_KEY_ID", "test"),
                        aws_secret_access_key=os.environ.get("AWS_SECRET_ACCESS_KEY", "test"))

"""A week in a second: pytest with a server of its own, whose clock the test turns."""
import datetime
import functools
import io
import json
import os
import subprocess
import urllib.request
import zipfile

import boto3
import pytest

REPORT = """
import boto3, datetime
table = boto3.resource("dynamodb").Table("reports")

def handler(event, context):
    table.put_item(Item={"day": datetime.date.today().isoformat()})
"""
ROLE = "arn:aws:iam::000000000000:role/report"


@pytest.fixture
def tidemill(tmp_path):
    program = os.environ.get("TIDEMILL", "tidemill")
    server = subprocess.Popen([program, "serve", "--clock", "virtual", "--port", "0", "--data", tmp_path],
                              stdout=subprocess.PIPE, text=True)
    yield server.stdout.readline().split()[-1]  # tidemill ready http://127.0.0.1:40123
    server.terminate()
    server.wait()


def advance(endpoint, duration):
    request = urllib.request.Request(f"{endpoint}/_tidemill/clock", json.dumps({"advance": duration}).encode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["ran"]


def zipped(source):
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("report.py", source)
    return package.getvalue()


def test_a_report_is_made_every_morning(tidemill):
    client = functools.partial(boto3.client, endpoint_url=tidemill, region_name="us-east-1",
                               aws_access_key_id="test", aws_secret_access_key="test")
    client("dynamodb").create_table(TableName="reports", BillingMode="PAY_PER_REQUEST",
                                    KeySchema=[{"AttributeName": "day", "KeyType": "HASH"}],
                                    AttributeDefinitions=[{"AttributeName": "day", "AttributeType": "S"}])
    function = client("lambda").create_function(FunctionName="report", Runtime="python3.12", Handler="report.handler",
                                                Role=ROLE, Timeout=30, Code={"ZipFile": zipped(REPORT)})
    client("scheduler").create_schedule(Name="morning", ScheduleExpression="cron(0 8 * * ? *)",
                                        FlexibleTimeWindow={"Mode": "OFF"},
                                        Target={"Arn": function["FunctionArn"], "RoleArn": ROLE})

    assert advance(tidemill, "P7D")["schedule"] == 7  # back once all that fell due has run

    reports = client("dynamodb").scan(TableName="reports")["Items"]
    days = sorted(datetime.date.fromisoformat(report["day"]["S"]) for report in reports)
    assert days == [days[0] + datetime.timedelta(days=n) for n in range(7)]  # the function saw the platform's time

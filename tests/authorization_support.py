"""What tests of servers with --auth iam share: policies as texts."""
import json

ACCOUNT = "000000000000"


def statement(action, resource="*", effect="Allow", **more):
    return {"Effect": effect, "Action": action, "Resource": resource, **more}


def policy(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def trust(**principal):
    return json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}]})

"""Services that AWS has and Tidemill lacks: refused by their own names, in the form that their clients read, and never taken
for another service's requests."""
import pytest
from botocore.exceptions import ClientError

from awscli_support import aws  # noqa: F401  the fixture
from harness import unique

pytestmark = pytest.mark.local

CALLS = [
    ("ec2", "describe_instances", {}),
    ("redshift", "describe_clusters", {}),
    ("route53", "list_hosted_zones", {}),
    ("apigateway", "get_rest_apis", {}),
    ("glacier", "list_vaults", {}),
    ("rds", "list_tags_for_resource", {"ResourceName": "arn:aws:rds:us-east-1:000000000000:db:x"}),  # SNS has one, too
    ("elasticache", "list_tags_for_resource", {"ResourceName": "arn:aws:elasticache:us-east-1:000000000000:cluster:x"}),
    ("batch", "list_jobs", {}),
]


@pytest.mark.parametrize("service,call,arguments", CALLS, ids=[call[0] for call in CALLS])
def test_a_service_that_is_not_there_says_so(cloud, service, call, arguments):
    client = cloud.client(service)
    with pytest.raises(ClientError) as refused:
        getattr(client, call)(**arguments)
    error = refused.value.response["Error"]
    assert error["Code"] == "UnknownOperationException"
    assert "Tidemill does not support" in error["Message"]
    signing_name = client.meta.service_model.signing_name
    assert f"of the service {signing_name}" in error["Message"]


@pytest.mark.parametrize("command,service", [
    (["route53", "list-hosted-zones"], "route53"),
    (["ec2", "describe-instances"], "ec2"),
])
def test_the_command_line_shows_it(aws, command, service):  # noqa: F811
    said = aws.error(*command)
    assert "(UnknownOperationException)" in said
    assert f"of the service {service}" in said


def test_what_is_signed_for_another_service_makes_no_bucket(cloud):
    bucket = unique("bucket")
    status, headers, body = cloud.raw("synthetics", "PUT", f"/{bucket}", b"")
    assert status == 404
    assert headers["x-amzn-ErrorType"] == "UnknownOperationException"
    assert f"PUT /{bucket} of the service synthetics" in body.decode()
    assert bucket not in [each["Name"] for each in cloud.s3.list_buckets()["Buckets"]]


def test_neither_does_an_address_that_is_signed_for_it(cloud):
    bucket = unique("bucket")
    status, _, body = cloud.raw_unsigned("PUT", f"/{bucket}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
                                         "test%2F20261101%2Fus-east-1%2Fsynthetics%2Faws4_request")
    assert (status, b"of the service synthetics" in body) == (404, True)
    assert bucket not in [each["Name"] for each in cloud.s3.list_buckets()["Buckets"]]


def test_unknown_paths_and_actions_of_services_that_are_there_are_refused_by_name(cloud):
    status, headers, body = cloud.raw("lambda", "GET", "/2015-03-31/no-such-things")
    assert (status, headers["x-amzn-ErrorType"]) == (404, "UnknownOperationException")
    assert b"GET /2015-03-31/no-such-things of the service lambda" in body
    status, _, body = cloud.raw("sns", "POST", "/", "Action=MakeTea&Version=2010-03-31",
                                {"Content-Type": "application/x-www-form-urlencoded"})
    assert (status, b"the operation MakeTea of the service sns" in body) == (404, True)
    status, _, body = cloud.raw("dynamodb", "POST", "/", "{}", {"X-Amz-Target": "DynamoDB_20120810.MakeTea"})
    assert (status, b"the operation MakeTea" in body) == (400, True)
    for target in {}, {"X-Amz-Target": "Teahouse.MakeTea"}, {"X-Amz-Target": "MakeTea"}:  # as AWS, whose service is signed for
        status, _, body = cloud.raw("dynamodb", "POST", "/", "{}", {"Content-Type": "application/x-amz-json-1.0", **target})
        assert (status, b"UnknownOperationException" in body) == (400, True)
    status, _, body = cloud.raw("s3", "PATCH", "/bucket/key")
    assert (status, b"<Code>UnknownOperationException</Code>" in body) == (404, True)

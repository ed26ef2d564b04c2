"""Access logs of buckets: what is logged, as which fields, and where it is put."""
import json
import re
import subprocess

import pytest
from botocore.exceptions import ClientError

from harness import Cloud, refused, unique

FIELD = re.compile(r'"([^"]*)"|\[([^\]]*)\]|(\S+)')
FIELDS = ["owner", "bucket", "time", "address", "requester", "request", "operation", "key", "uri", "status", "error",
          "sent", "size", "total", "turn", "referer", "agent", "version", "host_id", "signature", "cipher", "how", "host",
          "tls", "access_point", "acl"]


def lines_in(s3, target, prefix=""):
    """The lines of all logs, each as its fields by name."""
    found = s3.list_objects_v2(Bucket=target, Prefix=prefix).get("Contents", [])
    lines = [line for one in found
             for line in s3.get_object(Bucket=target, Key=one["Key"])["Body"].read().decode().splitlines()]
    return [dict(zip(FIELDS, ["".join(groups) for groups in FIELD.findall(line)], strict=True)) for line in lines]


@pytest.fixture
def buckets(virtual):
    s3, name, target = virtual.s3, unique("logged"), unique("logs")
    for bucket in (name, target):
        s3.create_bucket(Bucket=bucket)
    return name, target


def log(s3, bucket, target, prefix="", **more):
    s3.put_bucket_logging(Bucket=bucket, BucketLoggingStatus={
        "LoggingEnabled": {"TargetBucket": target, "TargetPrefix": prefix, **more}})


@pytest.mark.local
def test_requests_become_lines_in_the_target_bucket(virtual, buckets):
    (name, target), s3 = buckets, virtual.s3
    log(s3, name, target, "from/")
    assert s3.get_bucket_logging(Bucket=name)["LoggingEnabled"] == {"TargetBucket": target, "TargetPrefix": "from/"}
    s3.put_object(Bucket=name, Key="a b/ä", Body=b"tea")
    s3.get_object(Bucket=name, Key="a b/ä")
    with pytest.raises(ClientError):
        s3.get_object(Bucket=name, Key="none")
    s3.list_objects_v2(Bucket=name)
    assert lines_in(s3, target) == [], "not at once"
    virtual.advance(180)
    found = s3.list_objects_v2(Bucket=target)["Contents"]
    assert all(re.fullmatch(r"from/\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d-[0-9A-F]{16}", one["Key"]) for one in found)
    lines = {(line["operation"], line["status"]): line for line in lines_in(s3, target)}
    put = lines["REST.PUT.OBJECT", "200"]
    assert (put["bucket"], put["key"], put["size"]) == (name, "a%20b/%C3%A4", "3")
    assert put["uri"].startswith(f"PUT /{name}/a%20b/") and put["uri"].endswith(" HTTP/1.1")
    assert put["address"] == "127.0.0.1" and "Boto3" in put["agent"]
    assert (put["signature"], put["how"]) == ("SigV4", "AuthHeader")
    assert put["owner"] == put["requester"] and re.fullmatch("[0-9a-f]{64}", put["owner"])
    got = lines["REST.GET.OBJECT", "200"]
    assert (got["sent"], got["error"]) == ("3", "-")
    missing = lines["REST.GET.OBJECT", "404"]
    assert (missing["error"], missing["key"]) == ("NoSuchKey", "none")
    assert lines["REST.GET.BUCKET", "200"]["key"] == "-"
    assert lines["REST.GET.LOGGING_STATUS", "200"]


def how_requests_come(cloud):
    """What the log says of requests that a proxy seems to bring: version and TLS by key."""
    s3, name, target = cloud.s3, unique("logged"), unique("logs")
    for bucket in (name, target):
        s3.create_bucket(Bucket=bucket)
    log(s3, name, target)
    for key, *options in [("plain",), ("second", "--http2-prior-knowledge"), ("via", "-H", "Via: 1.1 proxy"),
                          ("for", "-H", "X-Forwarded-For: 192.0.2.7", "-H", "X-Forwarded-Proto: http"),
                          ("safe", "-H", "X-Forwarded-For: 192.0.2.7", "-H", "X-Forwarded-Proto: https")]:
        subprocess.run(["/usr/bin/curl", "-sS", "-o", "/dev/null", "--user", "AKID:SECRET", "--aws-sigv4",
                        "aws:amz:us-east-1:s3", *options, f"{cloud.endpoint}/{name}/{key}"], check=True, timeout=30)
    cloud.advance(180)
    told = {line["key"]: (line["uri"].rsplit(" ", 1)[1], line["tls"]) for line in lines_in(s3, target)}
    return [told[key] for key in ("plain", "second", "via", "for", "safe")]


@pytest.mark.local
def test_lines_say_how_a_request_came(start_server):
    behind_proxy = Cloud(start_server("--clock", "virtual", "--behind-proxy").endpoint)
    assert how_requests_come(behind_proxy) == [
        ("HTTP/1.1", "-"), ("HTTP/2", "-"), ("HTTP/1.1", "-"), ("HTTP/1.1", "-"), ("HTTP/1.1", "TLSv1.2")]


@pytest.mark.local
def test_lines_believe_no_proxy_that_is_not_expected(virtual):
    assert how_requests_come(virtual)[-1] == ("HTTP/1.1", "-")


@pytest.mark.local
def test_logs_may_lie_below_account_region_bucket_and_day(virtual, buckets):
    (name, target), s3 = buckets, virtual.s3
    body = (f'<BucketLoggingStatus xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LoggingEnabled>'
            f"<TargetBucket>{target}</TargetBucket><TargetPrefix>p/</TargetPrefix><TargetObjectKeyFormat><PartitionedPrefix>"
            "<PartitionDateSource>DeliveryTime</PartitionDateSource></PartitionedPrefix></TargetObjectKeyFormat>"
            "</LoggingEnabled></BucketLoggingStatus>")
    assert virtual.raw("s3", "PUT", f"/{name}?logging", body.encode())[0] == 200
    virtual.advance(180)
    [only] = s3.list_objects_v2(Bucket=target)["Contents"]
    assert re.fullmatch(rf"p/000000000000/us-east-1/{name}/\d{{4}}/\d\d/\d\d/[-0-9A-F]+", only["Key"])


@pytest.mark.local
def test_a_bucket_that_logs_to_itself_comes_to_rest_and_one_that_logs_no_more_is_quiet(virtual, buckets):
    (name, target), s3 = buckets, virtual.s3
    log(s3, name, name, "log/")
    virtual.advance(180)
    count = len(lines_in(s3, name, "log/"))
    assert count == 1
    s3.put_bucket_logging(Bucket=name, BucketLoggingStatus={})
    assert "LoggingEnabled" not in s3.get_bucket_logging(Bucket=name)
    virtual.advance(600)
    s3.put_object(Bucket=name, Key="k", Body=b"")
    virtual.advance(600)
    assert not [line for line in lines_in(s3, name, "log/") if line["key"] == "k"]


def test_the_target_must_be_there_and_near(cloud, s3, bucket):
    with refused("InvalidTargetBucketForLogging", "The target bucket for logging does not exist"):
        log(s3, bucket, unique("none"))
    elsewhere = unique("elsewhere")
    cloud.client("s3", region_name="eu-west-1").create_bucket(
        Bucket=elsewhere, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    try:
        with refused("CrossLocationLoggingProhibitted"):
            log(s3, bucket, elsewhere)
    finally:
        s3.delete_bucket(Bucket=elsewhere)
    assert "LoggingEnabled" not in s3.get_bucket_logging(Bucket=bucket)


@pytest.mark.local
def test_where_rights_are_judged_the_targets_policy_lets_logs_in_and_refusals_are_logged(start_server, tmp_path):
    server = start_server("--auth", "iam", "--clock", "virtual", data=tmp_path / "data")
    key = server.root_key
    root = Cloud(server.endpoint, access_key=key["AWS_ACCESS_KEY_ID"], secret_key=key["AWS_SECRET_ACCESS_KEY"])
    s3, name, target = root.s3, unique("logged"), unique("logs")
    for bucket in (name, target):
        s3.create_bucket(Bucket=bucket)
    log(s3, name, target)
    root.advance(180)
    assert lines_in(s3, target) == [], "nobody lets them in"
    s3.put_bucket_policy(Bucket=target, Policy=json.dumps({"Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Principal": {"Service": "logging.s3.amazonaws.com"}, "Action": "s3:PutObject",
        "Resource": f"arn:aws:s3:::{target}/*", "Condition": {"ArnLike": {"aws:SourceArn": f"arn:aws:s3:::{name}"}}}]}))
    assert root.raw_unsigned("GET", f"/{name}/secret")[0] == 403
    root.advance(180)
    [line] = [line for line in lines_in(s3, target) if line["key"] == "secret"]
    assert (line["status"], line["error"], line["requester"], line["signature"]) == ("403", "AccessDenied", "-", "-")

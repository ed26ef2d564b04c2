"""Browsers' forms that are posted to a bucket: POST Object, with the policies that boto3 makes for them."""
import base64
import hashlib
import json
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree

import pytest

from harness import Cloud, eventually

BOUNDARY = "----a-boundary"


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def form_of(fields, content=b"content", file_name="a file.txt", behind=()):
    """The body of a form: its fields, its file, and fields behind that."""
    lines = []

    def part(parameters, value):
        lines.append(f'--{BOUNDARY}\r\nContent-Disposition: form-data; {parameters}\r\n\r\n'.encode())
        lines.append((value if isinstance(value, bytes) else value.encode()) + b"\r\n")
    for name, value in fields.items():
        part(f'name="{name}"', value)
    if content is not None:
        part('name="file"' + (f'; filename="{file_name}"' if file_name is not None else ""), content)
    for name, value in behind:
        part(f'name="{name}"', value)
    return b"".join(lines) + f"--{BOUNDARY}--\r\n".encode()


def post(url, fields, content=b"content", headers=None, **more):
    """(status, headers, body) of what the server says to a form."""
    request = urllib.request.Request(url, form_of(fields, content, **more), method="POST", headers={
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}", **(headers or {})})
    try:
        with OPENER.open(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def said(answer):
    """(status, code, message) of a refusal."""
    error = ElementTree.fromstring(answer[2])
    return answer[0], error.findtext("Code"), error.findtext("Message")


def element(answer, name):
    return ElementTree.fromstring(answer[2]).findtext(name)


@pytest.fixture
def signing(cloud):
    """What signs forms with version 4, as all regions take it."""
    return cloud.client("s3", signature_version="s3v4", s3={"addressing_style": "path"})


@pytest.fixture
def presigned(signing, bucket):
    """presigned(key, ...) -> url, fields."""
    def make(key="key", fields=None, conditions=None, expires=600):
        made = signing.generate_presigned_post(bucket, key, Fields=fields, Conditions=conditions, ExpiresIn=expires)
        return made["url"], made["fields"]
    return make


def test_a_form_makes_an_object(presigned, s3, bucket):
    url, fields = presigned()
    status, headers, body = post(url, fields)
    assert (status, body) == (204, b"") and "Content-Type" not in headers
    assert headers["ETag"] == '"9a0364b9e99bb480dd25e1f0284c8555"' and headers["Location"].endswith("/key")
    assert headers["x-amz-checksum-type"] == "FULL_OBJECT"
    found = s3.get_object(Bucket=bucket, Key="key")
    assert found["Body"].read() == b"content" and found["ContentType"] == "binary/octet-stream"


def test_version_2_signs_forms_too(cloud, s3, bucket):
    made = cloud.client("s3", signature_version="s3").generate_presigned_post(bucket, "key")
    assert post(made["url"], made["fields"])[0] == 204
    assert s3.head_object(Bucket=bucket, Key="key")["ContentLength"] == 7


def test_large_files_come_whole(presigned, s3, bucket):
    url, fields = presigned()
    content = bytes(range(256)) * 40_000 + f"\r\n--{BOUNDARY[:-1]}".encode() + b"\r\n--\r\r\n"
    assert post(url, fields, content)[0] == 204
    assert s3.get_object(Bucket=bucket, Key="key")["Body"].read() == content


def test_the_name_of_the_file_goes_into_the_key(presigned, s3, bucket):
    url, fields = presigned("up/${filename}")
    assert post(url, fields, file_name="C:\\pictures\\a b.png")[0] == 204
    assert s3.head_object(Bucket=bucket, Key="up/a b.png")["ContentLength"] == 7
    assert post(url, fields, file_name=None)[0] == 204
    assert s3.head_object(Bucket=bucket, Key="up/${filename}")["ContentLength"] == 7


def test_fields_say_what_headers_say_elsewhere(presigned, s3, bucket):
    fields = {"Content-Type": "text/plain", "Cache-Control": "no-cache", "x-amz-meta-Colour": "green",
              "tagging": "<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>"}
    url, fields = presigned(fields=fields, conditions=[{name: value} for name, value in fields.items()])
    assert post(url, fields)[0] == 204
    found = s3.head_object(Bucket=bucket, Key="key")
    assert (found["ContentType"], found["CacheControl"], found["Metadata"]) == ("text/plain", "no-cache", {"colour": "green"})
    assert s3.get_object_tagging(Bucket=bucket, Key="key")["TagSet"] == [{"Key": "k", "Value": "v"}]


def test_what_follows_is_as_the_form_says(presigned, bucket):
    def answered(field, value, key="key"):
        url, fields = presigned(key, {field: value}, [{field: value}])
        return post(url, fields)
    assert answered("success_action_status", "200")[0::2] == (200, b"")
    assert answered("success_action_status", "404")[0] == 204
    created = answered("success_action_status", "201", "a/b c")
    assert created[0] == 201 and [element(created, name) for name in ("Bucket", "Key", "ETag")] == [
        bucket, "a/b c", created[1]["ETag"]]
    assert element(created, "Location") == created[1]["Location"] and created[1]["Location"].endswith("/a%2Fb%20c")
    status, headers, body = answered("success_action_redirect", "https://page.example/done?x=1", "a/b c")
    assert (status, body) == (303, b"")
    assert headers["Location"] == ("https://page.example/done?x=1&bucket=" + bucket + "&key=a%2Fb+c&etag="
                                   + urllib.parse.quote(headers["ETag"]))
    assert answered("success_action_redirect", "/not/a/page")[0] == 204


def test_checksums_of_forms_are_checked(presigned):
    right = {"x-amz-checksum-sha256": base64.b64encode(hashlib.sha256(b"content").digest()).decode()}
    for fields, content, expected in [(right, b"content", 204), (right, b"other", 400)]:
        url, all_fields = presigned(fields=fields, conditions=[right])
        answer = post(url, all_fields, content)
        assert answer[0] == expected
    assert said(answer)[1] == "BadDigest"


def test_conditions_must_hold(presigned, bucket):
    url, fields = presigned("key", conditions=[["starts-with", "$x-amz-meta-a", "b"]])
    assert said(post(url, fields)) == (
        403, "AccessDenied",
        'Invalid according to Policy: Policy Condition failed: ["starts-with", "$x-amz-meta-a", "b"]')
    assert said(post(url, {**fields, "x-amz-meta-a": "c"}))[0] == 403
    assert post(url, {**fields, "x-amz-meta-a": "bc"})[0] == 204
    assert said(post(url, {**fields, "x-amz-meta-a": "bc", "acl": "private"})) == (
        403, "AccessDenied", "Invalid according to Policy: Extra input fields: acl")
    assert said(post(url, {**fields, "x-amz-meta-a": "bc", "key": "other"}))[2] == (
        'Invalid according to Policy: Policy Condition failed: ["eq", "$key", "key"]')
    assert post(url, {**fields, "x-amz-meta-a": "bc", "x-ignore-this": "y"})[0] == 204


def test_a_policy_is_for_its_bucket(presigned, cloud, s3, bucket):
    other = cloud.create_bucket()
    url, fields = presigned()
    assert said(post(url.replace(bucket, other), fields)) == (
        403, "AccessDenied", f'Invalid according to Policy: Policy Condition failed: ["eq", "$bucket", "{bucket}"]')
    assert "Contents" not in s3.list_objects_v2(Bucket=other)


def test_sizes_are_bounded(presigned, s3, bucket):
    url, fields = presigned(conditions=[["content-length-range", 5, 10]])
    large = post(url, fields, b"x" * 12)
    assert said(large) == (400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
    assert (element(large, "ProposedSize"), element(large, "MaxSizeAllowed")) == ("12", "10")
    small = post(url, fields, b"x")
    assert said(small) == (400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
    assert (element(small, "ProposedSize"), element(small, "MinSizeAllowed")) == ("1", "5")
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)
    assert [post(url, fields, b"x" * size)[0] for size in (5, 10)] == [204, 204]


def test_policies_expire(signing, bucket):
    made = signing.generate_presigned_post(bucket, "key", ExpiresIn=-1)
    assert said(post(made["url"], made["fields"])) == (403, "AccessDenied", "Invalid according to Policy: Policy expired.")


def test_what_is_wrong_with_a_form(presigned, cloud, bucket):
    url, fields = presigned()
    without_key = {name: value for name, value in fields.items() if name != "key"}
    late = post(url, without_key, behind=[("key", "key")])
    assert said(late) == (400, "InvalidArgument", "Bucket POST must contain a field named 'key'.  If it is specified, please "
                                                  "check the order of the fields.")
    assert (element(late, "ArgumentName"), element(late, "ArgumentValue")) == ("key", "")
    assert said(post(url, fields, None)) == (400, "InvalidArgument", "POST requires exactly one file upload per request.")
    assert said(post(url, {**fields, "x": "y" * 20_480}))[1] == "MaxPostPreDataLengthExceeded"
    assert said(post(url, fields, headers={"Content-Type": "multipart/form-data"}))[1] == "MalformedPOSTRequest"
    other = post(url, fields, headers={"Content-Type": "text/html"})
    assert said(other)[:2] == (412, "PreconditionFailed")
    assert element(other, "Condition") == "Bucket POST must be of the enclosure-type multipart/form-data"
    for gone, named in [("x-amz-signature", "X-Amz-Signature"), ("x-amz-algorithm", "X-Amz-Algorithm")]:
        answer = post(url, {name: value for name, value in fields.items() if name != gone})
        assert said(answer)[:2] == (400, "InvalidArgument") and element(answer, "ArgumentName") == named
    assert said(post(url, {**fields, "tagging": "not-xml"}))[2] == "Invalid according to Policy: Extra input fields: tagging"
    assert said(post(url.replace(bucket, "no-such-bucket-at-all"), {"key": "key"}))[1] == "NoSuchBucket"


def test_a_document_that_is_no_policy_is_refused(presigned):
    url, fields = presigned()
    for document, message in [({"conditions": []}, "Invalid Policy: Policy missing expiration."),
                              ({"expiration": "2099-01-01T00:00:00Z", "conditions": [{"a": "b", "c": "d"}]},
                               "Invalid Policy: Invalid Simple-Condition: Simple-Conditions must have exactly one property "
                               "specified.")]:
        policy = base64.b64encode(json.dumps(document).encode()).decode()
        assert said(post(url, {"key": "key", "policy": policy})) == (400, "InvalidPolicyDocument", message)


def test_lines_in_fields_do_not_become_headers(presigned):
    url, fields = presigned(conditions=[["starts-with", "$x-amz-meta-a", ""]])
    answer = post(url, {**fields, "x-amz-meta-a": "b\r\nSet-Cookie: c=d"})
    assert said(answer)[:2] == (400, "InvalidArgument")


def test_a_queue_is_told_of_a_posted_object(presigned, cloud, s3, bucket, create_queue):
    queue = create_queue()
    arn = cloud.sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={
        "QueueConfigurations": [{"QueueArn": arn, "Events": ["s3:ObjectCreated:Post"]}]})
    url, fields = presigned()
    post(url, fields)

    def told():
        messages = cloud.sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=1, MaxNumberOfMessages=10).get("Messages", [])
        return [record["eventName"] for message in messages for record in json.loads(message["Body"]).get("Records", [])]
    assert eventually(told) == ["ObjectCreated:Post"]


def test_a_page_of_another_site_needs_the_buckets_rules(presigned, s3, bucket):
    url, fields = presigned()
    page = {"Origin": "https://page.example"}
    assert post(url, fields, headers=page)[0] == 403
    s3.put_bucket_cors(Bucket=bucket, CORSConfiguration={"CORSRules": [
        {"AllowedMethods": ["POST"], "AllowedOrigins": ["https://page.example"]}]})
    status, headers, _ = post(url, fields, headers=page)
    assert status == 204 and headers["Access-Control-Allow-Origin"] == "https://page.example"
    assert post(url, fields, headers={"Origin": "https://another.example"})[0] == 403


@pytest.mark.local
def test_where_signatures_are_checked_a_forms_is_the_policys(start_server):
    server = start_server("--auth", "signed")
    key = server.root_key

    def client(version="s3v4", access_key=key["AWS_ACCESS_KEY_ID"]):
        return Cloud(server.endpoint, access_key=access_key, secret_key=key["AWS_SECRET_ACCESS_KEY"]).client(
            "s3", signature_version=version, s3={"addressing_style": "path"})
    client().create_bucket(Bucket="guarded")
    made = client().generate_presigned_post("guarded", "key")
    url, fields = made["url"], made["fields"]
    assert post(url, fields)[0] == 204
    cut = post(url, {**fields, "policy": fields["policy"][:-2]})
    assert said(cut)[:2] == (403, "SignatureDoesNotMatch")
    assert element(cut, "StringToSign") == fields["policy"][:-2]
    assert element(cut, "SignatureProvided") == fields["x-amz-signature"]
    assert said(post(url, {"key": "key"})) == (403, "AccessDenied", "Access Denied")
    assert said(post(url, {"key": "key", "policy": fields["policy"]})) == (403, "AccessDenied", "Access Denied")
    stranger = client(access_key="AKIAIOSFODNN7EXAMPLE").generate_presigned_post("guarded", "key")
    assert said(post(url, stranger["fields"]))[1] == "InvalidAccessKeyId"
    assert said(post(url, client("s3").generate_presigned_post("guarded", "key")["fields"]))[1] == "InvalidRequest"

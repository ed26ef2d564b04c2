"""What happens in buckets reaches queues and functions, and rules expire what they mean."""
import datetime
import http.client
import json
import urllib.parse

import pytest
from botocore.exceptions import ClientError

from harness import eventually

DAY = 86400


def allow(cloud, queue):
    """On AWS the queue's policy must let S3 send."""
    arn = cloud.queue_arn(queue)
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"},
                                                      "Action": "sqs:SendMessage", "Resource": arn}]}
    cloud.sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": json.dumps(policy)})
    return arn


def receive(cloud, queue, count):
    """Bodies of so many messages, as documents."""
    bodies = []

    def more():
        answer = cloud.sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, WaitTimeSeconds=1)
        for message in answer.get("Messages", []):
            bodies.append(json.loads(message["Body"]))
            cloud.sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
        return len(bodies) >= count
    eventually(more, f"{count} messages")
    return bodies


def notify(cloud, bucket, queue_arn, events, **filters):
    configuration = {"QueueArn": queue_arn, "Events": events, "Id": "there"}
    if filters:
        configuration["Filter"] = {"Key": {"FilterRules": [{"Name": name, "Value": value}
                                                           for name, value in filters.items()]}}
    cloud.s3.put_bucket_notification_configuration(
        Bucket=bucket, NotificationConfiguration={"QueueConfigurations": [configuration]})


@pytest.mark.local
def test_an_event_tells_where_its_request_came_from(cloud, bucket):
    queue = cloud.create_queue()
    notify(cloud, bucket, cloud.queue_arn(queue), ["s3:ObjectCreated:*"])
    receive(cloud, queue, 1)
    where = urllib.parse.urlsplit(cloud.endpoint)
    connection = http.client.HTTPConnection(where.hostname, where.port, source_address=("127.0.0.2", 0))
    connection.request("PUT", f"/{bucket}/k", b"1", {"Host": f"s3.localhost:{where.port}"})
    assert connection.getresponse().status == 200
    record = receive(cloud, queue, 1)[0]["Records"][0]
    assert record["requestParameters"]["sourceIPAddress"] == "127.0.0.2"


def test_events_reach_a_queue(cloud, s3, bucket):
    queue = cloud.create_queue()
    arn = allow(cloud, queue)
    notify(cloud, bucket, arn, ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"], prefix="in/", suffix=".txt")
    test = receive(cloud, queue, 1)[0]
    assert (test["Service"], test["Event"], test["Bucket"]) == ("Amazon S3", "s3:TestEvent", bucket)
    s3.put_object(Bucket=bucket, Key="out/a.txt", Body=b"")
    s3.put_object(Bucket=bucket, Key="in/a.png", Body=b"")
    etag = s3.put_object(Bucket=bucket, Key="in/a b.txt", Body=b"123")["ETag"].strip('"')
    s3.copy_object(Bucket=bucket, Key="in/copy.txt", CopySource={"Bucket": bucket, "Key": "in/a b.txt"})
    s3.delete_object(Bucket=bucket, Key="in/a b.txt")
    records = [record for body in receive(cloud, queue, 3) for record in body["Records"]]
    records.sort(key=lambda record: record["s3"]["object"]["sequencer"])
    assert [record["eventName"] for record in records] == ["ObjectCreated:Put", "ObjectCreated:Copy",
                                                           "ObjectRemoved:Delete"]
    put = records[0]
    assert (put["eventSource"], put["awsRegion"]) == ("aws:s3", cloud.region)
    assert put["s3"]["bucket"]["name"] == bucket and put["s3"]["bucket"]["arn"] == f"arn:aws:s3:::{bucket}"
    assert put["s3"]["configurationId"] == "there"
    told = put["s3"]["object"]
    assert (told["key"], told["size"], told["eTag"]) == ("in/a+b.txt", 3, etag)
    assert "size" not in records[2]["s3"]["object"]
    configured = s3.get_bucket_notification_configuration(Bucket=bucket)["QueueConfigurations"][0]
    assert (configured["QueueArn"], configured["Events"]) == (arn, ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"])
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={})
    assert "QueueConfigurations" not in s3.get_bucket_notification_configuration(Bucket=bucket)


@pytest.mark.local
def test_events_reach_a_topic(cloud, s3, bucket):
    topics = cloud.client("sns")
    topic = topics.create_topic(Name=bucket)["TopicArn"]
    queue = cloud.create_queue()
    topics.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=cloud.queue_arn(queue))
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={
        "TopicConfigurations": [{"TopicArn": topic, "Events": ["s3:ObjectCreated:*"]}]})
    s3.put_object(Bucket=bucket, Key="k", Body=b"1")
    messages = [json.loads(body["Message"]) for body in receive(cloud, queue, 2)]
    assert "s3:TestEvent" in [message.get("Event") for message in messages]
    assert [message["Records"][0]["s3"]["object"]["key"] for message in messages if "Records" in message] == ["k"]
    topics.delete_topic(TopicArn=topic)


def test_events_reach_a_function(cloud, s3, bucket):
    function = cloud.recorder()
    arn = cloud.functions.get_function_configuration(FunctionName=function)["FunctionArn"]
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={
        "LambdaFunctionConfigurations": [{"LambdaFunctionArn": arn, "Events": ["s3:ObjectCreated:Put"]}]})
    s3.put_object(Bucket=bucket, Key="k", Body=b"1")
    event = cloud.wait_for_events(function, 1)[0]
    assert event["Records"][0]["s3"]["object"]["key"] == "k"


# As LocalStack shows them, which has it from AWS.
def test_the_names_of_filters_are_read_in_any_case_and_shown_with_a_capital(cloud, s3, bucket):
    rules = [{"Name": "Prefix", "Value": "in/"}, {"Name": "suffix", "Value": ".txt"}]
    told = {"Id": "new", "QueueArn": allow(cloud, cloud.create_queue()), "Events": ["s3:ObjectCreated:*"],
            "Filter": {"Key": {"FilterRules": rules}}}
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={"QueueConfigurations": [told]})
    [shown] = s3.get_bucket_notification_configuration(Bucket=bucket)["QueueConfigurations"]
    assert [rule["Name"] for rule in shown["Filter"]["Key"]["FilterRules"]] == ["Prefix", "Suffix"]


def test_what_is_wrong_with_notifications(cloud, s3, bucket):
    def refused(**configuration):
        with pytest.raises(ClientError) as caught:
            s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration=configuration)
        return caught.value.response["Error"]["Code"]
    queue = allow(cloud, cloud.create_queue())
    created = {"QueueArn": queue, "Events": ["s3:ObjectCreated:*"]}
    assert refused(QueueConfigurations=[{**created, "QueueArn": queue + "-none"}]) == "InvalidArgument"
    assert refused(QueueConfigurations=[created, {**created, "Events": ["s3:ObjectCreated:Put"]}]) == "InvalidArgument"
    assert refused(QueueConfigurations=[{**created, "Events": ["s3:Nonsense"]}]) in ("InvalidArgument", "MalformedXML")


def test_targets_are_not_asked_where_that_is_not_wanted(cloud, s3, bucket):
    arn = cloud.queue_arn(cloud.create_queue()) + "-none"
    s3.put_bucket_notification_configuration(Bucket=bucket, SkipDestinationValidation=True, NotificationConfiguration={
        "QueueConfigurations": [{"QueueArn": arn, "Events": ["s3:ObjectCreated:*"]}]})
    shown = s3.get_bucket_notification_configuration(Bucket=bucket)
    assert shown["QueueConfigurations"][0]["QueueArn"] == arn
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={})


def keys_of(cloud, bucket):
    return [each["Key"] for each in cloud.s3.list_objects_v2(Bucket=bucket).get("Contents", [])]


def put_rule(cloud, bucket, **rule):
    rule = {"ID": "rule", "Status": "Enabled", "Filter": {"Prefix": ""}, **rule}
    cloud.s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": [rule]})


def to_midnight(cloud):
    """Turns the clock to the beginning of the next day."""
    cloud.advance(DAY - cloud.now() % DAY)


@pytest.mark.local
def test_objects_expire_at_midnight(virtual):
    bucket = virtual.create_bucket()
    to_midnight(virtual)
    virtual.advance(3600)
    for key in ("logs/1", "kept"):
        virtual.s3.put_object(Bucket=bucket, Key=key, Body=b"x" * 100_000)
    virtual.s3.put_object(Bucket=bucket, Key="logs/tagged", Body=b"", Tagging="keep=1")
    put_rule(virtual, bucket, Expiration={"Days": 2}, Filter={"And": {"Prefix": "logs/", "ObjectSizeGreaterThan": 10}})
    header = virtual.s3.head_object(Bucket=bucket, Key="logs/1")["Expiration"]
    assert 'rule-id="rule"' in header and "00:00:00 GMT" in header
    assert "Expiration" not in virtual.s3.head_object(Bucket=bucket, Key="kept")
    # One hour into the first day and two days: the third midnight from its beginning.
    virtual.advance(3 * DAY - 3600 - 1)
    assert keys_of(virtual, bucket) == ["kept", "logs/1", "logs/tagged"]
    virtual.advance(2)
    assert keys_of(virtual, bucket) == ["kept", "logs/tagged"]


@pytest.mark.local
def test_objects_expire_on_a_date(virtual):
    bucket = virtual.create_bucket()
    virtual.s3.put_object(Bucket=bucket, Key="k", Body=b"")
    to_midnight(virtual)
    date = datetime.datetime.fromtimestamp(virtual.now() + 3 * DAY, datetime.timezone.utc)
    put_rule(virtual, bucket, Expiration={"Date": date})
    virtual.advance(3 * DAY - 1)
    assert keys_of(virtual, bucket) == ["k"]
    virtual.advance(2)
    assert keys_of(virtual, bucket) == []


@pytest.mark.local
def test_old_versions_and_lone_markers_expire(virtual):
    bucket = virtual.create_bucket(versioned=True)
    for body in (b"1", b"2", b"3", b"4"):
        virtual.s3.put_object(Bucket=bucket, Key="k", Body=body)
    virtual.s3.put_object(Bucket=bucket, Key="gone", Body=b"")
    virtual.s3.delete_object(Bucket=bucket, Key="gone")
    put_rule(virtual, bucket, NoncurrentVersionExpiration={"NoncurrentDays": 1, "NewerNoncurrentVersions": 1},
             Expiration={"ExpiredObjectDeleteMarker": True})
    to_midnight(virtual)
    virtual.advance(2 * DAY)
    listed = virtual.s3.list_object_versions(Bucket=bucket)
    bodies = [virtual.s3.get_object(Bucket=bucket, Key=each["Key"], VersionId=each["VersionId"])["Body"].read()
              for each in listed["Versions"] if each["Key"] == "k"]
    assert bodies == [b"4", b"3"]
    # The newest noncurrent version of the other key is kept as well, and so its marker is not alone.
    assert [each["Key"] for each in listed["DeleteMarkers"]] == ["gone"]
    for each in listed["Versions"]:
        if each["Key"] == "gone":
            virtual.s3.delete_object(Bucket=bucket, Key="gone", VersionId=each["VersionId"])
    virtual.advance(DAY)
    assert "DeleteMarkers" not in virtual.s3.list_object_versions(Bucket=bucket)


@pytest.mark.local
def test_markers_that_something_replaced_expire_as_versions_do(virtual):
    bucket = virtual.create_bucket(versioned=True)
    to_midnight(virtual)
    for key in ("twice", "twice", "back"):
        virtual.s3.delete_object(Bucket=bucket, Key=key)
    virtual.advance(10 * DAY)
    virtual.s3.put_object(Bucket=bucket, Key="back", Body=b"1")
    put_rule(virtual, bucket, NoncurrentVersionExpiration={"NoncurrentDays": 2})
    virtual.advance(2 * DAY)

    def markers():
        found = virtual.s3.list_object_versions(Bucket=bucket).get("DeleteMarkers", [])
        return [(each["Key"], each["IsLatest"]) for each in found]
    assert markers() == [("back", False), ("twice", True)]  # that of "back" was replaced ten days after it was made
    virtual.advance(DAY)
    assert markers() == [("twice", True)]
    put_rule(virtual, bucket, Expiration={"ExpiredObjectDeleteMarker": True})
    virtual.advance(DAY)
    assert markers() == []


@pytest.mark.local
def test_uploads_that_nobody_finishes_end(virtual):
    bucket = virtual.create_bucket()
    put_rule(virtual, bucket, AbortIncompleteMultipartUpload={"DaysAfterInitiation": 1})
    to_midnight(virtual)
    upload = virtual.s3.create_multipart_upload(Bucket=bucket, Key="k")
    assert upload["AbortRuleId"] == "rule"
    virtual.s3.upload_part(Bucket=bucket, Key="k", UploadId=upload["UploadId"], PartNumber=1, Body=b"x" * 100_000)
    virtual.advance(2 * DAY - 1)
    assert len(virtual.s3.list_multipart_uploads(Bucket=bucket)["Uploads"]) == 1
    virtual.advance(2)
    assert "Uploads" not in virtual.s3.list_multipart_uploads(Bucket=bucket)


@pytest.mark.local
def test_expiry_is_told(virtual):
    bucket = virtual.create_bucket()
    queue = virtual.create_queue()
    notify(virtual, bucket, virtual.queue_arn(queue), ["s3:LifecycleExpiration:*"])
    virtual.s3.put_object(Bucket=bucket, Key="k", Body=b"")
    put_rule(virtual, bucket, Expiration={"Days": 1})
    to_midnight(virtual)
    virtual.advance(2 * DAY)
    names = [record["eventName"] for body in receive(virtual, queue, 2) for record in body.get("Records", [])]
    assert names == ["LifecycleExpiration:Delete"]


def test_rules_are_kept_and_checked(s3, bucket):
    def refused(**rule):
        with pytest.raises(ClientError) as caught:
            s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={
                "Rules": [{"Status": "Enabled", "Filter": {"Prefix": ""}, **rule}]})
        return caught.value.response["Error"]["Code"]
    with pytest.raises(ClientError) as caught:
        s3.get_bucket_lifecycle_configuration(Bucket=bucket)
    assert caught.value.response["Error"]["Code"] == "NoSuchLifecycleConfiguration"
    rule = {"ID": "r", "Status": "Enabled", "Expiration": {"Days": 3},
            "Filter": {"And": {"Prefix": "p", "Tags": [{"Key": "a", "Value": "1"}]}}}
    s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": [rule]})
    assert s3.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"] == [rule]
    assert refused() == "InvalidRequest"
    assert refused(Expiration={"Days": 0}) == "InvalidArgument"
    midday = datetime.datetime(2030, 1, 1, 12, tzinfo=datetime.timezone.utc)
    assert refused(Expiration={"Date": midday}) == "InvalidArgument"
    s3.delete_bucket_lifecycle(Bucket=bucket)
    assert "Rules" not in (s3.list_objects_v2(Bucket=bucket))

"""Tables that stream the changes of their items to a data stream."""
import json
import uuid

import pytest
from botocore.exceptions import ClientError

from harness import Cloud, eventually

SHARD = "shardId-000000000000"


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]


def status(cloud, table):
    found = cloud.dynamodb.describe_kinesis_streaming_destination(TableName=table)["KinesisDataStreamDestinations"]
    return {destination["StreamArn"]: destination["DestinationStatus"] for destination in found}


def stream_changes_of(cloud, table):
    """A data stream that takes the table's changes: (name, ARN)."""
    stream = cloud.create_data_stream()
    arn = cloud.data_stream_active(stream)["StreamARN"]
    answer = cloud.dynamodb.enable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    assert (answer["TableName"], answer["DestinationStatus"]) == (table, "ENABLING")
    eventually(lambda: status(cloud, table).get(arn) == "ACTIVE", deadline_seconds=120)
    return stream, arn


def test_changes_of_items_become_records(cloud, dynamodb):
    table = cloud.create_table()
    stream, _ = stream_changes_of(cloud, table)
    dynamodb.put_item(TableName=table, Item={"id": {"S": "a"}, "n": {"N": "1"}})
    dynamodb.put_item(TableName=table, Item={"id": {"S": "a"}, "n": {"N": "2"}})
    dynamodb.delete_item(TableName=table, Key={"id": {"S": "a"}})
    changes = [json.loads(record["Data"]) for record in cloud.data_records(stream, SHARD, 3)]
    changes.sort(key=lambda change: change["dynamodb"]["ApproximateCreationDateTime"])
    assert [change["eventName"] for change in changes] == ["INSERT", "MODIFY", "REMOVE"]
    change = changes[1]
    assert (change["tableName"], change["eventSource"], change["recordFormat"], change["userIdentity"]) == \
        (table, "aws:dynamodb", "application/json", None)
    uuid.UUID(change["eventID"])
    content = change["dynamodb"]
    assert content["Keys"] == {"id": {"S": "a"}}
    assert content["OldImage"] == {"id": {"S": "a"}, "n": {"N": "1"}}
    assert content["NewImage"] == {"id": {"S": "a"}, "n": {"N": "2"}}
    assert "SequenceNumber" not in content and "StreamViewType" not in content


def test_a_table_has_one_destination_at_a_time(cloud, dynamodb):
    table = cloud.create_table()
    assert status(cloud, table) == {}
    _, arn = stream_changes_of(cloud, table)
    error = refusal(dynamodb.enable_kinesis_streaming_destination, TableName=table, StreamArn=arn)
    assert error["Code"] == "ValidationException"
    assert "must be DISABLED or ENABLE_FAILED to perform ENABLE operation." in error["Message"]
    answer = dynamodb.disable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    assert answer["DestinationStatus"] == "DISABLING"
    eventually(lambda: status(cloud, table) == {arn: "DISABLED"}, deadline_seconds=120)
    error = refusal(dynamodb.disable_kinesis_streaming_destination, TableName=table, StreamArn=arn)
    assert "must be ACTIVE to perform DISABLE operation." in error["Message"]


def test_a_destination_must_be_there(cloud, dynamodb):
    table = cloud.create_table()
    arn = f"arn:aws:kinesis:{cloud.region}:000000000000:stream/there-is-none"
    assert refusal(dynamodb.enable_kinesis_streaming_destination, TableName=table, StreamArn=arn)["Code"] in (
        "ValidationException", "ResourceNotFoundException")


@pytest.mark.local
def test_changes_arrive_after_a_kill(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    table = cloud.create_table(name="kept")
    stream, _ = stream_changes_of(cloud, table)
    for number in range(50):
        cloud.dynamodb.put_item(TableName=table, Item={"id": {"S": str(number)}})
    server.kill()
    again = Cloud(start_server().endpoint)
    found = {json.loads(record["Data"])["dynamodb"]["Keys"]["id"]["S"] for record in again.data_records(stream, SHARD, 50)}
    eventually(lambda: found.update(json.loads(record["Data"])["dynamodb"]["Keys"]["id"]["S"]
                                    for record in again.data_records(stream, SHARD, 50)) or len(found) == 50)

"""The AWS CLI as Debian ships it, unmodified but for --endpoint-url. What goes through a queue goes by the program that is
installed, the rest by forks of it."""
import json
import time

import pytest

from awscli_support import INSTALLED, run_in
from harness import ROLE, eventually, quietly, unique, zip_of

pytestmark = pytest.mark.local


@pytest.fixture
def program(aws_program):
    return aws_program


@pytest.fixture
def aws(program, server, tmp_path):
    def aws(*arguments, fails=False):
        result = run_in(tmp_path, program, "--endpoint-url", server.endpoint, "--output", "json", *arguments)
        if fails:
            assert result.returncode != 0
            return result.stderr
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout) if result.stdout.strip() else None
    return aws


def test_a_table_lives_from_creation_to_deletion(aws):
    table = unique("cli")
    aws("dynamodb", "create-table", "--table-name", table, "--billing-mode", "PAY_PER_REQUEST",
        "--attribute-definitions", "AttributeName=id,AttributeType=S", "AttributeName=at,AttributeType=N",
        "--key-schema", "AttributeName=id,KeyType=HASH", "AttributeName=at,KeyType=RANGE")
    aws("dynamodb", "wait", "table-exists", "--table-name", table)
    assert table in aws("dynamodb", "list-tables")["TableNames"]
    aws("dynamodb", "put-item", "--table-name", table, "--item", '{"id":{"S":"a"},"at":{"N":"1"},"text":{"S":"x"}}')
    aws("dynamodb", "update-item", "--table-name", table, "--key", '{"id":{"S":"a"},"at":{"N":"1"}}',
        "--update-expression", "SET #t = :t", "--expression-attribute-names", '{"#t":"text"}',
        "--expression-attribute-values", '{":t":{"S":"y"}}')
    got = aws("dynamodb", "get-item", "--table-name", table, "--key", '{"id":{"S":"a"},"at":{"N":"1"}}')
    assert got["Item"]["text"] == {"S": "y"}
    found = aws("dynamodb", "query", "--table-name", table, "--key-condition-expression", "id = :id",
                "--expression-attribute-values", '{":id":{"S":"a"}}')
    assert found["Count"] == 1
    assert aws("dynamodb", "scan", "--table-name", table)["Count"] == 1
    message = aws("dynamodb", "put-item", "--table-name", table, "--item", '{"id":{"S":"a"},"at":{"N":"1"}}',
                  "--condition-expression", "attribute_not_exists(id)", fails=True)
    assert "(ConditionalCheckFailedException) when calling the PutItem operation: The conditional request failed" in message
    aws("dynamodb", "delete-table", "--table-name", table)
    aws("dynamodb", "wait", "table-not-exists", "--table-name", table)


def test_a_transaction_happens_or_says_why_not(aws, cloud):
    table = cloud.create_table()
    put = {"Put": {"TableName": table, "Item": {"id": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(id)"}}
    aws("dynamodb", "transact-write-items", "--transact-items", json.dumps([put]), "--client-request-token", "one")
    aws("dynamodb", "transact-write-items", "--transact-items", json.dumps([put]), "--client-request-token", "one")
    message = aws("dynamodb", "transact-write-items", "--transact-items", json.dumps([put]), fails=True)
    assert ("(TransactionCanceledException) when calling the TransactWriteItems operation: Transaction cancelled, please "
            "refer cancellation reasons for specific reasons [ConditionalCheckFailed]") in message
    got = aws("dynamodb", "transact-get-items", "--transact-items",
              json.dumps([{"Get": {"TableName": table, "Key": {"id": {"S": key}}}} for key in ("a", "b")]))
    assert got["Responses"] == [{"Item": {"id": {"S": "a"}}}, {}]
    aws("dynamodb", "execute-transaction", "--transact-statements",
        json.dumps([{"Statement": f"DELETE FROM \"{table}\" WHERE id = 'a'"}]))
    assert aws("dynamodb", "scan", "--table-name", table)["Count"] == 0


def test_an_index_lives_from_creation_to_deletion(aws):
    table = unique("cli")
    aws("dynamodb", "create-table", "--table-name", table, "--billing-mode", "PAY_PER_REQUEST",
        "--attribute-definitions", "AttributeName=id,AttributeType=S", "AttributeName=at,AttributeType=N",
        "--key-schema", "AttributeName=id,KeyType=HASH", "AttributeName=at,KeyType=RANGE",
        "--local-secondary-indexes",
        "IndexName=back,KeySchema=[{AttributeName=id,KeyType=HASH},{AttributeName=at,KeyType=RANGE}],"
        "Projection={ProjectionType=KEYS_ONLY}")
    aws("dynamodb", "wait", "table-exists", "--table-name", table)
    for number in range(3):
        aws("dynamodb", "put-item", "--table-name", table, "--item",
            json.dumps({"id": {"S": "a"}, "at": {"N": str(number)}, "group": {"S": f"g{number % 2}"}}))
    aws("dynamodb", "update-table", "--table-name", table,
        "--attribute-definitions", "AttributeName=group,AttributeType=S",
        "--global-secondary-index-updates",
        "Create={IndexName=by-group,KeySchema=[{AttributeName=group,KeyType=HASH}],Projection={ProjectionType=ALL}}")

    def indexes():
        described = aws("dynamodb", "describe-table", "--table-name", table)["Table"]
        return [(index["IndexName"], index["IndexStatus"]) for index in described.get("GlobalSecondaryIndexes", [])]

    eventually(lambda: indexes() == [("by-group", "ACTIVE")], "the index is active", 60)
    found = aws("dynamodb", "query", "--table-name", table, "--index-name", "by-group",
                "--key-condition-expression", "#g = :g", "--expression-attribute-names", '{"#g":"group"}',
                "--expression-attribute-values", '{":g":{"S":"g0"}}', "--return-consumed-capacity", "INDEXES")
    assert found["Count"] == 2
    assert found["ConsumedCapacity"]["GlobalSecondaryIndexes"]["by-group"]["CapacityUnits"] == 0.5
    aws("dynamodb", "update-table", "--table-name", table,
        "--global-secondary-index-updates", "Delete={IndexName=by-group}")
    assert indexes() == []
    aws("dynamodb", "delete-table", "--table-name", table)


def test_the_cli_pages_by_itself(aws, cloud):
    table = cloud.create_table()
    for start in range(0, 50, 25):
        cloud.dynamodb.batch_write_item(RequestItems={table: [
            {"PutRequest": {"Item": {"id": {"S": str(number)}}}} for number in range(start, start + 25)]})
    assert len(aws("dynamodb", "scan", "--table-name", table, "--page-size", 7)["Items"]) == 50


def test_a_function_and_a_mapping_made_with_the_cli_deliver(aws, cloud, tmp_path):
    table = cloud.create_table(stream="NEW_IMAGE")
    function = unique("cli")
    package = tmp_path / "function.zip"
    package.write_bytes(zip_of({"app.py": (
        "import boto3, os\n"
        "def handler(event, context):\n"
        "    for record in event.get('Records', []):\n"
        "        boto3.client('dynamodb').put_item(TableName=os.environ['SEEN'],\n"
        "                                          Item={'id': record['dynamodb']['Keys']['id']})\n"
        "    return {'said': event.get('say')}\n")}))
    seen = cloud.create_table()
    created = aws("lambda", "create-function", "--function-name", function, "--runtime", "python3.12", "--handler",
                  "app.handler", "--role", ROLE, "--zip-file", f"fileb://{package}", "--timeout", 20,
                  "--environment", f"Variables={{SEEN={seen}}}")
    cloud.cleanup.callback(cloud.functions.delete_function, FunctionName=function)
    assert created["Handler"] == "app.handler"
    aws("lambda", "wait", "function-active-v2", "--function-name", function)

    answer = aws("lambda", "invoke", "--function-name", function, "--cli-binary-format", "raw-in-base64-out",
                 "--payload", '{"say":"hello"}', tmp_path / "out.json")
    assert answer["StatusCode"] == 200
    assert json.loads((tmp_path / "out.json").read_text()) == {"said": "hello"}

    mapping = aws("lambda", "create-event-source-mapping", "--function-name", function, "--event-source-arn",
                  cloud.stream_arn(table), "--starting-position", "TRIM_HORIZON")
    cloud.cleanup.callback(cloud.functions.delete_event_source_mapping, UUID=mapping["UUID"])
    aws("dynamodb", "put-item", "--table-name", table, "--item", '{"id":{"S":"changed"}}')
    eventually(lambda: cloud.dynamodb.scan(TableName=seen)["Count"] == 1, "the function saw the change")
    listed = aws("lambda", "list-event-source-mappings", "--function-name", function)["EventSourceMappings"]
    assert [found["UUID"] for found in listed] == [mapping["UUID"]]
    shown = aws("lambda", "get-event-source-mapping", "--uuid", mapping["UUID"])
    assert shown["EventSourceArn"] == cloud.stream_arn(table)


def test_a_function_is_published_and_sent_events_with_the_cli(aws, cloud, tmp_path):
    function = cloud.create_function("def handler(event, context):\n    return context.function_version\n")
    published = aws("lambda", "publish-version", "--function-name", function, "--description", "first")
    assert published["Version"] == "1"
    alias = aws("lambda", "create-alias", "--function-name", function, "--name", "live", "--function-version", "1")
    assert alias["FunctionVersion"] == "1"
    aws("lambda", "update-alias", "--function-name", function, "--name", "live", "--routing-config",
        '{"AdditionalVersionWeights": {}}')
    assert len(aws("lambda", "list-versions-by-function", "--function-name", function)["Versions"]) == 2
    assert aws("lambda", "put-function-concurrency", "--function-name", function,
               "--reserved-concurrent-executions", "2") == {"ReservedConcurrentExecutions": 2}
    queue = cloud.create_queue()
    config = aws("lambda", "put-function-event-invoke-config", "--function-name", f"{function}:live",
                 "--maximum-retry-attempts", "1", "--maximum-event-age-in-seconds", "3600", "--destination-config",
                 json.dumps({"OnSuccess": {"Destination": cloud.queue_arn(queue)}}))
    assert config["MaximumRetryAttempts"] == 1 and config["FunctionArn"].endswith(":live")
    answer = aws("lambda", "invoke", "--function-name", function, "--qualifier", "live", "--invocation-type", "Event",
                 "--payload", "{}", str(tmp_path / "out"))
    assert answer == {"StatusCode": 202}
    [message] = eventually(lambda: cloud.sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=1).get("Messages"), "a record")
    assert json.loads(message["Body"])["responsePayload"] == "1"
    message = aws("lambda", "get-alias", "--function-name", function, "--name", "none", fails=True)
    assert "(ResourceNotFoundException) when calling the GetAlias operation: Cannot find alias arn" in message
    aws("lambda", "delete-function", "--function-name", function)


def test_streams_are_read_with_the_cli(aws, cloud):
    table = cloud.create_table(stream="KEYS_ONLY")
    cloud.put_item(table, id="1")
    arn = aws("dynamodbstreams", "list-streams", "--table-name", table)["Streams"][0]["StreamArn"]
    shards = aws("dynamodbstreams", "describe-stream", "--stream-arn", arn)["StreamDescription"]["Shards"]
    deadline, found = time.monotonic() + 60, []
    while not found and time.monotonic() < deadline:
        for shard in shards:
            iterator = aws("dynamodbstreams", "get-shard-iterator", "--stream-arn", arn, "--shard-id", shard["ShardId"],
                           "--shard-iterator-type", "TRIM_HORIZON")["ShardIterator"]
            found += aws("dynamodbstreams", "get-records", "--shard-iterator", iterator)["Records"]
    assert [record["eventName"] for record in found] == ["INSERT"]


@pytest.mark.parametrize("program", [INSTALLED])
def test_a_message_goes_through_a_queue(aws):
    name = unique("cli")
    url = aws("sqs", "create-queue", "--queue-name", name, "--attributes", "VisibilityTimeout=60")["QueueUrl"]
    sent = aws("sqs", "send-message", "--queue-url", url, "--message-body", "a <body> & more", "--message-attributes",
               '{"kind":{"DataType":"String","StringValue":"x"}}')
    got = aws("sqs", "receive-message", "--queue-url", url, "--wait-time-seconds", "5", "--attribute-names", "All",
              "--message-attribute-names", "All")["Messages"][0]
    assert got["MessageId"] == sent["MessageId"]
    assert got["Body"] == "a <body> & more"
    assert got["MessageAttributes"]["kind"]["StringValue"] == "x"
    attributes = aws("sqs", "get-queue-attributes", "--queue-url", url, "--attribute-names", "All")["Attributes"]
    assert attributes["ApproximateNumberOfMessagesNotVisible"] == "1"
    aws("sqs", "delete-message", "--queue-url", url, "--receipt-handle", got["ReceiptHandle"])
    aws("sqs", "delete-queue", "--queue-url", url)
    assert "AWS.SimpleQueueService.NonExistentQueue" in aws("sqs", "get-queue-url", "--queue-name", name, fails=True)


def test_a_data_stream_lives_from_creation_to_deletion(aws):
    name = unique("cli")
    aws("kinesis", "create-stream", "--stream-name", name, "--shard-count", "2")
    aws("kinesis", "wait", "stream-exists", "--stream-name", name)
    put = aws("kinesis", "put-record", "--stream-name", name, "--partition-key", "a", "--data", "aGVsbG8=")
    aws("kinesis", "put-records", "--stream-name", name, "--records", "Data=Mg==,PartitionKey=a",
        "Data=Mw==,PartitionKey=b")
    iterator = aws("kinesis", "get-shard-iterator", "--stream-name", name, "--shard-id", put["ShardId"],
                   "--shard-iterator-type", "AT_SEQUENCE_NUMBER", "--starting-sequence-number",
                   put["SequenceNumber"])["ShardIterator"]
    got = aws("kinesis", "get-records", "--shard-iterator", iterator)
    assert [record["Data"] for record in got["Records"]] == ["aGVsbG8=", "Mg=="]
    assert len(aws("kinesis", "list-shards", "--stream-name", name)["Shards"]) == 2
    aws("kinesis", "delete-stream", "--stream-name", name)
    aws("kinesis", "wait", "stream-not-exists", "--stream-name", name)
    assert "ResourceNotFoundException" in aws("kinesis", "describe-stream-summary", "--stream-name", name, fails=True)


def test_a_queue_is_mapped_with_the_cli(aws, cloud):
    queue = cloud.create_queue()
    function = cloud.recorder()
    shown = aws("lambda", "create-event-source-mapping", "--function-name", function, "--event-source-arn",
                cloud.queue_arn(queue), "--batch-size", 50, "--maximum-batching-window-in-seconds", 1,
                "--scaling-config", "MaximumConcurrency=3", "--function-response-types", "ReportBatchItemFailures")
    cloud.cleanup.callback(quietly, cloud.functions.delete_event_source_mapping, UUID=shown["UUID"])
    assert shown["BatchSize"] == 50
    assert shown["ScalingConfig"] == {"MaximumConcurrency": 3}
    assert shown["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert "LastProcessingResult" not in shown and "StartingPosition" not in shown
    aws("sqs", "send-message", "--queue-url", queue, "--message-body", "hello")
    record, = cloud.wait_for_records(function, 1)
    assert record["body"] == "hello"
    updated = aws("lambda", "update-event-source-mapping", "--uuid", shown["UUID"], "--scaling-config",
                  "MaximumConcurrency=7")
    assert updated["ScalingConfig"] == {"MaximumConcurrency": 7}
    aws("lambda", "delete-event-source-mapping", "--uuid", shown["UUID"])

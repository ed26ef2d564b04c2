"""EventBridge Pipes through boto3: sources, filters, enrichments, targets, states, and pipes that survive kill -9."""
import json
import random
import threading
import time

import pytest

from awscli_support import aws  # noqa: F401  the fixture
from harness import Cloud, eventually, quietly, refused, unique
from sns_support import http_endpoint  # noqa: F401
from states_support import create_machine, sfn  # noqa: F401

ROLE = "arn:aws:iam::000000000000:role/pipes"


@pytest.fixture
def pipes(cloud):
    return cloud.client("pipes")


def create(cloud, source, target, wait=True, **more):
    """A pipe that is gone after the test, and runs; its name."""
    name, pipes = unique("pipe"), cloud.client("pipes")
    answer = pipes.create_pipe(Name=name, Source=source, Target=target, RoleArn=ROLE, **more)
    assert answer["CurrentState"] == "CREATING" and answer["Arn"].endswith(f":pipe/{name}")
    cloud.cleanup.callback(quietly, pipes.delete_pipe, Name=name)
    if wait:
        wait_for(cloud, name, more.get("DesiredState", "RUNNING"))
    return name


def wait_for(cloud, name, state):
    pipes = cloud.client("pipes")
    return eventually(lambda: pipes.describe_pipe(Name=name)["CurrentState"] == state, f"{name} is {state}")


def function_arn(cloud, name):
    return cloud.functions.get_function(FunctionName=name)["Configuration"]["FunctionArn"]


def bodies(cloud, url, count):
    """At least so many messages, which are deleted."""
    found = []

    def enough():
        for message in cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
            cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            found.append(message["Body"])
        return len(found) >= count
    eventually(enough, f"{count} messages")
    return found


def stream_arn(cloud, stream):
    return cloud.kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]


def test_a_pipe_lives_from_creation_to_deletion(cloud, pipes, create_queue):
    source, target = create_queue(), create_queue()
    name = create(cloud, cloud.queue_arn(source), cloud.queue_arn(target), Description="d", Tags={"k": "v"},
                  TargetParameters={"InputTemplate": "<$.body.n>"})
    described = pipes.describe_pipe(Name=name)
    assert described["DesiredState"] == described["CurrentState"] == "RUNNING"
    assert described["Source"] == cloud.queue_arn(source) and described["RoleArn"] == ROLE
    assert described["SourceParameters"]["SqsQueueParameters"]["BatchSize"] == 10
    assert described["TargetParameters"] == {"InputTemplate": "<$.body.n>"}
    cloud.sqs.send_message(QueueUrl=source, MessageBody='{"n": 7}')
    assert bodies(cloud, target, 1) == ["7"]

    assert pipes.stop_pipe(Name=name)["CurrentState"] == "STOPPING"
    wait_for(cloud, name, "STOPPED")
    with refused("ConflictException", f"Pipe {name} is in the state STOPPED"):
        pipes.stop_pipe(Name=name)
    cloud.sqs.send_message(QueueUrl=source, MessageBody='{"n": 8}')
    assert pipes.update_pipe(Name=name, RoleArn=ROLE, TargetParameters={"InputTemplate": "n is <$.body.n>"},
                             DesiredState="RUNNING")["CurrentState"] == "UPDATING"
    assert bodies(cloud, target, 1) == ["n is 8"]
    wait_for(cloud, name, "RUNNING")

    assert name in [each["Name"] for each in pipes.list_pipes(NamePrefix=name, CurrentState="RUNNING")["Pipes"]]
    pages = pipes.get_paginator("list_pipes").paginate(SourcePrefix=cloud.queue_arn(source))
    assert [each["Name"] for page in pages for each in page["Pipes"]] == [name]
    pipes.tag_resource(resourceArn=described["Arn"], tags={"l": "w"})
    pipes.untag_resource(resourceArn=described["Arn"], tagKeys=["k"])
    assert pipes.list_tags_for_resource(resourceArn=described["Arn"])["tags"] == {"l": "w"}

    assert pipes.delete_pipe(Name=name)["DesiredState"] == "DELETED"

    def gone():
        try:
            return pipes.describe_pipe(Name=name)["CurrentState"] != "DELETING" and None
        except pipes.exceptions.NotFoundException:
            return True
    eventually(gone, "the pipe is gone")


@pytest.mark.local
def test_lambda_does_not_know_the_mappings_of_pipes(cloud, create_queue):
    source = create_queue()
    create(cloud, cloud.queue_arn(source), cloud.queue_arn(create_queue()))
    assert cloud.functions.list_event_source_mappings(EventSourceArn=cloud.queue_arn(source))["EventSourceMappings"] == []


def test_a_table_flows_through_an_enrichment_to_a_function(cloud):
    table = cloud.create_table(stream="NEW_AND_OLD_IMAGES")
    enrichment = cloud.create_function("""
        def handler(records, context):
            return [{"id": each["dynamodb"]["Keys"]["id"]["S"], "eventID": each["eventID"], "seen": True}
                    for each in records if each["eventName"] == "INSERT"]
        """)
    recorder = cloud.recorder()
    create(cloud, cloud.stream_arn(table), function_arn(cloud, recorder), Enrichment=function_arn(cloud, enrichment),
           SourceParameters={"DynamoDBStreamParameters": {"StartingPosition": "TRIM_HORIZON", "BatchSize": 10}},
           TargetParameters={"InputTemplate": '{"item": <$.id>, "by": "<aws.pipes.pipe-name>"}'})
    for number in range(5):
        cloud.put_item(table, id=f"i{number}")

    def items():
        found = [each["item"] for event in cloud.events(recorder) for each in event]
        return found if len(found) >= 5 else None
    assert sorted(eventually(items, "five items at the target")) == [f"i{number}" for number in range(5)]


def test_data_is_filtered_read_and_grouped(cloud):
    stream = cloud.create_data_stream()
    target = cloud.create_queue(fifo=True)
    create(cloud, stream_arn(cloud, stream), cloud.queue_arn(target),
           SourceParameters={"FilterCriteria": {"Filters": [{"Pattern": json.dumps({"data": {"kind": ["tea"]}})}]},
                             "KinesisStreamParameters": {"StartingPosition": "TRIM_HORIZON", "BatchSize": 10}},
           TargetParameters={"InputTemplate": '{"n": <$.data.n>}',
                             "SqsQueueParameters": {"MessageGroupId": "$.partitionKey",
                                                    "MessageDeduplicationId": "$.sequenceNumber"}})
    for number in range(10):
        cloud.kinesis.put_record(StreamName=stream, PartitionKey="k",
                                 Data=json.dumps({"kind": "tea" if number % 2 else "coffee", "n": number}))
    assert [json.loads(body)["n"] for body in bodies(cloud, target, 5)] == [1, 3, 5, 7, 9]


def test_items_that_a_function_reports_come_again(cloud, create_queue):
    source = create_queue(VisibilityTimeout="4")
    recorder = cloud.recorder("""
        if count == 1:
            return {"batchItemFailures": [{"itemIdentifier": event[0]["messageId"]}]}
        """)
    create(cloud, cloud.queue_arn(source), function_arn(cloud, recorder))
    cloud.sqs.send_message(QueueUrl=source, MessageBody="again")
    events = cloud.wait_for_events(recorder, 2)
    assert [event[0]["body"] for event in events] == ["again", "again"]
    assert int(events[1][0]["attributes"]["ApproximateReceiveCount"]) >= 2


def test_what_is_given_up_goes_to_the_dead_letters(cloud, create_queue):
    stream, letters = cloud.create_data_stream(), create_queue()
    broken = cloud.create_function("def handler(records, context):\n    raise ValueError('broken')\n")
    name = create(cloud, stream_arn(cloud, stream), function_arn(cloud, broken), SourceParameters={
        "KinesisStreamParameters": {"StartingPosition": "TRIM_HORIZON", "MaximumRetryAttempts": 0,
                                    "DeadLetterConfig": {"Arn": cloud.queue_arn(letters)}}})
    cloud.kinesis.put_record(StreamName=stream, PartitionKey="k", Data=b"1")
    letter = json.loads(bodies(cloud, letters, 1)[0])
    assert letter["context"] == {"partnerResourceArn": cloud.client("pipes").describe_pipe(Name=name)["Arn"],
                                 "condition": "RetryAttemptsExhausted"}
    assert letter["KinesisBatchInfo"]["batchSize"] == 1 and "requestContext" not in letter


def test_topics_buses_streams_and_logs_are_targets(cloud, create_queue):
    events, sns, logs = cloud.client("events"), cloud.client("sns"), cloud.client("logs")
    source, heard, ruled = create_queue(), create_queue(), create_queue()
    source_arn = cloud.queue_arn(source)
    topic = sns.create_topic(Name=unique("topic"))["TopicArn"]
    cloud.cleanup.callback(quietly, sns.delete_topic, TopicArn=topic)
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=cloud.queue_arn(heard),
                  Attributes={"RawMessageDelivery": "true"})
    create(cloud, source_arn, topic, TargetParameters={"InputTemplate": "<$.body>"})
    cloud.sqs.send_message(QueueUrl=source, MessageBody="to the topic")
    assert bodies(cloud, heard, 1) == ["to the topic"]

    second = create_queue()
    rule = unique("rule")
    events.put_rule(Name=rule, EventPattern=json.dumps({"source": [f"shop.{rule}"]}))
    cloud.cleanup.callback(quietly, events.delete_rule, Name=rule)
    events.put_targets(Rule=rule, Targets=[{"Id": "q", "Arn": cloud.queue_arn(ruled), "InputPath": "$.detail"}])
    cloud.cleanup.callback(quietly, events.remove_targets, Rule=rule, Ids=["q"])
    bus = events.describe_event_bus()["Arn"]
    create(cloud, cloud.queue_arn(second), bus, TargetParameters={
        "InputTemplate": '{"n": <$.body.n>}',
        "EventBridgeEventBusParameters": {"Source": f"shop.{rule}", "DetailType": "order"}})
    cloud.sqs.send_message(QueueUrl=second, MessageBody='{"n": 1}')
    assert bodies(cloud, ruled, 1) == ['{"n":1}']

    third, stream = create_queue(), cloud.create_data_stream()
    create(cloud, cloud.queue_arn(third), stream_arn(cloud, stream), TargetParameters={
        "InputTemplate": "<$.body>", "KinesisStreamParameters": {"PartitionKey": "$.messageId"}})
    message = cloud.sqs.send_message(QueueUrl=third, MessageBody="to the stream")["MessageId"]
    record = cloud.data_records(stream, "shardId-000000000000", 1)[0]
    assert (record["Data"], record["PartitionKey"]) == (b"to the stream", message)

    fourth, group = create_queue(), unique("group")
    logs.create_log_group(logGroupName=group)
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=group)
    group_arn = logs.describe_log_groups(logGroupNamePrefix=group)["logGroups"][0]["arn"].removesuffix(":*")
    create(cloud, cloud.queue_arn(fourth), group_arn, TargetParameters={
        "InputTemplate": "<$.body>", "CloudWatchLogsParameters": {"LogStreamName": "$.attributes.SenderId"}})
    cloud.sqs.send_message(QueueUrl=fourth, MessageBody="to the log")
    found = eventually(lambda: logs.filter_log_events(logGroupName=group)["events"], "a log event")
    assert [each["message"] for each in found] == ["to the log"]


@pytest.mark.local
def test_urls_enrich_and_receive(cloud, create_queue, http_endpoint):
    events, source, target = cloud.client("events"), create_queue(), create_queue()
    connection, destination = unique("connection"), unique("destination")
    connection_arn = events.create_connection(Name=connection, AuthorizationType="API_KEY", AuthParameters={
        "ApiKeyAuthParameters": {"ApiKeyName": "X-Key", "ApiKeyValue": "secret"}})["ConnectionArn"]
    cloud.cleanup.callback(quietly, events.delete_connection, Name=connection)
    arn = events.create_api_destination(Name=destination, ConnectionArn=connection_arn, HttpMethod="POST",
                                        InvocationEndpoint=http_endpoint.url + "/*")["ApiDestinationArn"]
    cloud.cleanup.callback(quietly, events.delete_api_destination, Name=destination)
    http_endpoint.reply = b'{"price": 7}'
    first = create(cloud, cloud.queue_arn(source), cloud.queue_arn(target), Enrichment=arn, EnrichmentParameters={
        "InputTemplate": '{"id": <$.body.id>}', "HttpParameters": {"PathParameterValues": ["$.body.id"],
                                                                   "HeaderParameters": {"X-Kind": "$.body.kind"}}},
                   TargetParameters={"InputTemplate": "costs <$.price>"})
    cloud.sqs.send_message(QueueUrl=source, MessageBody='{"id": "a", "kind": "tea"}')
    assert bodies(cloud, target, 1) == ["costs 7"]
    [(headers, body)] = http_endpoint.wait(1)
    assert (headers["X-Key"], headers["X-Kind"], body) == ("secret", "tea", '{"id": "a"}')
    cloud.client("pipes").delete_pipe(Name=first)

    second = create_queue(VisibilityTimeout="1")
    create(cloud, cloud.queue_arn(second), arn, TargetParameters={"InputTemplate": "<$.body>"})
    http_endpoint.answers = [500]
    cloud.sqs.send_message(QueueUrl=second, MessageBody='{"n": 1}')
    assert [body for _, body in http_endpoint.wait(3)][1:3] == ['{"n":1}'] * 2


@pytest.mark.local
def test_a_pipe_writes_its_steps_to_a_log_group(cloud, create_queue):
    logs, group, source = cloud.client("logs"), unique("group"), create_queue()
    logs.create_log_group(logGroupName=group)
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=group)
    name = unique("pipe")  # boto3 of some age does not know LogConfiguration
    status, _, body = cloud.raw("pipes", "POST", f"/v1/pipes/{name}", json.dumps({
        "Source": cloud.queue_arn(source), "Target": cloud.queue_arn(create_queue()), "RoleArn": ROLE,
        "LogConfiguration": {"Level": "TRACE", "IncludeExecutionData": ["ALL"], "CloudwatchLogsLogDestination": {
            "LogGroupArn": f"arn:aws:logs:us-east-1:000000000000:log-group:{group}"}}}))
    assert status == 200, body
    cloud.cleanup.callback(quietly, cloud.client("pipes").delete_pipe, Name=name)
    cloud.sqs.send_message(QueueUrl=source, MessageBody="x")

    def steps():
        found = [json.loads(each["message"]) for each in logs.filter_log_events(logGroupName=group)["events"]]
        return found if found and found[-1]["messageType"] == "EXECUTION_SUCCEEDED" else None
    found = eventually(steps, "the steps of an execution")
    assert [each["messageType"] for each in found][:2] == ["EXECUTION_STARTED", "TARGET_STAGE_ENTERED"]
    assert len({each["executionId"] for each in found}) == 1 and '"body":"x"' in found[0]["payload"]


@pytest.mark.parametrize("source,more,says", [
    ("arn:aws:kafka:us-east-1:000000000000:cluster/c/x", {}, "sources of the service kafka"),
    ("arn:aws:mq:us-east-1:000000000000:broker:b:x", {}, "sources of the service mq"),
    (None, {"Target": "arn:aws:ecs:us-east-1:000000000000:cluster/c"}, "the target arn:aws:ecs"),
    (None, {"Enrichment": "arn:aws:execute-api:us-east-1:000000000000:a/b/GET/c"}, "the enrichment arn:aws:execute-api"),
    (None, {"TargetParameters": {"SageMakerPipelineParameters": {"PipelineParameterList": []}}},
     "SageMakerPipelineParameters"),
])
@pytest.mark.local
def test_what_is_not_there_is_refused_by_name(cloud, pipes, create_queue, source, more, says):
    queue = cloud.queue_arn(create_queue())
    with refused("ValidationException", says):
        pipes.create_pipe(**{"Name": unique("pipe"), "Source": source or queue, "Target": queue, "RoleArn": ROLE, **more})


def test_the_command_line_makes_and_shows_a_pipe(cloud, create_queue, aws):  # noqa: F811
    name = unique("pipe")
    source, target = cloud.queue_arn(create_queue()), cloud.queue_arn(create_queue())
    made = aws("pipes", "create-pipe", name=name, source=source, target=target, role_arn=ROLE, desired_state="STOPPED")
    cloud.cleanup.callback(quietly, cloud.client("pipes").delete_pipe, Name=name)
    assert made["DesiredState"] == "STOPPED"
    eventually(lambda: aws("pipes", "describe-pipe", name=name)["CurrentState"] == "STOPPED", "it is stopped")
    assert [each["Name"] for each in aws("pipes", "list-pipes", source_prefix=source)["Pipes"]] == [name]
    assert f"Pipe {name} already exists." in aws.error("pipes", "create-pipe", name=name, source=source, target=target,
                                                        role_arn=ROLE)


KILLS = 5


# Records of several keys, put while the server is killed again and again: all of them arrive, those of a key in order.
@pytest.mark.local
def test_pipes_go_on_after_kill_9(start_server, tmp_path):
    chance = random.Random(5)
    server = start_server(data=tmp_path / "data")
    cloud = Cloud(server.endpoint)
    stream, target = cloud.create_data_stream(shards=2), cloud.create_queue(fifo=True)
    queue = target.rsplit("/", 1)[-1]
    pipe = create(cloud, stream_arn(cloud, stream), cloud.queue_arn(target),
                  SourceParameters={"KinesisStreamParameters": {"StartingPosition": "TRIM_HORIZON", "BatchSize": 5,
                                                                "ParallelizationFactor": 2}},
                  TargetParameters={"InputTemplate": '{"k": <$.partitionKey>, "n": <$.data.n>}',
                                    "SqsQueueParameters": {"MessageGroupId": "$.partitionKey",
                                                           "MessageDeduplicationId": "$.eventID"}})
    counts, stopping = {}, threading.Event()

    def put():
        while not stopping.is_set():
            key = f"k{chance.randrange(6)}"
            number = counts.get(key, 0)
            try:
                cloud.kinesis.put_record(StreamName=stream, PartitionKey=key, Data=json.dumps({"n": number}))
                counts[key] = number + 1  # one that was not acknowledged may be put twice
            except Exception:  # noqa: BLE001  the server is down
                time.sleep(0.02)
    writer = threading.Thread(target=put)
    writer.start()
    for _ in range(KILLS):
        before = sum(counts.values())
        eventually(lambda: sum(counts.values()) > before + 10, "records are put")
        time.sleep(chance.uniform(0.3, 0.9))
        server.kill()
        server = start_server(data=tmp_path / "data")
        cloud = Cloud(server.endpoint)
    time.sleep(0.3)
    stopping.set()
    writer.join()
    assert cloud.client("pipes").describe_pipe(Name=pipe)["CurrentState"] == "RUNNING"
    url, seen = cloud.sqs.get_queue_url(QueueName=queue)["QueueUrl"], {}

    def all_arrived():
        for message in cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
            cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            body = json.loads(message["Body"])
            seen.setdefault(body["k"], []).append(body["n"])
        return all(max(seen.get(key, [-1])) >= count - 1 for key, count in counts.items())
    eventually(all_arrived, "all records at the target", deadline_seconds=180)
    assert sum(counts.values()) > 50
    for key, count in counts.items():
        first = list(dict.fromkeys(seen[key]))
        assert first[:count] == list(range(count)), key


def echo_machine(create_machine, **more):
    return create_machine({"Told": {"Type": "Pass", "End": True}}, **more)


def test_a_pipe_begins_an_execution_for_each_batch(cloud, sfn, create_queue, create_machine):
    source, machine = create_queue(), echo_machine(create_machine)
    create(cloud, cloud.queue_arn(source), machine,
           SourceParameters={"SqsQueueParameters": {"BatchSize": 1}},
           TargetParameters={"StepFunctionStateMachineParameters": {"InvocationType": "FIRE_AND_FORGET"},
                             "InputTemplate": '{"n": <$.body.n>}'})
    for n in range(2):
        cloud.sqs.send_message(QueueUrl=source, MessageBody=json.dumps({"n": n}))

    def ended():
        found = sfn.list_executions(stateMachineArn=machine, statusFilter="SUCCEEDED")["executions"]
        return found if len(found) >= 2 else None
    inputs = [json.loads(sfn.describe_execution(executionArn=one["executionArn"])["input"])
              for one in eventually(ended, "two executions")]
    assert sorted(each["n"] for [each] in inputs) == [0, 1]


def test_an_express_machine_enriches_and_is_a_target_that_is_waited_for(cloud, sfn, create_queue, create_machine):
    source, target = create_queue(), create_queue()
    doubles = create_machine({"Double": {"Type": "Pass", "QueryLanguage": "JSONata", "End": True,
                                         "Output": "{% [$states.input.{'n': n * 2}] %}"}}, type="EXPRESS")
    create(cloud, cloud.queue_arn(source), cloud.queue_arn(target), Enrichment=doubles,
           EnrichmentParameters={"InputTemplate": '{"n": <$.body.n>}'})
    cloud.sqs.send_message(QueueUrl=source, MessageBody='{"n": 21}')
    assert [json.loads(body) for body in bodies(cloud, target, 1)] == [{"n": 42}]

    refuses = create_machine({"No": {"Type": "Fail", "Error": "Refused", "Cause": "as it is"}}, type="EXPRESS")
    retried = create_queue(RedrivePolicy=json.dumps(
        {"deadLetterTargetArn": cloud.queue_arn(target), "maxReceiveCount": 1}), VisibilityTimeout="1")
    create(cloud, cloud.queue_arn(retried), refuses)
    cloud.sqs.send_message(QueueUrl=retried, MessageBody="letter")
    assert bodies(cloud, target, 1) == ["letter"]  # the execution failed, so the message was not removed

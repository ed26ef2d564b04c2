"""Asynchronous invocations: what is answered, what the function gets, and where the end of an event is told."""
import json
import re

import pytest

from harness import eventually, refused, unique

EVENT_BYTES_MAX = 1024 * 1024
FAIL = "raise ValueError('broken')\n"


@pytest.fixture
def queue(cloud):
    return cloud.create_queue()


def send(cloud, function, payload, **more):
    """Invokes without waiting; the request's id."""
    answer = cloud.functions.invoke(FunctionName=function, InvocationType="Event", Payload=json.dumps(payload).encode(),
                                    **more)
    assert answer["StatusCode"] == 202
    assert answer["Payload"].read() == b""
    assert "FunctionError" not in answer and "ExecutedVersion" not in answer
    return answer["ResponseMetadata"]["RequestId"]


def configure(cloud, function, on_success=None, on_failure=None, **more):
    destinations = {}
    if on_success:
        destinations["OnSuccess"] = {"Destination": on_success}
    if on_failure:
        destinations["OnFailure"] = {"Destination": on_failure}
    if destinations:
        more["DestinationConfig"] = destinations
    return cloud.functions.put_function_event_invoke_config(FunctionName=function, **more)


def receive(cloud, url, deadline_seconds=None):
    """The next message, which is deleted."""
    def next_message():
        answer = cloud.sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1, MessageAttributeNames=["All"])
        return answer.get("Messages")
    [message] = eventually(next_message, "a message", deadline_seconds)
    cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return message


# --- the event ---

def test_an_event_reaches_its_function(cloud):
    function = cloud.recorder()
    send(cloud, function, {"a": [1, "ζ🦊"]})
    assert cloud.wait_for_events(function, 1) == [{"a": [1, "ζ🦊"]}]


def test_the_functions_request_is_the_callers(cloud, queue):
    function = cloud.create_function("def handler(event, context):\n    return context.aws_request_id\n")
    configure(cloud, function, on_success=cloud.queue_arn(queue))
    request = send(cloud, function, {})
    record = json.loads(receive(cloud, queue)["Body"])
    assert record["responsePayload"] == record["requestContext"]["requestId"] == request


def test_an_event_may_have_a_megabyte(cloud, functions):
    function = cloud.recorder()
    text = "x" * (EVENT_BYTES_MAX - 2)
    send(cloud, function, text)
    assert cloud.wait_for_events(function, 1) == [text]
    with pytest.raises(functions.exceptions.ClientError) as error:
        send(cloud, function, text + "x")
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 413


def test_an_event_that_cannot_be_is_refused_at_once(cloud, functions):
    function = cloud.create_function("def handler(event, context):\n    return 1\n")
    with refused("InvalidRequestContentException", "Could not parse request body into json"):
        functions.invoke(FunctionName=function, InvocationType="Event", Payload=b"{not json")
    with refused("ResourceNotFoundException", "Function not found"):
        send(cloud, unique("nothing"), {})


def test_the_old_operation_takes_events_too(cloud, functions):
    function = cloud.recorder()
    assert functions.invoke_async(FunctionName=function, InvokeArgs=b'{"old": true}')["Status"] == 202
    assert cloud.wait_for_events(function, 1) == [{"old": True}]


# --- destinations ---

def test_a_success_is_told(cloud, queue):
    function = cloud.create_function("def handler(event, context):\n    return {'got': event}\n")
    configure(cloud, function, on_success=cloud.queue_arn(queue))
    request = send(cloud, function, {"n": 1})
    record = json.loads(receive(cloud, queue)["Body"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record.pop("timestamp"))
    arn = record["requestContext"].pop("functionArn")
    assert arn.endswith(f":function:{function}:$LATEST")
    assert record == {
        "version": "1.0",
        "requestContext": {"requestId": request, "condition": "Success", "approximateInvokeCount": 1},
        "requestPayload": {"n": 1},
        "responseContext": {"statusCode": 200, "executedVersion": "$LATEST"},
        "responsePayload": {"got": {"n": 1}},
    }


def test_a_failure_is_told_to_a_queue(cloud, queue):
    function = cloud.create_function("def handler(event, context):\n    raise ValueError('broken')\n")
    configure(cloud, function, on_failure=cloud.queue_arn(queue), MaximumRetryAttempts=0)
    send(cloud, function, {"n": 1})
    record = json.loads(receive(cloud, queue, 60)["Body"])
    assert record["requestContext"]["condition"] == "RetriesExhausted"
    assert record["requestContext"]["approximateInvokeCount"] == 1
    assert record["responseContext"] == {
        "statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"}
    assert record["responsePayload"]["errorMessage"] == "broken"
    assert record["responsePayload"]["errorType"] == "ValueError"


def test_a_failure_is_told_to_a_topic(cloud, queue):
    topic = cloud.client("sns").create_topic(Name=unique("topic"))["TopicArn"]
    cloud.cleanup.callback(cloud.client("sns").delete_topic, TopicArn=topic)
    cloud.client("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=cloud.queue_arn(queue))
    function = cloud.create_function("def handler(event, context):\n    raise ValueError('broken')\n")
    configure(cloud, function, on_failure=topic, MaximumRetryAttempts=0)
    send(cloud, function, {"n": 1})
    record = json.loads(json.loads(receive(cloud, queue, 60)["Body"])["Message"])
    assert record["requestPayload"] == {"n": 1}


def test_a_failure_is_told_to_a_bucket(cloud):
    bucket = cloud.create_bucket()
    function = cloud.create_function("def handler(event, context):\n    raise ValueError('broken')\n")
    configure(cloud, function, on_failure=f"arn:aws:s3:::{bucket}", MaximumRetryAttempts=0)
    request = send(cloud, function, {"n": 1})
    [found] = eventually(lambda: cloud.s3.list_objects_v2(Bucket=bucket).get("Contents"), "an object", 60)
    assert re.fullmatch(rf"aws/lambda/async/{function}/\d{{4}}/\d\d/\d\d/\d{{4}}-\d\d-\d\dT\d\d\.\d\d\.\d\d-[0-9a-f-]{{36}}",
                        found["Key"])
    record = json.loads(cloud.s3.get_object(Bucket=bucket, Key=found["Key"])["Body"].read())
    assert record["requestContext"]["requestId"] == request


def test_a_success_is_told_to_a_function(cloud):
    listener = cloud.recorder()
    function = cloud.create_function("def handler(event, context):\n    return 5\n")
    arn = cloud.functions.get_function_configuration(FunctionName=listener)["FunctionArn"]
    configure(cloud, function, on_success=arn)
    send(cloud, function, {"n": 1})
    [record] = cloud.wait_for_events(listener, 1)
    assert record["requestContext"]["condition"] == "Success" and record["responsePayload"] == 5


def test_a_dead_letter_queue_gets_the_event_as_it_came(cloud, queue):
    function = cloud.create_function("def handler(event, context):\n    raise ValueError('broken')\n",
                                     DeadLetterConfig={"TargetArn": cloud.queue_arn(queue)})
    described = cloud.functions.get_function_configuration(FunctionName=function)
    assert described["DeadLetterConfig"] == {"TargetArn": cloud.queue_arn(queue)}
    configure(cloud, function, MaximumRetryAttempts=0)
    request = send(cloud, function, {"n": 1})
    message = receive(cloud, queue, 60)
    assert json.loads(message["Body"]) == {"n": 1}
    assert {name: value["StringValue"] for name, value in message["MessageAttributes"].items()} == {
        "RequestID": request, "ErrorCode": "200", "ErrorMessage": "broken"}


def test_a_function_without_any_concurrency_tells_its_events_at_once(cloud, functions, queue):
    function = cloud.recorder()
    configure(cloud, function, on_failure=cloud.queue_arn(queue))
    functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=0)
    send(cloud, function, {"n": 1})
    record = json.loads(receive(cloud, queue, 60)["Body"])
    assert record["requestContext"]["condition"] == "ZeroReservedConcurrency"
    assert record["requestContext"]["approximateInvokeCount"] == 0
    assert "responseContext" not in record and "responsePayload" not in record
    assert cloud.events(function) == []


# --- settings ---

def test_settings_live_from_put_to_delete(cloud, functions, queue):
    function = cloud.create_function("def handler(event, context):\n    return 1\n")
    with refused("ResourceNotFoundException", f"{function}:$LATEST doesn't have an EventInvokeConfig"):
        functions.get_function_event_invoke_config(FunctionName=function)
    put = configure(cloud, function, on_failure=cloud.queue_arn(queue), MaximumRetryAttempts=1)
    assert put["FunctionArn"].endswith(f"{function}:$LATEST")
    assert put["DestinationConfig"] == {"OnSuccess": {}, "OnFailure": {"Destination": cloud.queue_arn(queue)}}
    updated = functions.update_function_event_invoke_config(FunctionName=function, MaximumEventAgeInSeconds=100)
    assert (updated["MaximumRetryAttempts"], updated["MaximumEventAgeInSeconds"]) == (1, 100)
    got = functions.get_function_event_invoke_config(FunctionName=function)
    del got["ResponseMetadata"], updated["ResponseMetadata"]
    assert got == updated
    [listed] = functions.list_function_event_invoke_configs(FunctionName=function)["FunctionEventInvokeConfigs"]
    assert listed == got
    functions.delete_function_event_invoke_config(FunctionName=function)
    assert functions.list_function_event_invoke_configs(FunctionName=function)["FunctionEventInvokeConfigs"] == []


def test_settings_that_cannot_be_are_refused(cloud, functions):
    function = cloud.create_function("def handler(event, context):\n    return 1\n")
    with refused("InvalidParameterValueException", "at least one of error handling or destination setting"):
        functions.put_function_event_invoke_config(FunctionName=function)
    with refused("ResourceNotFoundException", "The function doesn't exist."):
        functions.put_function_event_invoke_config(FunctionName=unique("nothing"), MaximumRetryAttempts=1)
    own = functions.get_function_configuration(FunctionName=function)["FunctionArn"]
    with refused("InvalidParameterValueException", "You can't specify the function as a destination for itself."):
        configure(cloud, function, on_success=own)
    with refused("InvalidParameterValueException", "is invalid."):
        configure(cloud, function, on_success="arn:aws:s3:::some-bucket")
    account = own.split(":")[4]
    for service, resource in (("lambda", "function:"), ("sqs", ""), ("sns", ""), ("events", "event-bus/")):
        none = f"arn:aws:{service}:{cloud.region}:{account}:{resource}{unique('none')}"
        with refused("InvalidParameterValueException", f"The destination ARN {none} is invalid.", exactly=True):
            configure(cloud, function, on_failure=none)


# --- time ---

@pytest.mark.local
def test_a_function_that_fails_is_tried_again_after_one_minute_and_two_more(virtual):
    function = virtual.recorder(FAIL)
    url = virtual.create_queue()
    configure(virtual, function, on_failure=virtual.queue_arn(url))
    send(virtual, function, {"n": 1})
    virtual.advance(1)
    assert len(virtual.events(function)) == 1
    virtual.advance(60)
    assert len(virtual.events(function)) == 2
    virtual.advance(118)
    assert len(virtual.events(function)) == 2
    virtual.advance(2)
    assert len(virtual.events(function)) == 3
    record = json.loads(receive(virtual, url)["Body"])
    assert record["requestContext"]["approximateInvokeCount"] == 3
    virtual.advance(6 * 3600)
    assert len(virtual.events(function)) == 3


@pytest.mark.local
def test_events_survive_a_kill(start_server, tmp_path):
    from harness import Cloud
    server = start_server("--clock", "virtual")
    cloud = Cloud(server.endpoint)
    function = cloud.recorder("if count == 1: raise ValueError('broken')\n")
    url = cloud.create_queue()
    configure(cloud, function, on_success=cloud.queue_arn(url))
    send(cloud, function, {"n": 1})
    cloud.advance(1)
    assert len(cloud.events(function)) == 1
    server.kill()
    cloud = Cloud(server.start().endpoint)
    cloud.advance(60)
    record = json.loads(receive(cloud, url)["Body"])
    assert record["requestContext"]["condition"] == "Success"
    assert record["requestContext"]["approximateInvokeCount"] == 2


# --- recursion ---

CALLS_ITSELF = """
    import json, os, boto3
    def handler(event, context):
        boto3.client("lambda").invoke(FunctionName=context.function_name, InvocationType="Event",
                                      Payload=json.dumps(event + 1))
        return event
"""


@pytest.mark.local
def test_a_function_that_calls_itself_again_and_again_is_stopped(cloud, functions, queue):
    function = cloud.create_function(CALLS_ITSELF)
    assert functions_recursion(cloud, "GET", function) == {"RecursiveLoop": "Terminate"}
    configure(cloud, function, on_failure=cloud.queue_arn(queue))
    send(cloud, function, 1)
    record = json.loads(receive(cloud, queue, 60)["Body"])
    assert record["requestContext"]["condition"] == "RecursiveInvocation"
    assert record["requestPayload"] == 17


@pytest.mark.local
def test_functions_that_are_each_others_destinations_are_stopped(cloud, queue):
    ping, pong = cloud.recorder(), cloud.recorder()
    arns = [cloud.functions.get_function_configuration(FunctionName=name)["FunctionArn"] for name in (ping, pong)]
    configure(cloud, ping, on_success=arns[1], on_failure=cloud.queue_arn(queue))
    configure(cloud, pong, on_success=arns[0])
    send(cloud, ping, 1)
    record = json.loads(receive(cloud, queue, 60)["Body"])
    assert record["requestContext"]["condition"] == "RecursiveInvocation"
    assert len(cloud.events(ping)) == len(cloud.events(pong)) == 16


def functions_recursion(cloud, method, function, body=None):
    """The recursion's settings, which this botocore does not know."""
    import urllib.request
    request = urllib.request.Request(
        f"{cloud.endpoint}/2024-08-31/functions/{function}/recursion-config", method=method,
        data=json.dumps(body).encode() if body else None,
        headers={"Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/lambda/aws4_request, "
                                  "SignedHeaders=host, Signature=0", "Content-Type": "application/json"})
    return json.loads(urllib.request.urlopen(request).read())


# PutFunctionRecursionConfig and GetFunctionRecursionConfig.
def test_the_setting_of_recursion_is_kept_and_checked(cloud):
    function = cloud.create_function("def handler(event, context): return 1")

    def setting(method, function, **body):
        status, headers, answer = cloud.raw("lambda", method, f"/2024-08-31/functions/{function}/recursion-config",
                                            json.dumps(body) if body else b"", {"Content-Type": "application/json"})
        if status != 200:
            return status, headers["x-amzn-errortype"].split(":")[0]
        return status, json.loads(answer)["RecursiveLoop"]
    assert setting("GET", function) == (200, "Terminate")
    for loop in ("Allow", "Terminate"):
        assert setting("PUT", function, RecursiveLoop=loop) == setting("GET", function) == (200, loop)
    assert setting("PUT", function, RecursiveLoop="Perhaps") == (400, "ValidationException")
    nothing = unique("nothing")
    for answer in (setting("GET", nothing), setting("PUT", nothing, RecursiveLoop="Allow")):
        assert answer == (404, "ResourceNotFoundException")


@pytest.mark.local
def test_recursion_may_be_allowed(cloud):
    function = cloud.create_function("""
        import json, boto3
        def handler(event, context):
            if event < 20:
                boto3.client("lambda").invoke(FunctionName=context.function_name, InvocationType="Event",
                                              Payload=json.dumps(event + 1))
            return event
    """)
    assert functions_recursion(cloud, "PUT", function, {"RecursiveLoop": "Allow"}) == {"RecursiveLoop": "Allow"}
    url = cloud.create_queue()
    configure(cloud, function, on_success=cloud.queue_arn(url))
    send(cloud, function, 1)
    seen = {json.loads(receive(cloud, url, 60)["Body"])["requestPayload"] for _ in range(20)}
    assert seen == set(range(1, 21))

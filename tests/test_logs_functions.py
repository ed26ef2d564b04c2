"""What functions print, in CloudWatch Logs and by `tidemill logs`."""
import os
import re
import subprocess

import pytest

from harness import SERVER, eventually, quietly, unique

SAYS = """
    import sys
    def handler(event, context):
        print("said", event["word"])
        print("also", event["word"], file=sys.stderr)
        return {"group": context.log_group_name, "stream": context.log_stream_name}
"""


@pytest.fixture
def logs(cloud):
    return cloud.client("logs")


def invoke(functions, name, word):
    import json
    answer = functions.invoke(FunctionName=name, Payload=json.dumps({"word": word}))
    return json.loads(answer["Payload"].read())


def lines(logs, group, **more):
    try:
        return [event["message"] for event in logs.filter_log_events(logGroupName=group, **more)["events"]]
    except logs.exceptions.ResourceNotFoundException:
        return []


def test_a_function_s_output_is_in_its_group(cloud, functions, logs):
    name = cloud.create_function(SAYS)
    place = invoke(functions, name, "hello")
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=f"/aws/lambda/{name}")
    assert place["group"] == f"/aws/lambda/{name}"
    found = eventually(lambda: (found := lines(logs, place["group"])) and found[-1].startswith("REPORT") and found)
    assert "said hello\n" in found and "also hello\n" in found
    start = next(i for i, line in enumerate(found) if line.startswith("START"))
    request = re.fullmatch(r"START RequestId: ([0-9a-f-]{36}) Version: \$LATEST\n", found[start])
    assert found.index("said hello\n") > start
    assert found[-2] == f"END RequestId: {request[1]}\n"
    assert re.match(rf"REPORT RequestId: {request[1]}\tDuration: [0-9.]+ ms\tBilled Duration: [0-9]+ ms\t"
                    r"Memory Size: 128 MB\tMax Memory Used: [0-9]+ MB\tInit Duration: [0-9.]+ ms\t\n", found[-1])
    stream = logs.describe_log_streams(logGroupName=place["group"])["logStreams"][0]["logStreamName"]
    assert stream == place["stream"]
    assert re.fullmatch(r"\d{4}/\d\d/\d\d/\[\$LATEST\][0-9a-f]{32}", stream)


def test_a_second_invocation_of_a_process_goes_to_its_stream(cloud, functions, logs):
    name = cloud.create_function(SAYS)
    group = invoke(functions, name, "one")["group"]
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=group)
    invoke(functions, name, "two")
    eventually(lambda: {"said one\n", "said two\n"} <= set(lines(logs, group)))
    assert len(lines(logs, group, filterPattern='"START RequestId"')) == 2
    logs.delete_log_group(logGroupName=group)
    invoke(functions, name, "three")
    eventually(lambda: "said three\n" in lines(logs, group), "the group is made again")


def test_a_function_may_choose_its_group(cloud, functions, logs):
    group = unique("/tests/chosen")
    name = cloud.create_function(SAYS, LoggingConfig={"LogGroup": group, "LogFormat": "Text"}) if has_logging(
        functions) else None
    if not name:
        pytest.skip("this boto3 knows no LoggingConfig")
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=group)
    assert invoke(functions, name, "there")["group"] == group
    eventually(lambda: "said there\n" in lines(logs, group))


def has_logging(functions):
    shape = functions.meta.service_model.operation_model("CreateFunction").input_shape
    return "LoggingConfig" in shape.members


@pytest.mark.local
def test_output_that_is_not_utf8_is_kept_readable(cloud, functions, logs):
    name = cloud.create_function("""
        import sys
        def handler(event, context):
            sys.stdout.buffer.write(b"odd \\xff byte\\n")
            sys.stdout.flush()
    """)
    functions.invoke(FunctionName=name)
    eventually(lambda: "odd \ufffd byte\n" in lines(logs, f"/aws/lambda/{name}"))


@pytest.mark.local
def test_what_was_printed_is_kept_through_a_stop(start_server):
    from harness import Cloud
    server = start_server()
    cloud = Cloud(server.endpoint)
    name = cloud.create_function(SAYS)
    invoke(cloud.functions, name, "last words")
    server.stop()
    server.start()
    logs = Cloud(server.endpoint).client("logs")
    assert "said last words\n" in lines(logs, f"/aws/lambda/{name}")


def tidemill(cloud, *arguments, **more):
    environment = {**os.environ, "AWS_ENDPOINT_URL": cloud.endpoint, "AWS_REGION": cloud.region}
    return subprocess.Popen([str(SERVER), "logs", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=environment, **more)


@pytest.mark.local
def test_tidemill_logs_shows_and_follows(cloud, functions, logs):
    name = cloud.create_function(SAYS)
    invoke(functions, name, "first")
    eventually(lambda: "said first\n" in lines(logs, f"/aws/lambda/{name}"))
    shown = tidemill(cloud, name, "--since", "1h").communicate(timeout=60)
    assert "said first\n" in shown[0], shown
    follower = tidemill(cloud, name, "--follow")
    try:
        assert any(line == "said first\n" for line in follower.stdout)
        invoke(functions, name, "second")
        assert any(line == "said second\n" for line in follower.stdout)
    finally:
        follower.kill()
        follower.wait()


@pytest.mark.local
def test_tidemill_logs_says_what_is_wrong(cloud):
    process = tidemill(cloud, "no-such-function")
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 1 and "Function not found" in errors
    process = tidemill(cloud, "f", "--endpoint", "http://127.0.0.1:1")
    assert process.communicate(timeout=60)[1].startswith("tidemill: ") and process.returncode == 1

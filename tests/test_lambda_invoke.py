"""Invocations: what a function gets, what its caller gets, and how each way to fail looks."""
import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import NODE_RUNTIME, Cloud, eventually, item, log_tail, refused, unique

PAYLOAD_BYTES_MAX = 6 * 1024 * 1024


def failed(answer):
    return answer.get("FunctionError")


# --- success ---

@pytest.mark.parametrize("payload", [{}, {"a": [1, 2.5, None, True, "ζ🦊"]}, [1], "text", 5, None, 1e300, "\u0000\\\"\n"],
                         ids=str)
def test_a_payload_goes_there_and_back(cloud, echo, payload):
    answer, got = cloud.invoke(echo, payload)
    assert got == payload
    assert answer["StatusCode"] == 200
    assert answer["ExecutedVersion"] == "$LATEST"
    assert failed(answer) is None


@pytest.fixture(scope="module")
def echo(shared_cloud):
    return shared_cloud.create_function("def handler(event, context):\n    return event\n")


def test_an_invocation_without_a_payload_gets_an_empty_event(cloud, functions, echo):
    answer = functions.invoke(FunctionName=echo)
    assert json.loads(answer["Payload"].read()) == {}


def test_a_payload_of_nearly_6_mb_goes_there_and_back(cloud, echo):
    text = "x" * (PAYLOAD_BYTES_MAX - 1024)
    assert cloud.invoke(echo, text)[1] == text


def test_a_larger_payload_is_refused(cloud, functions, echo):
    with pytest.raises(functions.exceptions.ClientError) as error:
        cloud.invoke(echo, "x" * (PAYLOAD_BYTES_MAX + 1))
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 413
    # AWS answers either, by how much too large it is.
    assert error.value.response["Error"]["Code"] in ("RequestTooLargeException", "RequestEntityTooLargeException")


def test_a_payload_that_is_not_json_is_refused(functions, echo):
    with refused("InvalidRequestContentException", "Could not parse request body into json"):
        functions.invoke(FunctionName=echo, Payload=b"{not json")


@pytest.mark.parametrize("payload, why, place", [
    ("{not json", "Unexpected character ('n' (code 110)): was expecting double-quote to start field name", "1, column: 3"),
    ("hello", "Unrecognized token 'hello': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or "
     "'false')", "1, column: 6"),
    ('{"a":1 "b":2}', "Unexpected character ('\"' (code 34)): was expecting comma to separate Object entries",
     "1, column: 9"),
    ('{"a" 1}', "Unexpected character ('1' (code 49)): was expecting a colon to separate field name and value",
     "1, column: 7"),
    ("[1,\n]", "Unexpected character (']' (code 93)): expected a valid value (JSON String, Number, Array, Object or token "
     "'null', 'true' or 'false')", "2, column: 2"),
    ("-x", "Unexpected character ('x' (code 120)) in numeric value: expected digit (0-9) to follow minus sign, for valid "
     "numeric value", "1, column: 3"),
    ('"abc', "Unexpected end-of-input: was expecting closing quote for a string value", "1, column: 5"),
])
def test_what_is_no_json_is_told_in_the_words_of_awss_parser(functions, echo, payload, why, place):
    with refused("InvalidRequestContentException",
                 f"Could not parse request body into json: Could not parse payload into json: {why}\n at [Source: "
                 f'(byte[])"{payload}"; line: {place}]'):
        functions.invoke(FunctionName=echo, Payload=payload.encode())


def test_a_dry_run_runs_nothing(cloud, functions):
    table = cloud.create_table()
    name = cloud.create_function("""
        import boto3
        def handler(event, context):
            boto3.client("dynamodb").put_item(TableName=event, Item={"id": {"S": "ran"}})
    """)
    answer = functions.invoke(FunctionName=name, InvocationType="DryRun", Payload=json.dumps(table).encode())
    assert answer["StatusCode"] == 204
    assert answer["Payload"].read() == b""
    assert "Item" not in cloud.dynamodb.get_item(TableName=table, Key=item(id="ran"))


# --- what a function finds ---

def test_the_environment_is_that_of_the_runtime_with_the_functions_own(cloud):
    name = cloud.create_function("""
        import os
        def handler(event, context):
            return dict(os.environ)
    """, Environment={"Variables": {"COLOUR": "green", "EMPTY": "", "ODD": "a=b c\\n\"d'"}}, MemorySize=256)
    environment = cloud.invoke(name)[1]
    assert environment["COLOUR"] == "green" and environment["EMPTY"] == "" and environment["ODD"] == "a=b c\\n\"d'"
    assert environment["AWS_LAMBDA_FUNCTION_NAME"] == name
    assert environment["AWS_LAMBDA_FUNCTION_VERSION"] == "$LATEST"
    assert environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == "256"
    assert environment["AWS_REGION"] == environment["AWS_DEFAULT_REGION"] == "us-east-1"
    assert environment["_HANDLER"] == "app.handler"
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_LAMBDA_RUNTIME_API", "LAMBDA_TASK_ROOT",
                     "AWS_LAMBDA_LOG_GROUP_NAME", "AWS_LAMBDA_LOG_STREAM_NAME", "PATH", "TZ"):
        assert environment[variable], variable


# Nothing of the server's own environment is a function's business.
@pytest.mark.local
def test_the_servers_environment_does_not_leak(start_server):
    cloud = Cloud(start_server(environment={"SECRET_OF_THE_HOST": "leaked"}).endpoint)
    name = cloud.create_function("import os\ndef handler(event, context):\n    return dict(os.environ)\n")
    assert "leaked" not in json.dumps(cloud.invoke(name)[1])


def test_the_context_tells_about_the_invocation(cloud):
    name = cloud.create_function("""
        def handler(event, context):
            return {"id": context.aws_request_id, "arn": context.invoked_function_arn, "name": context.function_name,
                    "left": context.get_remaining_time_in_millis(), "version": context.function_version,
                    "memory": str(context.memory_limit_in_mb)}
    """, Timeout=10)
    answer, got = cloud.invoke(name)
    assert got["id"] == answer["ResponseMetadata"]["RequestId"]
    assert got["arn"].endswith(f":function:{name}")
    assert got["name"] == name and got["version"] == "$LATEST" and got["memory"] == "128"
    assert 5000 < got["left"] <= 10_000


def test_code_runs_in_its_package_with_its_modules_and_files(cloud):
    name = cloud.create_function(None, files={
        "app.py": "import helper.words, os\ndef handler(event, context):\n    return helper.words.WORD, "
                  "open('data.txt').read(), os.getcwd() == os.environ['LAMBDA_TASK_ROOT']\n",
        "helper/__init__.py": "", "helper/words.py": "WORD = 'found'\n", "data.txt": "data"})
    assert cloud.invoke(name)[1] == ["found", "data", True]


def test_a_handler_may_stand_in_a_folder(cloud):
    name = cloud.create_function(None, handler="src/app.run", files={"src/app.py": "def run(e, c):\n    return 'ran'\n"})
    assert cloud.invoke(name)[1] == "ran"


def test_tmp_can_be_written(cloud):
    name = cloud.create_function("""
        def handler(event, context):
            with open("/tmp/note", "w") as file: file.write("noted")
            return open("/tmp/note").read()
    """)
    assert cloud.invoke(name)[1] == "noted"


# The SDK inside a function needs no endpoint: it talks to the server that runs it.
def test_the_sdk_inside_a_python_function_talks_to_this_server(cloud):
    table = cloud.create_table()
    name = cloud.create_function("""
        import boto3
        def handler(event, context):
            boto3.client("dynamodb").put_item(TableName=event, Item={"id": {"S": "client"}})
            boto3.resource("dynamodb").Table(event).put_item(Item={"id": "resource"})
            return boto3.Session().region_name
    """)
    answer, region = cloud.invoke(name, table)
    assert failed(answer) is None, region
    assert region == "us-east-1"
    assert cloud.dynamodb.scan(TableName=table)["Count"] == 2


# --- warm and concurrent ---

def test_a_worker_stays_warm(cloud):
    name = cloud.create_function("""
        import os
        count = 0
        def handler(event, context):
            global count
            count += 1
            return os.getpid(), count
    """)
    first = cloud.invoke(name)[1]
    assert [cloud.invoke(name)[1] for _ in range(3)] == [[first[0], count] for count in (2, 3, 4)]


def test_invocations_at_the_same_time_run_at_the_same_time(cloud):
    table = cloud.create_table()
    # Each waits until it sees all the others: one after the other they would never end.
    name = cloud.create_function("""
        import boto3, time
        client = boto3.client("dynamodb")
        def handler(event, context):
            client.put_item(TableName=event["table"], Item={"id": {"S": str(event["number"])}})
            while client.scan(TableName=event["table"], ConsistentRead=True)["Count"] < event["count"]:
                time.sleep(0.02)
            return event["number"]
    """, Timeout=60)
    count = 4
    with ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(lambda number: cloud.invoke(
            name, {"table": table, "number": number, "count": count})[1], range(count)))
    assert answers == list(range(count))


# --- the log ---

def test_the_tail_of_the_log_comes_with_the_answer(cloud):
    name = cloud.create_function("""
        import sys, logging
        def handler(event, context):
            print("to standard output")
            print("to standard error", file=sys.stderr)
            logging.getLogger().warning("to the logger")
            print("ζ🦊")
    """)
    answer, _ = cloud.invoke(name, LogType="Tail")
    request = answer["ResponseMetadata"]["RequestId"]
    tail = log_tail(answer)
    for text in ("to standard output\n", "to standard error\n", "to the logger\n", "ζ🦊\n", "[WARNING]"):
        assert text in tail
    assert re.search(rf"^START RequestId: {request} Version: \$LATEST$", tail, re.M)
    assert re.search(rf"^END RequestId: {request}$", tail, re.M)
    assert re.search(rf"^REPORT RequestId: {request}\tDuration: [\d.]+ ms\tBilled Duration: \d+ ms\t"
                     r"Memory Size: 128 MB\tMax Memory Used: \d+ MB", tail, re.M)
    assert "LogResult" not in cloud.invoke(name)[0]


def test_the_tail_is_the_last_4_kb(cloud):
    name = cloud.create_function("""
        def handler(event, context):
            for number in range(2000):
                print("line", number)
    """)
    tail = log_tail(cloud.invoke(name, LogType="Tail")[0])
    assert len(tail.encode()) <= 4096
    assert "line 1999\n" in tail and "line 0\n" not in tail


@pytest.mark.local
def test_output_goes_to_the_servers_log(server, cloud):
    word = unique("said")
    name = cloud.create_function(f"def handler(event, context):\n    print('{word}')\n")
    cloud.invoke(name)
    eventually(lambda: word in server.log(), "the output is in the log")


# --- failures ---

def test_an_exception_has_the_shape_of_aws(cloud):
    name = cloud.create_function("""
        class Trouble(Exception): pass
        def deeper():
            raise Trouble("it broke")
        def handler(event, context):
            deeper()
    """)
    answer, error = cloud.invoke(name, LogType="Tail")
    assert answer["StatusCode"] == 200
    assert failed(answer) == "Unhandled"
    assert error["errorType"] == "Trouble"
    assert error["errorMessage"] == "it broke"
    assert error["requestId"] == answer["ResponseMetadata"]["RequestId"]
    assert len(error["stackTrace"]) == 2
    assert 'app.py", line' in error["stackTrace"][0] and "in deeper" in error["stackTrace"][1]
    assert "[ERROR] Trouble: it broke" in log_tail(answer)
    # The worker lives on.
    assert failed(cloud.invoke(name)[0]) == "Unhandled"


@pytest.mark.parametrize("raised", [r"ValueError('half \ud800 a pair')", "ValueError(NoText())", "NoText()"],
                         ids=["surrogate", "argument", "exception"])
def test_an_exception_without_a_readable_text_is_told_and_the_worker_lives_on(cloud, raised):
    name = cloud.create_function(f"""
        import os
        class NoText(Exception):
            def __str__(self): raise RuntimeError("no text")
            __repr__ = __str__
        def handler(event, context):
            if event: raise {raised}
            return os.getpid()
    """)
    _, process = cloud.invoke(name, False)
    answer, error = cloud.invoke(name, True)
    assert failed(answer) == "Unhandled"
    assert error["errorType"] in ("ValueError", "NoText")
    assert cloud.invoke(name, False)[1] == process


@pytest.mark.parametrize("source, handler, error_type, message", [
    ("import nonsense_module\ndef handler(e, c): pass\n", "app.handler", "Runtime.ImportModuleError",
     "Unable to import module 'app': No module named 'nonsense_module'"),
    ("def handler(e, c): pass\n", "app.missing", "Runtime.HandlerNotFound", "Handler 'missing' missing on module 'app'"),
    ("def handler(e, c: pass\n", "app.handler", "Runtime.UserCodeSyntaxError", "Syntax error in module 'app'"),
    ("def handler(e, c): return {1, 2}\n", "app.handler", "Runtime.MarshalError", "Unable to marshal response"),
    ("raise ValueError('at import')\ndef handler(e, c): pass\n", "app.handler", "ValueError", "at import"),
], ids=["import", "handler", "syntax", "marshal", "module raises"])
def test_code_that_cannot_run_says_why(cloud, source, handler, error_type, message):
    name = cloud.create_function(source, handler=handler)
    answer, error = cloud.invoke(name)
    assert failed(answer) == "Unhandled"
    assert error["errorType"] == error_type
    assert message in error["errorMessage"]


def test_a_timeout_ends_the_function(cloud):
    name = cloud.create_function("""
        import time
        def handler(event, context):
            if event == "sleep": time.sleep(20)
            return "awake"
    """, Timeout=3)
    answer, error = cloud.invoke(name, "sleep", LogType="Tail")
    request = answer["ResponseMetadata"]["RequestId"]
    assert failed(answer) == "Unhandled"
    assert request in error["errorMessage"]
    assert error["errorMessage"].endswith("Task timed out after 3.00 seconds")
    assert "Task timed out after 3.00 seconds" in log_tail(answer)
    assert cloud.invoke(name, "no")[1] == "awake"  # in a new worker


@pytest.mark.parametrize("crash, message", [
    ("os._exit(3)", "Runtime exited with error: exit status 3"),
    ("os._exit(0)", "Runtime exited without providing a reason"),
    ("os.kill(os.getpid(), 9)", "Runtime exited with error: signal: killed"),
    ("os.abort()", "Runtime exited with error: signal: aborted"),
], ids=["exit 3", "exit 0", "killed", "aborted"])
def test_a_crash_is_told_and_the_next_invocation_has_a_new_worker(cloud, crash, message):
    name = cloud.create_function(f"""
        import os
        def handler(event, context):
            if event == "crash": {crash}
            return "alive"
    """)
    assert cloud.invoke(name)[1] == "alive"
    answer, error = cloud.invoke(name, "crash")
    assert failed(answer) == "Unhandled"
    assert error["errorType"] == "Runtime.ExitError"
    assert error["errorMessage"] == f"RequestId: {answer['ResponseMetadata']['RequestId']} Error: {message}"
    assert cloud.invoke(name)[1] == "alive"


def test_a_crash_at_import_is_told(cloud):
    name = cloud.create_function("import os\nos._exit(4)\ndef handler(event, context): pass\n")
    answer, error = cloud.invoke(name)
    assert failed(answer) == "Unhandled"
    assert error["errorType"] == "Runtime.ExitError"
    assert "Runtime exited with error: exit status 4" in error["errorMessage"]


def test_a_function_that_takes_too_much_memory_is_told(cloud):
    name = cloud.create_function("""
        import time
        def handler(event, context):
            if event == "take":
                block = bytearray(500 << 20)
                time.sleep(20)
            return "small"
    """, MemorySize=128, Timeout=30)
    answer, error = cloud.invoke(name, "take", LogType="Tail")
    assert failed(answer) == "Unhandled"
    assert error["errorType"] == "Runtime.OutOfMemory"
    assert error["errorMessage"].endswith("Error: Runtime exited with error: signal: killed")
    assert re.search(r"\tMemory Size: 128 MB\tMax Memory Used: 12[78] MB\t.*Status: error\t"
                     r"Error Type: Runtime\.OutOfMemory", log_tail(answer))
    assert cloud.invoke(name)[1] == "small"


def test_a_reply_over_6_mb_is_an_error_and_the_worker_lives_on(cloud):
    name = cloud.create_function("""
        import os
        def handler(event, context):
            return "x" * event if event else os.getpid()
    """)
    worker = cloud.invoke(name, 0)[1]
    answer, error = cloud.invoke(name, 7 * 1024 * 1024)
    assert failed(answer) == "Unhandled"
    assert error["errorType"] == "Function.ResponseSizeTooLarge"
    assert error["errorMessage"].startswith("Response payload size exceeded maximum allowed payload size (6291556 bytes).")
    assert cloud.invoke(name, 0)[1] == worker


# --- other runtimes ---

NODE_SOURCE = """
exports.handler = async (event, context) => {
  if (event === "throw") throw new TypeError("it broke");
  if (event === "exit") process.exit(5);
  console.log("said by node");
  return { event, name: context.functionName, id: context.awsRequestId, region: process.env.AWS_REGION };
};
exports.callback = (event, context, done) => setTimeout(() => done(null, "called back"), 5);
exports.failing = (event, context, done) => done(new Error("called back with an error"));
"""


@pytest.fixture(scope="module")
def node(shared_cloud):
    return shared_cloud.create_function(None, runtime=NODE_RUNTIME, handler="index.handler",
                                        files={"index.js": NODE_SOURCE})


def test_a_node_function_answers(cloud, node):
    answer, got = cloud.invoke(node, {"x": "ζ"}, LogType="Tail")
    assert got == {"event": {"x": "ζ"}, "name": node, "id": answer["ResponseMetadata"]["RequestId"],
                   "region": "us-east-1"}
    assert "said by node" in log_tail(answer)


def test_a_node_function_that_throws_has_the_shape_of_aws(cloud, node):
    answer, error = cloud.invoke(node, "throw")
    assert failed(answer) == "Unhandled"
    assert error["errorType"] == "TypeError" and error["errorMessage"] == "it broke"
    assert error["trace"][0] == "TypeError: it broke" and "index.js" in error["trace"][1]
    assert cloud.invoke(node, 1)[1]["event"] == 1


def test_a_node_function_that_exits_is_told(cloud, node):
    answer, error = cloud.invoke(node, "exit")
    assert error["errorType"] == "Runtime.ExitError"
    assert "Runtime exited with error: exit status 5" in error["errorMessage"]
    assert cloud.invoke(node, 1)[1]["event"] == 1


def test_a_node_function_may_use_a_callback(cloud):
    name = cloud.create_function(None, runtime=NODE_RUNTIME, handler="index.callback", files={"index.js": NODE_SOURCE})
    assert cloud.invoke(name)[1] == "called back"


def test_a_node_callback_may_fail(cloud):
    name = cloud.create_function(None, runtime=NODE_RUNTIME, handler="index.failing", files={"index.js": NODE_SOURCE})
    answer, error = cloud.invoke(name)
    assert failed(answer) == "Unhandled"
    assert error["errorMessage"] == "called back with an error"


def test_a_node_function_may_be_a_module(cloud):
    name = cloud.create_function(None, runtime=NODE_RUNTIME, handler="index.handler", files={
        "index.mjs": "import os from 'node:os';\nexport const handler = async (event) => [event, typeof os.cpus];\n"})
    assert cloud.invoke(name, 1)[1] == [1, "function"]


@pytest.mark.parametrize("source, handler, error_type", [
    ("require('nonsense-module');", "index.handler", "Runtime.ImportModuleError"),
    ("exports.handler = 5;", "index.handler", "Runtime.HandlerNotFound"),
    ("exports.other = () => 1;", "index.handler", "Runtime.HandlerNotFound"),
    ("exports.handler = (", "index.handler", "Runtime.UserCodeSyntaxError"),
], ids=["import", "no function", "no handler", "syntax"])
def test_node_code_that_cannot_run_says_why(cloud, source, handler, error_type):
    name = cloud.create_function(None, runtime=NODE_RUNTIME, handler=handler, files={"index.js": source})
    answer, error = cloud.invoke(name)
    assert failed(answer) == "Unhandled"
    assert error["errorType"] == error_type


# A custom runtime is a program that speaks the runtime API; here one of the shell and curl.
BOOTSTRAP = """#!/bin/sh
set -eu
api="http://$AWS_LAMBDA_RUNTIME_API/2018-06-01/runtime/invocation"
while true; do
  headers="$(mktemp)"
  event="$(curl -sS -D "$headers" "$api/next")"
  id="$(grep -i '^lambda-runtime-aws-request-id:' "$headers" | tr -d '\\r' | cut -d' ' -f2)"
  grep -qi '^lambda-runtime-deadline-ms: *[0-9]' "$headers"
  grep -qi '^lambda-runtime-invoked-function-arn: *arn:' "$headers"
  rm -f "$headers"
  echo "handling $_HANDLER" >&2
  case "$event" in
    '"fail"') curl -sS -X POST -H 'Lambda-Runtime-Function-Error-Type: Shell.Trouble' \\
                -d '{"errorMessage":"it broke","errorType":"Shell.Trouble"}' "$api/$id/error" >/dev/null ;;
    *) curl -sS -X POST -d "[$event, \\"$_HANDLER\\"]" "$api/$id/response" >/dev/null ;;
  esac
done
"""


def test_a_custom_runtime_runs_the_packages_own_bootstrap(cloud):
    name = cloud.create_function(None, runtime="provided.al2023", handler="anything", files={"bootstrap": BOOTSTRAP})
    answer, got = cloud.invoke(name, {"x": 1}, LogType="Tail")
    assert got == [{"x": 1}, "anything"]
    assert "handling anything" in log_tail(answer)
    answer, error = cloud.invoke(name, "fail")
    assert failed(answer) == "Unhandled"
    assert error == {"errorMessage": "it broke", "errorType": "Shell.Trouble"}
    assert cloud.invoke(name, 2)[1] == [2, "anything"]


def test_a_custom_runtime_without_a_bootstrap_says_so(cloud):
    name = cloud.create_function(None, runtime="provided.al2023", handler="x", files={"readme": "nothing here"})
    answer, error = cloud.invoke(name)
    assert failed(answer) == "Unhandled"
    assert error["errorType"] == "Runtime.InvalidEntrypoint"
    assert "Couldn't find valid bootstrap(s)" in error["errorMessage"]


def test_zip_entries_of_every_kind_unpack(cloud):
    # Stored and deflated entries, an empty file, a folder entry.
    import io
    import zipfile
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("app.py", "import os\ndef handler(e, c):\n    return os.path.getsize('empty'), "
                                   "os.path.isdir('folder'), open('big').read().count('x')\n", zipfile.ZIP_STORED)
        archive.writestr("empty", "")
        archive.writestr("folder/", "")
        archive.writestr("big", "x" * 1_000_000, zipfile.ZIP_DEFLATED)
    name = cloud.create_function(None, files={"app.py": ""}, wait=False)
    cloud.functions.get_waiter("function_active_v2").wait(FunctionName=name)
    cloud.functions.update_function_code(FunctionName=name, ZipFile=buffer.getvalue())
    cloud.functions.get_waiter("function_updated_v2").wait(FunctionName=name)
    assert cloud.invoke(name)[1] == [0, True, 1_000_000]

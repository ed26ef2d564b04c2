"""LoggingConfig: logs as JSON, levels, and the platform's own records. By raw requests: this boto3 may know no
LoggingConfig."""
import json
import re

import pytest

from harness import NODE_RUNTIME, eventually, quietly, unique

PYTHON = """
import logging, os
logger = logging.getLogger("shop")
def handler(event, context):
    if event.get("environment"):
        return [os.environ.get("AWS_LAMBDA_LOG_FORMAT"), os.environ.get("AWS_LAMBDA_LOG_LEVEL")]
    print("printed")
    logger.debug("too quiet")
    logger.info("sold %s", "tea", extra={"pots": 3})
    logger.warning("few are left")
    try:
        1 / 0
    except ZeroDivisionError:
        logger.exception("cannot divide")
    if event.get("fail"):
        raise KeyError("gone")
"""

NODE = """
exports.handler = async (event) => {
  console.debug("too quiet");
  console.log("sold %s", "tea");
  console.info({ pots: 3 });
  console.warn("few", new TypeError("left"));
  console.error(new RangeError("out"));
  if (event.fail) throw new Error("gone");
};
"""


@pytest.fixture
def logs(cloud):
    return cloud.client("logs")


def configure(cloud, name, **logging):
    status, _, body = cloud.raw("lambda", "PUT", f"/2015-03-31/functions/{name}/configuration",
                                json.dumps({"LoggingConfig": logging}), {"Content-Type": "application/json"})
    return status, json.loads(body)


def described(cloud, name):
    _, _, body = cloud.raw("lambda", "GET", f"/2015-03-31/functions/{name}/configuration")
    return json.loads(body)["LoggingConfig"]


def make(cloud, logs, source=PYTHON, runtime=None, **logging):
    if runtime:
        name = cloud.create_function("", runtime=runtime, handler="index.handler", files={"index.js": source})
    else:
        name = cloud.create_function(source)
    status, body = configure(cloud, name, **logging)
    assert status == 200, body
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=logging.get("LogGroup", f"/aws/lambda/{name}"))
    return name


def lines(logs, group):
    try:
        return [event["message"].rstrip("\n") for event in logs.filter_log_events(logGroupName=group)["events"]]
    except logs.exceptions.ResourceNotFoundException:
        return []


def records(logs, group, last="platform.report"):
    """Everything up to the report, parsed where it is JSON."""
    found = eventually(lambda: (found := lines(logs, group)) and f'"{last}"' in found[-1] and found, "the report is there")
    return [json.loads(line) if line.startswith("{") else line for line in found]


def of_level(found, level):
    return [record for record in found if isinstance(record, dict) and record.get("level") == level]


def platform(found):
    return {record["type"]: record["record"] for record in found if isinstance(record, dict) and "type" in record}


def test_text_begins_with_the_process(cloud, logs):
    name = cloud.create_function(PYTHON)
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=f"/aws/lambda/{name}")
    cloud.invoke(name, {})
    found = eventually(lambda: (found := lines(logs, f"/aws/lambda/{name}")) and "REPORT" in found[-1] and found)
    assert re.fullmatch(r"INIT_START Runtime Version: python:3\.12\.v\d+\tRuntime Version ARN: "
                        r"arn:aws:lambda:[a-z0-9-]+::runtime:[0-9a-f]{64}", found[0])
    assert cloud.invoke(name, {"environment": True})[1] == ["Text", None]


# AWS starts it once more in the first invocation, too.
def test_a_function_that_cannot_be_started_is_told_in_its_log(cloud, logs):
    name = cloud.create_function("import nonsense_module\ndef handler(event, context): pass\n")
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=f"/aws/lambda/{name}")
    cloud.invoke(name, {})
    cloud.invoke(name, {})
    found = eventually(lambda: (found := lines(logs, f"/aws/lambda/{name}")) and
                       len([line for line in found if line.startswith("REPORT")]) == 2 and found, "both are reported")
    failed = r"Status: error\tError Type: Runtime\.ImportModuleError"
    starts = [line for line in found if line.startswith("INIT_REPORT")]
    for phase in ("init", "invoke"):
        assert any(re.fullmatch(rf"INIT_REPORT Init Duration: [\d.]+ ms\tPhase: {phase}\t{failed}\t?", line)
                   for line in starts), found
    assert all(re.search(rf"\t{failed}\t?$", line) for line in found if line.startswith("REPORT")), found


def test_a_record_tells_of_a_function_that_cannot_be_started(cloud, logs):
    name = make(cloud, logs, "import nonsense_module\ndef handler(event, context): pass\n", LogFormat="JSON")
    cloud.invoke(name, {})
    found = platform(records(logs, f"/aws/lambda/{name}"))
    report = found["platform.initReport"]
    assert (report["initializationType"], report["status"], report["errorType"]) == (
        "on-demand", "error", "Runtime.ImportModuleError")
    assert report["phase"] in ("init", "invoke") and report["metrics"]["durationMs"] > 0
    assert (found["platform.report"]["status"], found["platform.report"]["errorType"]) == (
        "error", "Runtime.ImportModuleError")


def test_what_is_described(cloud, logs):
    name = cloud.create_function(PYTHON)
    group = f"/aws/lambda/{name}"
    assert described(cloud, name) == {"LogFormat": "Text", "LogGroup": group}
    configure(cloud, name, LogFormat="JSON")
    assert described(cloud, name) == {"LogFormat": "JSON", "ApplicationLogLevel": "INFO", "SystemLogLevel": "INFO",
                                      "LogGroup": group}
    configure(cloud, name, ApplicationLogLevel="ERROR", SystemLogLevel="DEBUG")
    assert described(cloud, name) == {"LogFormat": "JSON", "ApplicationLogLevel": "ERROR", "SystemLogLevel": "DEBUG",
                                      "LogGroup": group}
    assert cloud.invoke(name, {"environment": True})[1] == ["JSON", "ERROR"]
    configure(cloud, name, LogFormat="Text")
    assert described(cloud, name) == {"LogFormat": "Text", "LogGroup": group}
    status, body = configure(cloud, name, ApplicationLogLevel="ERROR")
    assert status == 400 and "LogFormat is JSON" in body["message"]
    assert configure(cloud, name, LogFormat="JSON", ApplicationLogLevel="LOUD")[0] == 400
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=group)


def test_the_platforms_records(cloud, logs):
    name = make(cloud, logs, LogFormat="JSON")
    answer, _ = cloud.invoke(name, {})
    request = answer["ResponseMetadata"]["RequestId"]
    found = records(logs, f"/aws/lambda/{name}")
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record["time"]) for record in found
               if isinstance(record, dict) and "type" in record)
    of_platform = platform(found)
    assert list(of_platform) == ["platform.initStart", "platform.start", "platform.report"]
    assert of_platform["platform.initStart"]["functionName"] == name
    assert of_platform["platform.initStart"]["initializationType"] == "on-demand"
    assert of_platform["platform.start"] == {"requestId": request, "version": "$LATEST"}
    report = of_platform["platform.report"]
    assert report["requestId"] == request and report["status"] == "success"
    metrics = report["metrics"]
    assert set(metrics) == {"durationMs", "billedDurationMs", "memorySizeMB", "maxMemoryUsedMB", "initDurationMs"}
    assert metrics["billedDurationMs"] >= metrics["durationMs"] > 0


def test_the_systems_level(cloud, logs):
    name = make(cloud, logs, LogFormat="JSON", SystemLogLevel="DEBUG")
    cloud.invoke(name, {})
    assert platform(records(logs, f"/aws/lambda/{name}"))["platform.runtimeDone"]["status"] == "success"

    name = make(cloud, logs, LogFormat="JSON", SystemLogLevel="WARN")
    cloud.invoke(name, {})
    cloud.invoke(name, {"fail": True})
    found = platform(records(logs, f"/aws/lambda/{name}"))
    assert list(found) == ["platform.runtimeDone", "platform.report"]  # of the one that failed
    assert found["platform.report"]["status"] == "error"


def test_a_timeout_is_in_the_report(cloud, logs):
    name = make(cloud, logs, "import time\ndef handler(event, context): time.sleep(60)", LogFormat="JSON")
    cloud.functions.update_function_configuration(FunctionName=name, Timeout=1)
    cloud.invoke(name, {})
    found = records(logs, f"/aws/lambda/{name}")
    report = platform(found)["platform.report"]
    assert (report["status"], report["errorType"]) == ("timeout", "Sandbox.Timedout")
    assert not any(isinstance(record, str) for record in found)


def test_pythons_records(cloud, logs):
    name = make(cloud, logs, LogFormat="JSON")
    answer, _ = cloud.invoke(name, {"fail": True})
    request = answer["ResponseMetadata"]["RequestId"]
    found = records(logs, f"/aws/lambda/{name}")
    assert "printed" in found  # what is printed stays as it is
    assert not of_level(found, "DEBUG")
    info, = of_level(found, "INFO")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", info.pop("timestamp"))
    assert info == {"level": "INFO", "message": "sold tea", "logger": "shop", "requestId": request, "pots": 3}
    error, = of_level(found, "ERROR")
    assert (error["message"], error["errorType"], error["errorMessage"]) == (
        "cannot divide", "ZeroDivisionError", "division by zero")
    assert "1 / 0" in "".join(error["stackTrace"]) and error["location"].endswith(":handler:14")
    failure, = (record for record in found if isinstance(record, dict) and record.get("log_level") == "ERROR")
    assert (failure["errorType"], failure["requestId"]) == ("KeyError", request) and failure["stackTrace"]


def test_the_applications_level(cloud, logs):
    name = make(cloud, logs, LogFormat="JSON", ApplicationLogLevel="DEBUG")
    cloud.invoke(name, {})
    assert [record["message"] for record in of_level(records(logs, f"/aws/lambda/{name}"), "DEBUG")] == ["too quiet"]
    name = make(cloud, logs, LogFormat="JSON", ApplicationLogLevel="ERROR")
    cloud.invoke(name, {})
    found = records(logs, f"/aws/lambda/{name}")
    assert not of_level(found, "WARNING") and len(of_level(found, "ERROR")) == 1


def test_nodes_records(cloud, logs):
    name = make(cloud, logs, NODE, NODE_RUNTIME, LogFormat="JSON")
    answer, _ = cloud.invoke(name, {"fail": True})
    request = answer["ResponseMetadata"]["RequestId"]
    found = records(logs, f"/aws/lambda/{name}")
    assert not of_level(found, "DEBUG")
    first, second = of_level(found, "INFO")
    assert list(first) == ["timestamp", "level", "requestId", "message"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first["timestamp"])
    assert (first["message"], first["requestId"]) == ("sold tea", request)
    assert second["message"] == {"pots": 3}
    warning, = of_level(found, "WARN")
    assert warning["message"].startswith("few TypeError: left")
    assert (warning["errorType"], warning["errorMessage"]) == ("TypeError", "left")
    error, failure = of_level(found, "ERROR")
    assert (error["message"]["errorType"], error["message"]["errorMessage"]) == ("RangeError", "out")
    assert error["message"]["stackTrace"][0] == "RangeError: out"
    assert (failure["message"]["errorType"], failure["message"]["errorMessage"]) == ("Error", "gone")
    assert failure["message"]["stackTrace"]


def test_nodes_level(cloud, logs):
    name = make(cloud, logs, NODE, NODE_RUNTIME, LogFormat="JSON", ApplicationLogLevel="WARN")
    cloud.invoke(name, {})
    found = records(logs, f"/aws/lambda/{name}")
    assert not of_level(found, "INFO") and len(of_level(found, "WARN")) == 1


def test_a_functions_own_environment_may_ask_for_json(cloud, logs):
    name = cloud.create_function(PYTHON, Environment={"Variables": {
        "AWS_LAMBDA_LOG_FORMAT": "JSON", "AWS_LAMBDA_LOG_LEVEL": "nonsense"}})
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=f"/aws/lambda/{name}")
    cloud.invoke(name, {})
    found = eventually(lambda: (found := lines(logs, f"/aws/lambda/{name}")) and "REPORT" in found[-1] and found)
    assert "sold tea" in [json.loads(line)["message"] for line in found if line.startswith("{")]


def test_a_chosen_group_has_the_functions_name_in_its_streams(cloud, logs):
    group = unique("/tests/chosen")
    name = make(cloud, logs, LogFormat="JSON", LogGroup=group)
    cloud.invoke(name, {})
    records(logs, group)
    stream, = logs.describe_log_streams(logGroupName=group)["logStreams"]
    assert re.fullmatch(rf"\d{{4}}/\d\d/\d\d/{name}\[\$LATEST\][0-9a-f]{{32}}", stream["logStreamName"])
    assert described(cloud, name)["LogGroup"] == group


def test_a_published_version_keeps_its_logging(cloud, logs):
    name = make(cloud, logs, LogFormat="JSON", ApplicationLogLevel="ERROR")
    version = cloud.functions.publish_version(FunctionName=name)["Version"]
    configure(cloud, name, LogFormat="Text")
    assert cloud.invoke(name, {"environment": True}, Qualifier=version)[1] == ["JSON", "ERROR"]
    assert cloud.invoke(name, {"environment": True})[1] == ["Text", None]

"""Functions, their versions, settings and mappings with the AWS CLI. Debian's does not know PutFunctionRecursionConfig
and GetFunctionRecursionConfig (tests/test_lambda_async.py has them)."""
import json

import pytest

from awscli_support import aws, refused  # noqa: F401  the fixture
from harness import ROLE, quietly, unique, zip_of

pytestmark = pytest.mark.local

ANSWER = "def handler(event, context):\n    return '%s'\n"


@pytest.fixture
def run(aws):  # noqa: F811
    """run("get-function", function_name=…)"""
    def call(*arguments, **options):
        return aws("lambda", *arguments, **options)
    call.error = lambda *arguments, **options: aws.error("lambda", *arguments, **options)
    return call


@pytest.fixture
def package(tmp_path):
    """package(word): a package whose function says the word, as an argument."""
    def package(word):
        (tmp_path / f"{word}.zip").write_bytes(zip_of({"app.py": ANSWER % word}))
        return f"fileb://{tmp_path}/{word}.zip"
    return package


@pytest.fixture
def function(run, cloud, package):
    name = unique("cli")
    cloud.cleanup.callback(quietly, cloud.functions.delete_function, FunctionName=name)
    run("create-function", function_name=name, runtime="python3.12", handler="app.handler", role=ROLE,
        zip_file=package("one"), tags={"made": "here"})
    run("wait", "function-active-v2", function_name=name)
    return name


@pytest.fixture
def said(run, tmp_path):
    """said(function): what it answers."""
    def said(function, **more):
        answer = run("invoke", tmp_path / "out", function_name=function, **more)
        return answer["ExecutedVersion"], json.loads((tmp_path / "out").read_text())
    return said


def not_found(operation, what="Function not found: "):
    return refused(operation, "ResourceNotFoundException", what)


def test_a_function_is_changed_listed_and_deleted(run, function, said, package, tmp_path):
    got = run("get-function", function_name=function)
    assert got["Configuration"]["FunctionName"] == function and got["Tags"] == {"made": "here"}
    assert said(function) == ("$LATEST", "one")
    run("update-function-code", function_name=function, zip_file=package("two"))
    run("wait", "function-updated-v2", function_name=function)
    assert said(function) == ("$LATEST", "two")
    before = run("get-function-configuration", function_name=function)
    assert before["CodeSha256"] != got["Configuration"]["CodeSha256"]
    run("update-function-configuration", function_name=function, timeout=9, description="changed")
    run("wait", "function-updated-v2", function_name=function)
    after = run("get-function-configuration", function_name=function)
    assert (before["Timeout"], after["Timeout"], after["Description"]) == (3, 9, "changed")
    listed = run("list-functions", page_size=1)["Functions"]
    assert [each["Timeout"] for each in listed if each["FunctionName"] == function] == [9]

    assert run.error("update-function-configuration", function_name=function, timeout=10,
                     revision_id=before["RevisionId"]).startswith(
        refused("UpdateFunctionConfiguration", "PreconditionFailedException"))
    assert run.error("create-function", function_name=function, runtime="python3.12", handler="app.handler", role=ROLE,
                     zip_file=package("one")) == refused(
        "CreateFunction", "ResourceConflictException", f"Function already exist: {function}")
    assert run.error("update-function-code", function_name=function, zip_file=package("one"),
                     revision_id=before["RevisionId"]).startswith(
        refused("UpdateFunctionCode", "PreconditionFailedException"))
    assert run.error("list-functions", function_version="SOME").startswith(
        refused("ListFunctions", "ValidationException"))
    run("delete-function", function_name=function)
    for command, operation, more in (
            ("get-function", "GetFunction", {}), ("get-function-configuration", "GetFunctionConfiguration", {}),
            ("update-function-configuration", "UpdateFunctionConfiguration", {"timeout": 3}),
            ("update-function-code", "UpdateFunctionCode", {"zip_file": package("one")}),
            ("delete-function", "DeleteFunction", {})):
        assert run.error(command, function_name=function, **more).startswith(not_found(operation))
    assert run.error("invoke", tmp_path / "out", function_name=function).startswith(not_found("Invoke"))


def test_events_are_sent_by_the_old_operation_and_the_new(run, cloud, tmp_path):
    function = cloud.recorder()
    for name in ("old", "new"):
        (tmp_path / name).write_text(json.dumps({"sent": name}))
    assert run("invoke-async", function_name=function, invoke_args=str(tmp_path / "old")) == {"Status": 202}
    assert run("invoke", tmp_path / "out", function_name=function, invocation_type="Event",
               payload=f"fileb://{tmp_path}/new") == {"StatusCode": 202}
    assert sorted(event["sent"] for event in cloud.wait_for_events(function, 2)) == ["new", "old"]
    assert run.error("invoke-async", function_name=unique("none"), invoke_args=str(tmp_path / "old")).startswith(
        not_found("InvokeAsync"))
    (tmp_path / "bad").write_text("{not json")
    assert run.error("invoke-async", function_name=function, invoke_args=str(tmp_path / "bad")).startswith(
        refused("InvokeAsync", "InvalidRequestContentException"))


def test_an_alias_is_moved_from_version_to_version(run, function, said, package):
    versions = {"function_name": function}
    assert run("publish-version", **versions, description="the first")["Version"] == "1"
    run("update-function-code", **versions, zip_file=package("two"))
    run("wait", "function-updated-v2", **versions)
    assert run.error("publish-version", **versions, code_sha256="bm90aGluZw==").startswith(
        refused("PublishVersion", "InvalidParameterValueException", "CodeSHA256 (bm90aGluZw==) is different from "
                "current CodeSHA256 in $LATEST"))
    run("publish-version", **versions)
    assert [each["Version"] for each in run("list-versions-by-function", **versions, page_size=1)["Versions"]] == [
        "$LATEST", "1", "2"]
    live = {"function_name": function, "name": "live"}
    run("create-alias", **live, function_version="1")
    assert said(function, qualifier="live") == ("1", "one")
    run("update-alias", **live, function_version="2", description="moved")
    assert said(function, qualifier="live") == ("2", "two")
    shown = run("get-alias", **live)
    assert (shown["FunctionVersion"], shown["Description"]) == ("2", "moved")
    assert [each["Name"] for each in run("list-aliases", **versions, function_version="2")["Aliases"]] == ["live"]
    assert run("list-aliases", **versions, function_version="1")["Aliases"] == []
    assert run.error("create-alias", **live, function_version="1").startswith(
        refused("CreateAlias", "ResourceConflictException", "Alias already exists"))
    assert run.error("update-alias", **live, function_version="7").startswith(not_found("UpdateAlias"))
    assert run.error("delete-function", **versions, qualifier="2").startswith(
        refused("DeleteFunction", "ResourceConflictException"))
    run("delete-alias", **live)
    assert run("list-aliases", **versions)["Aliases"] == []
    assert run.error("get-alias", **live).startswith(not_found("GetAlias", "Cannot find alias arn: "))
    for command, operation, more in (
            ("publish-version", "PublishVersion", {}), ("list-versions-by-function", "ListVersionsByFunction", {}),
            ("list-aliases", "ListAliases", {}),
            ("create-alias", "CreateAlias", {"name": "live", "function_version": "1"})):
        assert run.error(command, function_name=unique("none"), **more).startswith(not_found(operation))
    # Deleting what is not there is fine, unless the function is not there either.
    run("delete-alias", **live)


def test_who_may_invoke_a_function_is_said_and_taken_back(run, function):
    statement = {"statement_id": "topic", "action": "lambda:InvokeFunction", "principal": "sns.amazonaws.com",
                 "source_arn": "arn:aws:sns:us-east-1:123456789012:alarms"}
    added = json.loads(run("add-permission", function_name=function, **statement)["Statement"])
    assert added["Principal"] == {"Service": "sns.amazonaws.com"}
    assert added["Condition"] == {"ArnLike": {"AWS:SourceArn": statement["source_arn"]}}
    policy = run("get-policy", function_name=function)
    assert json.loads(policy["Policy"])["Statement"] == [added]
    assert run.error("add-permission", function_name=function, **statement) == refused(
        "AddPermission", "ResourceConflictException", "The statement id (topic) provided already exists. Please "
        "provide a new statement id, or remove the existing statement.")
    assert run.error("remove-permission", function_name=function, statement_id="none") == not_found(
        "RemovePermission", "Statement none is not found in resource policy.")
    run("remove-permission", function_name=function, statement_id="topic", revision_id=policy["RevisionId"])
    assert run.error("get-policy", function_name=function) == not_found(
        "GetPolicy", "The resource you requested does not exist.")


def test_what_is_reserved_for_a_function_is_taken_from_the_account(run, function):
    def unreserved():
        return run("get-account-settings")["AccountLimit"]["UnreservedConcurrentExecutions"]
    before, reserved = unreserved(), {"ReservedConcurrentExecutions": 5}
    assert run("put-function-concurrency", function_name=function, reserved_concurrent_executions=5) == reserved
    assert run("get-function-concurrency", function_name=function) == reserved and unreserved() == before - 5
    error = run.error("put-function-concurrency", function_name=function, reserved_concurrent_executions=before)
    assert error.startswith(refused("PutFunctionConcurrency", "InvalidParameterValueException"))
    assert "decreases account's UnreservedConcurrentExecution below its minimum value" in error
    run("delete-function-concurrency", function_name=function)
    assert "ReservedConcurrentExecutions" not in (run("get-function-concurrency", function_name=function) or {})
    assert unreserved() == before
    for command, operation in (("get-function-concurrency", "GetFunctionConcurrency"),
                               ("delete-function-concurrency", "DeleteFunctionConcurrency")):
        assert run.error(command, function_name=unique("none")).startswith(not_found(operation))


def test_what_becomes_of_events_is_set_changed_and_forgotten(run, cloud, function):
    arn = run("get-function-configuration", function_name=function)["FunctionArn"]
    nothing = f"The function {arn}:$LATEST doesn't have an EventInvokeConfig"
    assert run.error("get-function-event-invoke-config", function_name=function) == not_found(
        "GetFunctionEventInvokeConfig", nothing)
    told = {"OnFailure": {"Destination": cloud.queue_arn(cloud.create_queue())}}
    run("put-function-event-invoke-config", function_name=function, maximum_retry_attempts=1)
    run("update-function-event-invoke-config", function_name=function, maximum_event_age_in_seconds=100,
        destination_config=told)
    got = run("get-function-event-invoke-config", function_name=function)
    assert (got["MaximumRetryAttempts"], got["MaximumEventAgeInSeconds"]) == (1, 100)
    assert got["DestinationConfig"]["OnFailure"] == told["OnFailure"]
    listed = run("list-function-event-invoke-configs", function_name=function)["FunctionEventInvokeConfigs"]
    assert [each["FunctionArn"] for each in listed] == [f"{arn}:$LATEST"]
    run("delete-function-event-invoke-config", function_name=function)
    assert run("list-function-event-invoke-configs", function_name=function)["FunctionEventInvokeConfigs"] == []
    for command, operation, more in (
            ("get", "GetFunctionEventInvokeConfig", {}), ("delete", "DeleteFunctionEventInvokeConfig", {}),
            ("update", "UpdateFunctionEventInvokeConfig", {"maximum_retry_attempts": 1})):
        assert run.error(f"{command}-function-event-invoke-config", function_name=function, **more) == not_found(
            operation, nothing)
    assert run.error("put-function-event-invoke-config", function_name=unique("none"), maximum_retry_attempts=1) == (
        not_found("PutFunctionEventInvokeConfig", "The function doesn't exist."))
    assert run.error("list-function-event-invoke-configs", function_name=unique("none")) == not_found(
        "ListFunctionEventInvokeConfigs", "The function doesn't exist.")


def test_functions_are_tagged(run, function):
    arn = run("get-function-configuration", function_name=function)["FunctionArn"]
    run("tag-resource", resource=arn, tags={"made": "there", "stage": "test"})
    assert run("list-tags", resource=arn)["Tags"] == {"made": "there", "stage": "test"}
    run("untag-resource", resource=arn, tag_keys=["made", "none"])
    assert run("list-tags", resource=arn)["Tags"] == {"stage": "test"}
    for command, operation, more in (("tag-resource", "TagResource", {"tags": {"a": "1"}}),
                                     ("list-tags", "ListTags", {}),
                                     ("untag-resource", "UntagResource", {"tag_keys": ["a"]})):
        assert run.error(command, resource=arn + "-none", **more).startswith(not_found(operation))


def test_a_mapping_is_made_changed_and_deleted(run, cloud, function):
    pair = {"function_name": function, "event_source_arn": cloud.queue_arn(cloud.create_queue())}
    mapping = run("create-event-source-mapping", "--no-enabled", **pair, batch_size=5)["UUID"]
    cloud.cleanup.callback(quietly, cloud.functions.delete_event_source_mapping, UUID=mapping)
    cloud.wait_for_mapping(mapping, "Disabled")
    [listed] = run("list-event-source-mappings", function_name=function)["EventSourceMappings"]
    assert (listed["UUID"], listed["BatchSize"]) == (mapping, 5)
    run("update-event-source-mapping", uuid=mapping, batch_size=7)
    cloud.wait_for_mapping(mapping, "Disabled")
    assert run("get-event-source-mapping", uuid=mapping)["BatchSize"] == 7
    assert run.error("create-event-source-mapping", **pair).startswith(
        refused("CreateEventSourceMapping", "ResourceConflictException"))
    assert run("delete-event-source-mapping", uuid=mapping)["State"] == "Deleting"
    for command, operation, more in (
            ("get", "GetEventSourceMapping", {}), ("delete", "DeleteEventSourceMapping", {}),
            ("update", "UpdateEventSourceMapping", {"batch_size": 1})):
        assert run.error(f"{command}-event-source-mapping", uuid="00000000-0000-0000-0000-000000000000", **more) == (
            not_found(operation, "The resource you requested does not exist."))
    assert run.error("list-event-source-mappings", function_name="with space").startswith(
        refused("ListEventSourceMappings", "ValidationException"))

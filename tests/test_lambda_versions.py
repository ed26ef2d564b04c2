"""Versions and aliases: what is published, what stays, and where calls go."""
import collections
import json

import pytest

from harness import eventually, refused, unique, zip_of

TELL = "def handler(event, context):\n    return ['%s', context.function_version, context.invoked_function_arn]\n"


@pytest.fixture
def function(cloud):
    return cloud.create_function(None, files={"app.py": TELL % "one"})


def change(cloud, function, word, **more):
    answer = cloud.functions.update_function_code(
        FunctionName=function, ZipFile=zip_of({"app.py": TELL % word}), **more)
    cloud.functions.get_waiter("function_updated_v2").wait(FunctionName=function, WaiterConfig={"Delay": 1})
    return answer


def test_a_version_stays_as_it_was(cloud, functions, function):
    published = functions.publish_version(FunctionName=function, Description="the first")
    assert published["Version"] == "1" and published["Description"] == "the first"
    assert published["FunctionArn"].endswith(f":{function}:1")
    change(cloud, function, "two")
    answer, [word, version, arn] = cloud.invoke(function, Qualifier="1")
    assert (word, version) == ("one", "1") and arn.endswith(f":{function}:1")
    assert answer["ExecutedVersion"] == "1"
    answer, [word, version, arn] = cloud.invoke(f"{function}:$LATEST")
    assert (word, version) == ("two", "$LATEST")
    assert cloud.invoke(published["FunctionArn"])[1][0] == "one"


def test_what_has_not_changed_is_not_published_anew(cloud, functions, function):
    first = functions.publish_version(FunctionName=function)
    assert functions.publish_version(FunctionName=function)["Version"] == first["Version"] == "1"
    assert change(cloud, function, "two", Publish=True)["Version"] == "2"
    listed = functions.list_versions_by_function(FunctionName=function)["Versions"]
    assert [each["Version"] for each in listed] == ["$LATEST", "1", "2"]
    assert [each["CodeSha256"] == first["CodeSha256"] for each in listed] == [False, True, False]


def test_versions_are_paged(cloud, functions, function):
    for word in ("two", "three", "four"):
        change(cloud, function, word, Publish=True)
    pages = functions.get_paginator("list_versions_by_function").paginate(
        FunctionName=function, PaginationConfig={"PageSize": 2})
    found = [[version["Version"] for version in page["Versions"]] for page in pages]
    assert sum(found, []) == ["$LATEST", "1", "2", "3"] and all(len(page) <= 2 for page in found)


def test_a_version_that_is_not_as_expected_is_not_published(functions, function):
    with refused("InvalidParameterValueException", "is different from current CodeSHA256 in $LATEST"):
        functions.publish_version(FunctionName=function, CodeSha256="bm90aGluZw==")
    with refused("PreconditionFailedException"):
        functions.publish_version(FunctionName=function, RevisionId="00000000-0000-0000-0000-000000000000")


def test_a_function_may_be_published_as_it_is_created(cloud, functions):
    name = cloud.create_function(None, files={"app.py": TELL % "one"}, Publish=True)
    assert cloud.invoke(name, Qualifier="1")[1][1] == "1"


def test_an_alias_lives_from_creation_to_deletion(cloud, functions, function):
    change(cloud, function, "one", Publish=True)
    change(cloud, function, "two", Publish=True)
    created = functions.create_alias(FunctionName=function, Name="live", FunctionVersion="1", Description="the one")
    assert created["AliasArn"].endswith(f":{function}:live") and "RoutingConfig" not in created
    answer, [word, version, arn] = cloud.invoke(function, Qualifier="live")
    assert (word, version, answer["ExecutedVersion"]) == ("one", "1", "1") and arn.endswith(":live")
    updated = functions.update_alias(FunctionName=function, Name="live", FunctionVersion="2")
    assert updated["Description"] == "the one" and updated["RevisionId"] != created["RevisionId"]
    assert cloud.invoke(f"{function}:live")[0]["ExecutedVersion"] == "2"
    got = functions.get_function(FunctionName=function, Qualifier="live")["Configuration"]
    assert got["Version"] == "2" and got["FunctionArn"].endswith(":live")
    assert [each["Name"] for each in functions.list_aliases(FunctionName=function)["Aliases"]] == ["live"]
    assert functions.list_aliases(FunctionName=function, FunctionVersion="1")["Aliases"] == []
    functions.delete_alias(FunctionName=function, Name="live")
    with refused("ResourceNotFoundException", "Cannot find alias arn"):
        functions.get_alias(FunctionName=function, Name="live")
    with refused("ResourceNotFoundException", "Function not found"):
        cloud.invoke(function, Qualifier="live")


def test_an_alias_shares_calls_out_by_weight(cloud, functions, function):
    change(cloud, function, "one", Publish=True)
    change(cloud, function, "two", Publish=True)
    functions.create_alias(FunctionName=function, Name="live", FunctionVersion="1",
                           RoutingConfig={"AdditionalVersionWeights": {"2": 0.5}})
    seen = collections.Counter()

    def both():
        seen[cloud.invoke(function, Qualifier="live")[1][1]] += 1
        return len(seen) == 2
    eventually(both, "both versions")
    functions.update_alias(FunctionName=function, Name="live", RoutingConfig={"AdditionalVersionWeights": {"2": 1.0}})
    assert functions.get_alias(FunctionName=function, Name="live")["RoutingConfig"] == {
        "AdditionalVersionWeights": {"2": 1.0}}
    functions.update_alias(FunctionName=function, Name="live", RoutingConfig={})
    assert "RoutingConfig" not in functions.get_alias(FunctionName=function, Name="live")


def test_aliases_that_cannot_be_are_refused(cloud, functions, function):
    change(cloud, function, "one", Publish=True)
    with refused("ResourceNotFoundException", "Function not found"):
        functions.create_alias(FunctionName=function, Name="live", FunctionVersion="7")
    with refused("InvalidParameterValueException", "$LATEST is not supported for an alias pointing to more than 1 version"):
        functions.create_alias(FunctionName=function, Name="live", FunctionVersion="$LATEST",
                               RoutingConfig={"AdditionalVersionWeights": {"1": 0.5}})
    functions.create_alias(FunctionName=function, Name="live", FunctionVersion="1")
    with refused("ResourceConflictException", "Alias already exists"):
        functions.create_alias(FunctionName=function, Name="live", FunctionVersion="1")


def test_a_version_is_deleted_unless_an_alias_names_it(cloud, functions, function):
    change(cloud, function, "one", Publish=True)
    functions.create_alias(FunctionName=function, Name="live", FunctionVersion="1")
    with refused("ResourceConflictException", "aliases reference it"):
        functions.delete_function(FunctionName=function, Qualifier="1")
    functions.delete_alias(FunctionName=function, Name="live")
    functions.delete_function(FunctionName=function, Qualifier="1")
    with refused("ResourceNotFoundException", "Function not found"):
        cloud.invoke(function, Qualifier="1")
    assert cloud.invoke(function)[1][1] == "$LATEST"


def test_an_event_runs_the_version_that_it_names(cloud, functions, function):
    change(cloud, function, "one", Publish=True)
    url = cloud.create_queue()
    functions.create_alias(FunctionName=function, Name="live", FunctionVersion="1")
    functions.put_function_event_invoke_config(FunctionName=function, Qualifier="live", DestinationConfig={
        "OnSuccess": {"Destination": cloud.queue_arn(url)}})
    functions.invoke(FunctionName=function, Qualifier="live", InvocationType="Event", Payload=b"{}")
    [message] = eventually(lambda: cloud.sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1).get("Messages"), "a record")
    record = json.loads(message["Body"])
    assert record["responseContext"]["executedVersion"] == "1" and record["responsePayload"][0] == "one"
    assert record["requestContext"]["functionArn"].endswith(f":{function}:live")


def test_a_mapping_may_run_an_alias(cloud, functions):
    table = cloud.create_table(stream="NEW_IMAGE")
    recorder = cloud.recorder()
    functions.publish_version(FunctionName=recorder)
    functions.create_alias(FunctionName=recorder, Name="live", FunctionVersion="1")
    with refused("InvalidParameterValueException", "Function does not exist"):
        cloud.create_mapping(f"{recorder}:none", cloud.stream_arn(table))
    cloud.create_mapping(f"{recorder}:live", cloud.stream_arn(table))
    cloud.put_item(table, id="a")
    assert len(cloud.wait_for_records(recorder, 1)) == 1
    [mapping] = cloud.functions.list_event_source_mappings(
        EventSourceArn=cloud.stream_arn(table))["EventSourceMappings"]
    assert mapping["FunctionArn"].endswith(f":{recorder}:live")


def test_each_version_has_log_streams_of_its_own(cloud, functions):
    name = cloud.create_function("def handler(event, context):\n    return context.log_stream_name\n", Publish=True)
    assert "[1]" in cloud.invoke(name, Qualifier="1")[1]
    assert "[$LATEST]" in cloud.invoke(name)[1]


@pytest.mark.local
def test_versions_and_aliases_survive_a_restart(start_server):
    from harness import Cloud
    server = start_server()
    cloud = Cloud(server.endpoint)
    name = cloud.create_function(None, files={"app.py": TELL % "one"}, name=unique("kept"), Publish=True)
    cloud.functions.create_alias(FunctionName=name, Name="live", FunctionVersion="1")
    change(cloud, name, "two")
    server.kill()
    cloud = Cloud(server.start().endpoint)
    assert cloud.invoke(name, Qualifier="live")[1][0] == "one"
    assert cloud.invoke(name)[1][0] == "two"

"""Logs Insights: queries over log groups, from StartQuery to their results."""
import json
import time

import pytest
from botocore.exceptions import ClientError

from harness import Cloud, eventually, quietly, unique


@pytest.fixture
def logs(cloud):
    return cloud.client("logs")


def group_with(cloud, logs, messages):
    name = unique("group")
    logs.create_log_group(logGroupName=name)
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=name)
    logs.create_log_stream(logGroupName=name, logStreamName="s")
    now = int(time.time() * 1000)
    for at in range(0, len(messages), 5000):
        logs.put_log_events(logGroupName=name, logStreamName="s", logEvents=[
            {"timestamp": now, "message": message} for message in messages[at:at + 5000]])
    return name


def begin(logs, group, query, **more):
    now = int(time.time())
    answer = logs.start_query(logGroupName=group, startTime=now - 600, endTime=now + 60, queryString=query, **more)
    return answer["queryId"]


def ended(logs, query):
    def answer():
        found = logs.get_query_results(queryId=query)
        return found if found["status"] not in ("Scheduled", "Running") else None
    return eventually(answer, "the end of the query", deadline_seconds=180)


def rows(answer):
    return [{field["field"]: field["value"] for field in row if field["field"] != "@ptr"} for row in answer["results"]]


def ask(logs, group, query, **more):
    answer = ended(logs, begin(logs, group, query, **more))
    assert answer["status"] == "Complete"
    return rows(answer)


def test_fields_of_json_are_filtered_and_aggregated(cloud, logs):
    group = group_with(cloud, logs, [json.dumps(one) for one in (
        {"level": "ERROR", "ms": 120, "user": {"name": "ann"}}, {"level": "INFO", "ms": 10, "user": {"name": "bob"}},
        {"level": "ERROR", "ms": 80, "user": {"name": "bob"}})])
    assert ask(logs, group, 'filter level = "ERROR" | fields user.name, ms | sort ms desc') == [
        {"user.name": "ann", "ms": "120"}, {"user.name": "bob", "ms": "80"}]
    assert ask(logs, group, "stats count(*) as n, max(ms) as slowest by level | sort level") == [
        {"level": "ERROR", "n": "2", "slowest": "120"}, {"level": "INFO", "n": "1", "slowest": "10"}]
    assert len(ask(logs, group, "fields @message", limit=2)) == 2


def test_texts_are_parsed(cloud, logs):
    group = group_with(cloud, logs, ["user=ann method:get took 12ms", "user=bob method:put took 30ms", "other"])
    assert ask(logs, group, 'parse @message "user=* method:* took *ms" as who, how, ms '
                            "| filter ispresent(who) | stats sum(ms) as total by how | sort how") == [
        {"how": "get", "total": "12"}, {"how": "put", "total": "30"}]
    by_regex = r"parse @message /user=(?<who>\w+)/ | filter who like /^a/ | display who"
    assert ask(logs, group, by_regex) == [{"who": "ann"}]


def test_what_a_function_reports_has_fields(cloud, logs):
    name = cloud.create_function("def handler(event, context):\n    print('hello')\n")
    cloud.cleanup.callback(quietly, logs.delete_log_group, logGroupName=f"/aws/lambda/{name}")
    cloud.invoke(name)

    def reports():
        if not logs.describe_log_groups(logGroupNamePrefix=f"/aws/lambda/{name}")["logGroups"]:
            return None
        return ask(logs, f"/aws/lambda/{name}", 'filter @type = "REPORT" | stats count(@duration) as n, '
                                                "max(@memorySize / 1000 / 1000) as mb | filter n > 0") or None
    assert eventually(reports) == [{"n": "1", "mb": "128"}]


def test_a_wrong_query_is_refused_with_the_place_of_its_fault(cloud, logs):
    group = group_with(cloud, logs, ["one"])
    with pytest.raises(ClientError) as caught:
        begin(logs, group, "fields @timestamp, custom_field | count()")
    assert caught.value.response["Error"]["Code"] == "MalformedQueryException"
    fault = caught.value.response.get("queryCompileError") or caught.value.response["Error"]
    assert "count" in (fault.get("message") or fault.get("Message"))
    with pytest.raises(ClientError) as caught:
        begin(logs, unique("none"), "fields @message")
    assert caught.value.response["Error"]["Code"] == "ResourceNotFoundException"


@pytest.mark.local
def test_a_long_query_is_stopped_or_goes_on_after_a_kill(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    logs = cloud.client("logs")
    group = group_with(cloud, logs, [json.dumps({"n": n, "text": "x" * 100}) for n in range(40_000)])
    stopped = begin(logs, group, "stats sum(n) as total by text")
    try:
        logs.stop_query(queryId=stopped)
        assert ended(logs, stopped)["status"] == "Cancelled"
    except logs.exceptions.InvalidParameterException:  # it was faster
        assert ended(logs, stopped)["status"] == "Complete"
    query = begin(logs, group, "stats sum(n) as total, count(*) as c")
    server.kill()
    server.start()
    logs = Cloud(server.endpoint).client("logs")
    assert rows(ended(logs, query)) == [{"total": str(sum(range(40_000))), "c": "40000"}]


def test_definitions_are_kept(cloud, logs):
    name = unique("definition")
    query = logs.put_query_definition(name=name, queryString="fields @message")["queryDefinitionId"]
    shown = logs.describe_query_definitions(queryDefinitionNamePrefix=name)["queryDefinitions"]
    assert [(one["name"], one["queryString"]) for one in shown] == [(name, "fields @message")]
    assert logs.delete_query_definition(queryDefinitionId=query)["success"]
    assert logs.describe_query_definitions(queryDefinitionNamePrefix=name)["queryDefinitions"] == []

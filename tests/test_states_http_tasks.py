"""Tasks that call endpoints over HTTP, with what a connection of EventBridge adds."""
import base64
import json

import pytest

from events_support import token_endpoint  # noqa: F401
from harness import eventually, quietly, unique
from sns_support import http_endpoint  # noqa: F401
from states_support import Execution, create_machine, run, sfn, task  # noqa: F401

pytestmark = pytest.mark.local
BASIC = {"AuthorizationType": "BASIC",
         "AuthParameters": {"BasicAuthParameters": {"Username": "miller", "Password": "tide"}}}
API_KEY = {"AuthorizationType": "API_KEY", "AuthParameters": {
    "ApiKeyAuthParameters": {"ApiKeyName": "X-Key", "ApiKeyValue": "secret"},
    "InvocationHttpParameters": {"BodyParameters": [{"Key": "tenant", "Value": "t1"}],
                                 "QueryStringParameters": [{"Key": "k", "Value": "v", "IsValueSecret": False}]}}}


@pytest.fixture
def connect(cloud):
    def create(parameters):
        events, name = cloud.client("events"), unique("connection")
        arn = events.create_connection(Name=name, **parameters)["ConnectionArn"]
        cloud.cleanup.callback(quietly, events.delete_connection, Name=name)
        return arn
    return create


def invoke(url, connection, **more):
    return task("arn:aws:states:::http:invoke",
                {"ApiEndpoint": url, "Method": "POST", "Authentication": {"ConnectionArn": connection}, **more})


def test_an_endpoint_gets_what_the_task_says_and_what_authorizes_it(run, connect, http_endpoint):
    execution = run(invoke(http_endpoint.url + "/brew", connect(BASIC), Headers={"X-Sort": "green"},
                           **{"RequestBody.$": "$"}), {"cups": 2})
    output = execution.output()
    assert output["StatusCode"] == 200 and output["Headers"]
    [(headers, body)] = http_endpoint.wait(1)
    assert headers["Authorization"] == "Basic " + base64.b64encode(b"miller:tide").decode()
    assert headers["X-Sort"] == "green" and headers["Content-Type"] == "application/json"
    assert json.loads(body) == {"cups": 2}
    history = json.dumps(execution.events(), default=str)
    assert "tide" not in history.replace("tidemill", "") and headers["Authorization"] not in history


def test_a_connections_parameters_go_along(run, connect, http_endpoint):
    run(invoke(http_endpoint.url, connect(API_KEY), RequestBody={"cups": 1},
               Transform={"RequestBodyEncoding": "URL_ENCODED"})).output()
    [(headers, body)] = http_endpoint.wait(1)
    assert headers["X-Key"] == "secret"
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert (body.decode() if isinstance(body, bytes) else body) == "cups=1&tenant=t1"


def test_an_answers_status_is_the_error(run, connect, http_endpoint):
    http_endpoint.answers = [418]
    error, _ = run(invoke(http_endpoint.url, connect(BASIC))).error()
    assert error == "States.Http.StatusCode.418"


def test_an_answers_status_is_retried(run, connect, http_endpoint):
    http_endpoint.answers = [503, 200]
    states = invoke(http_endpoint.url, connect(BASIC))
    states["Do"]["Retry"] = [{"ErrorEquals": ["States.Http.StatusCode.503"], "IntervalSeconds": 1}]
    assert run(states).output()["StatusCode"] == 200
    assert len(http_endpoint.wait(2)) == 2


def test_nobody_listens(run, connect):
    error, _ = run(invoke("http://127.0.0.1:1/", connect(BASIC))).error()
    assert error == "States.Http.Socket"


def test_a_connection_that_is_not_there(run, connect):
    error, cause = run(invoke("http://127.0.0.1:1/", connect(BASIC) + "x")).error()
    assert error == "States.Runtime" and "does not exist or is not authorized" in cause


# One token for many calls; one that is refused is asked for again.
def test_a_connection_of_oauth_brings_its_token(cloud, run, connect, http_endpoint, token_endpoint):
    connection = connect({"AuthorizationType": "OAUTH_CLIENT_CREDENTIALS", "AuthParameters": {"OAuthParameters": {
        "ClientParameters": {"ClientID": "shop", "ClientSecret": "sea"}, "HttpMethod": "POST",
        "AuthorizationEndpoint": f"http://127.0.0.1:{token_endpoint.server_port}/token"}}})
    name = connection.split("/")[1]
    events = cloud.client("events")
    eventually(lambda: events.describe_connection(Name=name)["ConnectionState"] == "AUTHORIZED", "the first token")
    http_endpoint.answers = [200, 401, 200]
    assert run(invoke(http_endpoint.url, connection)).output()["StatusCode"] == 200
    error, _ = run(invoke(http_endpoint.url, connection)).error()
    assert error == "States.Http.StatusCode.401"
    assert run(invoke(http_endpoint.url, connection)).output()["StatusCode"] == 200
    found = [headers["Authorization"] for headers, _ in http_endpoint.wait(3)]
    assert found == ["Bearer token-1", "Bearer token-1", "Bearer token-2"]

"""Connections and API destinations: events that go to URLs, authorized."""
import base64
import json

import pytest

from events_support import Inbox, TRUST, bus, create_bus, events, put, put_rule, token_endpoint  # noqa: F401
from harness import eventually, quietly, refused, unique
from sns_support import http_endpoint  # noqa: F401

SHOP = {"source": ["shop"]}
BASIC = {"AuthorizationType": "BASIC",
         "AuthParameters": {"BasicAuthParameters": {"Username": "miller", "Password": "tide"}}}


@pytest.fixture
def create_connection(cloud, events):
    """create_connection(**more): name and ARN."""
    def create(**more):
        name = unique("connection")
        arn = events.create_connection(Name=name, **(more or BASIC))["ConnectionArn"]
        cloud.cleanup.callback(quietly, events.delete_connection, Name=name)
        return name, arn
    return create


@pytest.fixture
def create_destination(cloud, events):
    def create(connection, url, method="POST", **more):
        name = unique("destination")
        made = events.create_api_destination(Name=name, ConnectionArn=connection, InvocationEndpoint=url,
                                             HttpMethod=method, **more)
        cloud.cleanup.callback(quietly, events.delete_api_destination, Name=name)
        assert made["ApiDestinationState"] == "ACTIVE"
        return name, made["ApiDestinationArn"]
    return create


@pytest.mark.local
def test_an_event_goes_to_a_url_with_what_authorizes_it(cloud, events, bus, http_endpoint, create_connection,
                                                        create_destination):
    _, connection = create_connection(**{**BASIC, "AuthParameters": {
        **BASIC["AuthParameters"], "InvocationHttpParameters": {
            "HeaderParameters": [{"Key": "X-Shop", "Value": "tea", "IsValueSecret": False}],
            "BodyParameters": [{"Key": "tenant", "Value": "t1", "IsValueSecret": True}]}}})
    _, destination = create_destination(connection, http_endpoint.url + "/*")
    put_rule(cloud, bus, SHOP, [{"Arn": destination, "RoleArn": TRUST, "InputPath": "$.detail", "HttpParameters": {
        "PathParameterValues": ["$.detail.id"], "HeaderParameters": {"X-Kind": "order"},
        "QueryStringParameters": {"n": "$.detail.n"}}}])
    put(events, bus, {"id": "a b", "n": 7})
    [(headers, body)] = http_endpoint.wait(1)
    assert headers["Authorization"] == "Basic " + base64.b64encode(b"miller:tide").decode()
    assert (headers["X-Shop"], headers["X-Kind"]) == ("tea", "order")
    assert json.loads(body) == {"id": "a b", "n": 7, "tenant": "t1"}


@pytest.mark.local
def test_a_url_that_fails_is_tried_again_and_one_that_refuses_is_not(cloud, events, bus, http_endpoint,
                                                                     create_connection, create_destination):
    _, connection = create_connection(AuthorizationType="API_KEY", AuthParameters={
        "ApiKeyAuthParameters": {"ApiKeyName": "X-Key", "ApiKeyValue": "secret"}})
    _, destination = create_destination(connection, http_endpoint.url)
    dead = Inbox(cloud)
    put_rule(cloud, bus, SHOP, [{"Arn": destination, "RoleArn": TRUST, "DeadLetterConfig": {"Arn": dead.arn}}])
    http_endpoint.answers = [503]
    put(events, bus, {"n": 1})
    found = http_endpoint.wait(2)
    assert [headers["X-Key"] for headers, _ in found] == ["secret", "secret"]
    http_endpoint.answers = [400]
    put(events, bus, {"n": 2})
    [message] = dead.messages()
    assert json.loads(message["Body"])["detail"] == {"n": 2}
    assert message["MessageAttributes"]["ERROR_MESSAGE"]["StringValue"] == "the endpoint answered 400"


def test_a_connection_shows_no_secrets(events, create_connection):
    name, arn = create_connection()
    found = events.describe_connection(Name=name)
    assert (found["ConnectionArn"], found["ConnectionState"]) == (arn, "AUTHORIZED")
    assert found["AuthParameters"] == {"BasicAuthParameters": {"Username": "miller"}}
    assert "tide" not in json.dumps(found, default=str).replace(name, "")
    assert [each["Name"] for each in events.list_connections(NamePrefix=name)["Connections"]] == [name]
    assert events.deauthorize_connection(Name=name)["ConnectionState"] in ("DEAUTHORIZED", "DEAUTHORIZING")
    assert events.update_connection(Name=name, **BASIC)["ConnectionState"] in ("AUTHORIZED", "AUTHORIZING")
    with refused("ResourceAlreadyExistsException", f"Connection {name} already exists."):
        events.create_connection(Name=name, **BASIC)
    events.delete_connection(Name=name)
    with refused("ResourceNotFoundException", name):
        events.describe_connection(Name=name)


def test_a_destination_lives_from_creation_to_deletion(events, create_connection, create_destination):
    _, connection = create_connection()
    name, arn = create_destination(connection, "https://example.com/orders", InvocationRateLimitPerSecond=5)
    found = events.describe_api_destination(Name=name)
    assert {key: found[key] for key in ("ApiDestinationArn", "ConnectionArn", "InvocationEndpoint", "HttpMethod",
                                        "InvocationRateLimitPerSecond", "ApiDestinationState")} == {
        "ApiDestinationArn": arn, "ConnectionArn": connection, "InvocationEndpoint": "https://example.com/orders",
        "HttpMethod": "POST", "InvocationRateLimitPerSecond": 5, "ApiDestinationState": "ACTIVE"}
    events.update_api_destination(Name=name, HttpMethod="PUT")
    [listed] = events.list_api_destinations(NamePrefix=name)["ApiDestinations"]
    assert listed["HttpMethod"] == "PUT"
    events.delete_api_destination(Name=name)
    with refused("ResourceNotFoundException", name):
        events.describe_api_destination(Name=name)


# One token for many calls; one that is refused is asked for again.
@pytest.mark.local
def test_a_token_is_asked_for_with_the_clients_credentials(cloud, events, bus, http_endpoint, token_endpoint,
                                                           create_connection, create_destination):
    url = f"http://127.0.0.1:{token_endpoint.server_port}/token"
    name, connection = create_connection(AuthorizationType="OAUTH_CLIENT_CREDENTIALS", AuthParameters={
        "OAuthParameters": {"ClientParameters": {"ClientID": "shop", "ClientSecret": "sea & salt"},
                            "AuthorizationEndpoint": url, "HttpMethod": "POST", "OAuthHttpParameters": {
                                "BodyParameters": [{"Key": "scope", "Value": "orders", "IsValueSecret": False}]}}})
    eventually(lambda: events.describe_connection(Name=name)["ConnectionState"] == "AUTHORIZED", "the first token")
    assert token_endpoint.asked == [{"grant_type": "client_credentials", "client_id": "shop",
                                     "client_secret": "sea & salt", "scope": "orders"}]
    described = events.describe_connection(Name=name)
    assert described["AuthParameters"]["OAuthParameters"]["ClientParameters"] == {"ClientID": "shop"}
    assert "salt" not in json.dumps(described, default=str)
    _, destination = create_destination(connection, http_endpoint.url)
    put_rule(cloud, bus, SHOP, [{"Arn": destination, "RoleArn": TRUST}])
    put(events, bus, {"n": 1})
    http_endpoint.wait(1)
    http_endpoint.answers = [401]
    put(events, bus, {"n": 2})
    found = http_endpoint.wait(3)
    assert [headers["Authorization"] for headers, _ in found] == ["Bearer token-1", "Bearer token-1", "Bearer token-2"]


@pytest.mark.local
def test_other_ways_to_connect_are_refused_by_name(events):
    with refused("ValidationException", "AuthParameters"):
        events.create_connection(Name=unique("c"), AuthorizationType="OAUTH_CLIENT_CREDENTIALS",
                                 AuthParameters=BASIC["AuthParameters"])


@pytest.mark.local  # AWS's message is not known
@pytest.mark.parametrize("name", ["Host", "content-length", "a b", "a:b", "a\r\nb"])
def test_headers_that_are_none_are_refused(cloud, events, bus, create_connection, create_destination, name):
    with refused("ValidationException"):
        create_connection(AuthorizationType="API_KEY", AuthParameters={
            "ApiKeyAuthParameters": {"ApiKeyName": name, "ApiKeyValue": "secret"}})
    _, connection = create_connection()
    _, destination = create_destination(connection, "http://127.0.0.1:9/")
    events.put_rule(Name="headers", EventBusName=bus, EventPattern=json.dumps(SHOP))
    cloud.cleanup.callback(quietly, events.delete_rule, Name="headers", EventBusName=bus)
    with refused("ValidationException"):
        events.put_targets(Rule="headers", EventBusName=bus, Targets=[
            {"Id": "t", "Arn": destination, "RoleArn": TRUST, "HttpParameters": {"HeaderParameters": {name: "v"}}}])


def test_what_an_event_says_begins_no_header(cloud, events, bus, http_endpoint, create_connection, create_destination):
    _, connection = create_connection()
    _, destination = create_destination(connection, http_endpoint.url)
    put_rule(cloud, bus, SHOP, [{"Arn": destination, "RoleArn": TRUST, "HttpParameters": {
        "HeaderParameters": {"X-Said": "$.detail.said"}}}])
    put(events, bus, {"said": "tea\r\nX-Forged: yes\r\n\r\nPOST /other HTTP/1.1"})
    [(headers, _)] = http_endpoint.wait(1)
    assert "X-Forged" not in headers and headers["X-Said"].startswith("tea")

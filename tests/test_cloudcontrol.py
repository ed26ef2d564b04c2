"""The Cloud Control API with boto3: resources by the types that stacks have, one by one."""
import json
import time

import pytest
import requests
from harness import Cloud, eventually, quietly, refused, unique

QUEUE, MACHINE, DASHBOARD = "AWS::SQS::Queue", "AWS::StepFunctions::StateMachine", "AWS::CloudWatch::Dashboard"
END_SECONDS = 180  # within which a request of a test is over
ROLE = "arn:aws:iam::{}:role/any"


@pytest.fixture
def control(cloud):
    return cloud.client("cloudcontrol")


@pytest.fixture
def name(cloud, control):
    name = unique("control")
    yield name
    for url in cloud.sqs.list_queues(QueueNamePrefix=name).get("QueueUrls", []):
        quietly(cloud.sqs.delete_queue, QueueUrl=url)


def over(control, event, expected="SUCCESS"):
    """The request once it is over."""
    def look():
        found = control.get_resource_request_status(RequestToken=event["RequestToken"])["ProgressEvent"]
        return found if found["OperationStatus"] not in ("PENDING", "IN_PROGRESS", "CANCEL_IN_PROGRESS") else None
    found = eventually(look, "the end of the request", deadline_seconds=END_SECONDS, interval_seconds=0.02)
    assert found["OperationStatus"] == expected, found.get("StatusMessage")
    return found


def make(control, kind, expected="SUCCESS", token=None, **state):
    more = {"ClientToken": token} if token else {}
    return over(control, control.create_resource(TypeName=kind, DesiredState=json.dumps(state), **more)["ProgressEvent"],
                expected)


def change(control, kind, identifier, *patch, **more):
    return control.update_resource(TypeName=kind, Identifier=identifier, PatchDocument=json.dumps(patch), **more)["ProgressEvent"]


def state(control, kind, identifier):
    found = control.get_resource(TypeName=kind, Identifier=identifier)
    assert found["TypeName"] == kind and found["ResourceDescription"]["Identifier"] == identifier
    return json.loads(found["ResourceDescription"]["Properties"])


def replace(path, value):
    return {"op": "replace", "path": path, "value": value}


def test_a_resource_lives_from_creation_to_deletion(cloud, control, name):
    made = make(control, QUEUE, QueueName=name, DelaySeconds=5, Tags=[{"Key": "a", "Value": "b"}])
    url = made["Identifier"]
    assert (made["TypeName"], made["Operation"]) == (QUEUE, "CREATE")
    found = state(control, QUEUE, url)
    assert (found["QueueName"], found["DelaySeconds"], found["Tags"]) == (name, 5, [{"Key": "a", "Value": "b"}])
    assert found["Arn"].endswith(f":{name}")
    changed = over(control, change(control, QUEUE, url, replace("/DelaySeconds", 7), {
        "op": "add", "path": "/Tags/-", "value": {"Key": "c", "Value": "d"}}))
    assert (changed["Operation"], changed["Identifier"]) == ("UPDATE", url)
    assert cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["DelaySeconds"])["Attributes"] == {"DelaySeconds": "7"}
    assert cloud.sqs.list_queue_tags(QueueUrl=url)["Tags"] == {"a": "b", "c": "d"}
    gone = over(control, control.delete_resource(TypeName=QUEUE, Identifier=url)["ProgressEvent"])
    assert gone["Operation"] == "DELETE"
    with refused("ResourceNotFoundException", f"Resource of type '{QUEUE}' with identifier '{url}' was not found."):
        state(control, QUEUE, url)
    with refused("ResourceNotFoundException"):
        change(control, QUEUE, url, replace("/DelaySeconds", 1))


def test_names_that_are_left_open_are_made_up(cloud, control, name):
    first, second = (make(control, QUEUE, DelaySeconds=1)["Identifier"] for _ in range(2))
    assert first != second
    for url in (first, second):
        over(control, control.delete_resource(TypeName=QUEUE, Identifier=url)["ProgressEvent"])


def test_the_definition_of_a_state_machine_is_changed(cloud, control, name):
    states = cloud.client("stepfunctions")
    first, second = ({"StartAt": "A", "States": {"A": {"Type": "Pass", "Result": one, "End": True}}} for one in (1, 2))
    account = cloud.client("sts").get_caller_identity()["Account"]
    made = make(control, MACHINE, StateMachineName=name, RoleArn=ROLE.format(account), DefinitionString=json.dumps(first),
                Tags=[{"Key": "a", "Value": "b"}])
    arn = made["Identifier"]
    assert arn.endswith(f":stateMachine:{name}")
    found = state(control, MACHINE, arn)
    assert (json.loads(found["DefinitionString"]), found["StateMachineType"], found["Arn"]) == (first, "STANDARD", arn)
    over(control, change(control, MACHINE, arn, replace("/DefinitionString", json.dumps(second))))
    assert json.loads(states.describe_state_machine(stateMachineArn=arn)["definition"]) == second
    assert states.list_tags_for_resource(resourceArn=arn)["tags"] == [{"key": "a", "value": "b"}]
    with refused("NotUpdatableException",
                 "Invalid patch update: createOnlyProperties [/properties/StateMachineName] cannot be updated"):
        change(control, MACHINE, arn, replace("/StateMachineName", "other"))
    listed = [one["Identifier"] for page in control.get_paginator("list_resources").paginate(TypeName=MACHINE)
              for one in page["ResourceDescriptions"]]
    assert arn in listed
    over(control, control.delete_resource(TypeName=MACHINE, Identifier=arn)["ProgressEvent"])


def test_lists_have_pages(control, name):
    body = json.dumps({"widgets": []})
    names = [make(control, DASHBOARD, DashboardName=f"{name}-{i}", DashboardBody=body)["Identifier"] for i in range(3)]
    found, token = [], None
    while True:
        page = control.list_resources(TypeName=DASHBOARD, MaxResults=1, **({"NextToken": token} if token else {}))
        assert len(page["ResourceDescriptions"]) == 1
        found += [one["Identifier"] for one in page["ResourceDescriptions"]]
        token = page.get("NextToken")
        if not token:
            break
    assert [one for one in found if one.startswith(name)] == names and len(set(found)) == len(found)
    for one in names:
        over(control, control.delete_resource(TypeName=DASHBOARD, Identifier=one)["ProgressEvent"])


def test_what_fails_says_why(control, name):
    failed = make(control, QUEUE, "FAILED", QueueName=name, VisibilityTimeout=99_999_999)
    assert failed["ErrorCode"] == "InvalidRequest" and "VisibilityTimeout" in failed["StatusMessage"]
    make(control, QUEUE, QueueName=name)
    again = make(control, QUEUE, "FAILED", QueueName=name)
    assert again["ErrorCode"] == "AlreadyExists" and "already exists" in again["StatusMessage"]


def test_what_cannot_be_is_refused(cloud, control, name):
    url = make(control, QUEUE, QueueName=name)["Identifier"]
    with refused("TypeNotFoundException"):
        control.get_resource(TypeName="AWS::Foo::Bar", Identifier="a")
    with refused("UnsupportedActionException", "Resource type AWS::CDK::Metadata does not support READ action"):
        control.get_resource(TypeName="AWS::CDK::Metadata", Identifier="a")
    for patch in ("{}", "no json", '[{"op":"turn","path":"/a"}]', '[{"op":"remove","path":"/Nothing"}]',
                  '[{"op":"add","path":"/Colour","value":"red"}]'):
        with refused("InvalidRequestException"):
            control.update_resource(TypeName=QUEUE, Identifier=url, PatchDocument=patch)
    doubling = json.dumps([{"op": "copy", "from": "", "path": f"/A{i}"} for i in range(40)])
    with refused("InvalidRequestException",
                 "Invalid patch update: the patch puts more than 262144 bytes into the resource"):
        control.update_resource(TypeName=QUEUE, Identifier=url, PatchDocument=doubling)
    with refused("InvalidRequestException"):
        control.create_resource(TypeName=QUEUE, DesiredState="[]")
    with refused("RequestTokenNotFoundException", "Request with token none was not found."):
        control.get_resource_request_status(RequestToken="none")


def test_a_client_token_makes_one_request(cloud, control, name):
    wanted = {"TypeName": QUEUE, "DesiredState": json.dumps({"QueueName": name}), "ClientToken": unique("token")}
    first = control.create_resource(**wanted)["ProgressEvent"]
    assert control.create_resource(**wanted)["ProgressEvent"]["RequestToken"] == first["RequestToken"]
    over(control, first)
    with refused("ClientTokenConflictException"):
        control.create_resource(**{**wanted, "DesiredState": json.dumps({"QueueName": f"{name}-b"})})
    requests = [one for page in control.get_paginator("list_resource_requests").paginate(
        ResourceRequestStatusFilter={"Operations": ["CREATE"], "OperationStatuses": ["SUCCESS"]})
        for one in page["ResourceRequestStatusSummaries"]]
    assert [one["RequestToken"] for one in requests].count(first["RequestToken"]) == 1
    with refused("ConcurrentModificationException"):
        control.cancel_resource_request(RequestToken=first["RequestToken"])


@pytest.mark.local
def test_a_request_that_is_throttled_tries_again(start_server):
    server, name = start_server(), unique("control")
    fault = {"service": "sqs", "operation": "CreateQueue", "effect": "throttle", "times": 3}
    assert requests.post(f"{server.endpoint}/_tidemill/faults", json=fault).ok
    make(Cloud(server.endpoint).client("cloudcontrol"), QUEUE, QueueName=name)
    assert requests.get(f"{server.endpoint}/_tidemill/faults").json()["faults"][0]["struck"] == 3


@pytest.mark.local
@pytest.mark.parametrize("seed", range(3))
def test_requests_go_on_through_kills(start_server, seed):
    server, name = start_server(), unique("control")
    control = Cloud(server.endpoint).client("cloudcontrol")
    tokens = [control.create_resource(TypeName=QUEUE, DesiredState=json.dumps({
        "QueueName": f"{name}-{i}", "DelaySeconds": i, "Tags": [{"Key": "number", "Value": str(i)}]}))["ProgressEvent"]
        for i in range(20)]
    for _ in range(3):
        time.sleep(0.005 * seed)  # the moment itself is the input; any will do
        server.kill()
        server.start()
    cloud = Cloud(server.endpoint)
    control = cloud.client("cloudcontrol")
    urls = [over(control, token)["Identifier"] for token in tokens]
    for i, url in enumerate(urls):
        url = cloud.sqs.get_queue_url(QueueName=url.rsplit("/", 1)[1])["QueueUrl"]
        found = state(control, QUEUE, url)
        assert (found["QueueName"], found["DelaySeconds"], found["Tags"]) == (
            f"{name}-{i}", i, [{"Key": "number", "Value": str(i)}])

"""What tests of stacks share: templates of queues, waiting for the end of operations, and what stacks really have."""
import json
import re
import urllib.parse
from xml.etree import ElementTree

from harness import eventually

QUEUE = "AWS::SQS::Queue"
END_SECONDS = 180  # within which an operation of a test has ended


def queue(**properties):
    return {"Type": QUEUE, "Properties": properties}


def template(resources=None, **sections):
    return json.dumps({"Resources": resources or {"Queue": queue()}, **sections})


def chain(count):
    """Queues of which each has a property of the one before it."""
    resources = {"Q0": queue(DelaySeconds=1)}
    for i in range(1, count):
        resources[f"Q{i}"] = queue(DelaySeconds=1, Tags=[{"Key": "before", "Value": {"Fn::GetAtt": f"Q{i - 1}.QueueName"}}])
    return resources


def settled(cfn, stack):
    """The stack once nothing is in progress any more."""
    def look():
        found = cfn.describe_stacks(StackName=stack)["Stacks"][0]
        return found if not found["StackStatus"].endswith("_IN_PROGRESS") else None
    return eventually(look, "the end of the stack's operation", deadline_seconds=END_SECONDS, interval_seconds=0.02)


def create(cfn, name, body, expected="CREATE_COMPLETE", **more):
    made = cfn.create_stack(StackName=name, TemplateBody=body, **more)
    stack = settled(cfn, made["StackId"])
    assert stack["StackStatus"] == expected, stack.get("StackStatusReason")
    return stack


def update(cfn, name, body, expected="UPDATE_COMPLETE", **more):
    cfn.update_stack(StackName=name, TemplateBody=body, **more)
    stack = settled(cfn, name)
    assert stack["StackStatus"] == expected, stack.get("StackStatusReason")
    return stack


def events(cfn, stack):
    """All of them, oldest first."""
    found = [one for page in cfn.get_paginator("describe_stack_events").paginate(StackName=stack)
             for one in page["StackEvents"]]
    return found[::-1]


def told(cfn, stack):
    return [(one["LogicalResourceId"], one["ResourceStatus"], one.get("ResourceStatusReason")) for one in events(cfn, stack)]


def resources(cfn, stack):
    return {one["LogicalResourceId"]: one for one in cfn.describe_stack_resources(StackName=stack)["StackResources"]}


def queue_state(cloud, stack, cfn):
    """What the stack's queues really are: for comparing before and after."""
    state = {}
    for logical, one in resources(cfn, stack).items():
        if one["ResourceStatus"].startswith("DELETE"):
            continue
        name = one["PhysicalResourceId"].rsplit("/", 1)[1]  # the rest of the URL is the server's, which may come back elsewhere
        url = cloud.sqs.get_queue_url(QueueName=name)["QueueUrl"]
        attributes = cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["DelaySeconds", "VisibilityTimeout"])
        state[logical] = (name, attributes["Attributes"], cloud.sqs.list_queue_tags(QueueUrl=url).get("Tags"))
    return state


def queue_names(cloud, prefix):
    urls = [url for page in cloud.sqs.get_paginator("list_queues").paginate(QueueNamePrefix=prefix)
            for url in page.get("QueueUrls", [])]
    return sorted(url.rsplit("/", 1)[1] for url in urls)


def change_set(cfn, name, body, kind, set_name="changes", **more):
    made = cfn.create_change_set(StackName=name, ChangeSetName=set_name, ChangeSetType=kind, TemplateBody=body, **more)
    return eventually(lambda: (found := cfn.describe_change_set(ChangeSetName=made["Id"]))["Status"] in (
        "CREATE_COMPLETE", "FAILED") and found)


def with_values(cloud, change_set_id):
    """The resources' changes with IncludePropertyValues, which clients before 2024 do not know: {logical id: element}."""
    form = urllib.parse.urlencode({"Action": "DescribeChangeSet", "Version": "2010-05-15", "IncludePropertyValues": "true",
                                   "ChangeSetName": change_set_id})
    _, _, body = cloud.raw("cloudformation", "POST", "/", form, {"content-type": "application/x-www-form-urlencoded"})
    root = ElementTree.fromstring(re.sub(rb' xmlns="[^"]*"', b"", body, count=1))
    return {one.findtext("LogicalResourceId"): one for one in root.iter("ResourceChange")}

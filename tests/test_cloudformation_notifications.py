"""The topics of a stack (NotificationARNs) are told of its events."""
import re

import pytest
from cloudformation_support import create, events, settled, template
from harness import refused, unique
from sns_support import Subscriber, create_topic, sns  # noqa: F401


@pytest.fixture
def cfn(cloud):
    return cloud.client("cloudformation")


def test_each_event_is_told_to_the_topics(cloud, cfn, create_topic):  # noqa: F811
    topic, name = create_topic(), unique("told")
    inbox = Subscriber(cloud, topic, RawMessageDelivery="true")
    stack = create(cfn, name, template(), NotificationARNs=[topic])
    assert stack["NotificationARNs"] == [topic]
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    wanted = {one["EventId"] for one in events(cfn, stack["StackId"])}
    told = inbox.bodies(len(wanted))
    assert {re.search("^EventId='(.*)'$", one, re.M)[1] for one in told} == wanted
    assert all(f"StackId='{stack['StackId']}'" in one for one in told)


def test_what_is_no_topic_is_refused(cfn):
    with refused("ValidationError", "NotificationARNs"):
        cfn.create_stack(StackName=unique("told"), TemplateBody=template(), NotificationARNs=["garbage"])


def test_a_topic_that_is_gone_holds_nothing_up(cloud, cfn):
    name = unique("told")
    caller = cloud.client("sts").get_caller_identity()["Account"]
    gone = f"arn:aws:sns:{cfn.meta.region_name}:{caller}:{unique('gone')}"
    stack = create(cfn, name, template(), NotificationARNs=[gone])
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"

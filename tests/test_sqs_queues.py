"""Queues as boto3 sees them (the Query protocol)."""
import json

import pytest
from botocore.exceptions import ClientError

from harness import eventually, quietly, unique


def refusal(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]


def test_a_queue_lives_from_creation_to_deletion(sqs, create_queue):
    name = unique("queue")
    url = create_queue(name, DelaySeconds="3")
    assert sqs.get_queue_url(QueueName=name)["QueueUrl"] == url
    assert sqs.create_queue(QueueName=name, Attributes={"DelaySeconds": "3"})["QueueUrl"] == url
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert attributes["DelaySeconds"] == "3"
    assert attributes["VisibilityTimeout"] == "30"
    assert attributes["MessageRetentionPeriod"] == "345600"
    assert attributes["ApproximateNumberOfMessages"] == "0"
    assert attributes["QueueArn"].endswith(":" + name)
    eventually(lambda: url in sqs.list_queues(QueueNamePrefix=name).get("QueueUrls", []))
    sqs.delete_queue(QueueUrl=url)
    error = eventually(lambda: refusal_or_none(sqs.get_queue_url, QueueName=name))
    assert error["Code"] == "AWS.SimpleQueueService.NonExistentQueue"
    assert error["Message"] == "The specified queue does not exist for this wsdl version."


def refusal_or_none(call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]
    return None


def test_a_queue_that_differs_is_refused(sqs, create_queue):
    name = unique("queue")
    create_queue(name, DelaySeconds="3")
    error = refusal(sqs.create_queue, QueueName=name, Attributes={"DelaySeconds": "4"})
    assert error["Code"] == "QueueAlreadyExists"
    assert error["Message"] == ("A queue already exists with the same name and a different value for attribute "
                                "DelaySeconds")


def test_attributes_are_changed_and_checked(sqs, create_queue):
    url = create_queue()
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "77", "MaximumMessageSize": "2048"})
    wanted = {"VisibilityTimeout": "77", "MaximumMessageSize": "2048"}
    eventually(lambda: sqs.get_queue_attributes(
        QueueUrl=url, AttributeNames=list(wanted))["Attributes"] == wanted)
    assert refusal(sqs.set_queue_attributes, QueueUrl=url, Attributes={"DelaySeconds": "901"})["Code"] == \
        "InvalidAttributeValue"
    error = refusal(sqs.set_queue_attributes, QueueUrl=url, Attributes={"ContentBasedDeduplication": "true"})
    assert (error["Code"], error["Message"]) == ("InvalidAttributeName", "Unknown Attribute ContentBasedDeduplication.")


def test_tags_are_kept(cloud, sqs):
    url = sqs.create_queue(QueueName=unique("queue"), tags={"a": "1"})["QueueUrl"]
    cloud.cleanup.callback(quietly, sqs.delete_queue, QueueUrl=url)
    sqs.tag_queue(QueueUrl=url, Tags={"b": "2"})
    sqs.untag_queue(QueueUrl=url, TagKeys=["a"])
    eventually(lambda: sqs.list_queue_tags(QueueUrl=url).get("Tags") == {"b": "2"})


def test_permissions_become_statements_of_the_policy(cloud, sqs, create_queue):
    url = create_queue()
    account = cloud.queue_arn(url).split(":")[4]
    sqs.add_permission(QueueUrl=url, Label="send", AWSAccountIds=[account], Actions=["SendMessage"])
    policy = json.loads(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"])["Attributes"]["Policy"])
    assert policy["Statement"][0]["Sid"] == "send"
    assert policy["Statement"][0]["Action"] == "SQS:SendMessage"
    sqs.remove_permission(QueueUrl=url, Label="send")


def test_queues_are_listed_in_pages(sqs, create_queue):
    prefix = unique("pages")
    urls = sorted(create_queue(f"{prefix}-{number}") for number in range(5))
    found = []
    for page in sqs.get_paginator("list_queues").paginate(QueueNamePrefix=prefix, PaginationConfig={"PageSize": 2}):
        assert len(page.get("QueueUrls", [])) <= 2
        found += page.get("QueueUrls", [])
    assert found == urls


def test_a_dead_letter_queue_knows_its_sources(cloud, sqs, create_queue):
    dead, source = create_queue(), create_queue()
    sqs.set_queue_attributes(QueueUrl=source, Attributes={"RedrivePolicy": json.dumps(
        {"deadLetterTargetArn": cloud.queue_arn(dead), "maxReceiveCount": 2})})
    eventually(lambda: sqs.list_dead_letter_source_queues(QueueUrl=dead)["queueUrls"] == [source])


@pytest.mark.local
def test_a_purge_empties_a_queue(sqs, create_queue):
    url = create_queue()
    sqs.send_message(QueueUrl=url, MessageBody="x")
    sqs.purge_queue(QueueUrl=url)
    assert "Messages" not in sqs.receive_message(QueueUrl=url)
    assert refusal(sqs.purge_queue, QueueUrl=url)["Code"] == "AWS.SimpleQueueService.PurgeQueueInProgress"


@pytest.mark.local
def test_regions_and_accounts_do_not_see_each_others_queues(cloud, create_queue):
    name = unique("queue")
    url = create_queue(name)
    for other in (cloud.in_region("eu-west-1"), cloud.as_account("111111111111")):
        error = refusal(other.client("sqs").send_message, QueueUrl=url, MessageBody="x")
        assert error["Code"] == "AWS.SimpleQueueService.NonExistentQueue"

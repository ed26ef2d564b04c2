"""Queues as sources of functions: what takes time, on a clock that the test turns, and what survives a kill."""
import pytest

from harness import Cloud, eventually

pytestmark = pytest.mark.local


def receive_counts(cloud, function):
    return [event["Records"][0]["attributes"]["ApproximateReceiveCount"] for event in cloud.events(function)]


def test_a_failed_message_comes_back_when_its_visibility_timeout_is_over(virtual):
    queue = virtual.create_queue(VisibilityTimeout="600")
    function = virtual.recorder("if count == 1: raise Exception('once')")
    virtual.create_mapping(function, virtual.queue_arn(queue))
    virtual.sqs.send_message(QueueUrl=queue, MessageBody="a")
    virtual.wait_for_events(function, 1)
    eventually(lambda: virtual.queue_counts(queue) == (0, 1), "a message in flight")
    virtual.advance(599)
    assert receive_counts(virtual, function) == ["1"]
    virtual.advance(1)
    assert receive_counts(virtual, function) == ["1", "2"]
    assert virtual.queue_counts(queue) == (0, 0)


def test_a_window_longer_than_the_visibility_timeout_hides_messages_for_as_long_as_it_takes(virtual):
    queue = virtual.create_queue(VisibilityTimeout="30")
    function = virtual.recorder("if count == 1: raise Exception('once')", Timeout=20)
    virtual.create_mapping(function, virtual.queue_arn(queue), BatchSize=100, MaximumBatchingWindowInSeconds=60)
    virtual.sqs.send_message(QueueUrl=queue, MessageBody="a")
    eventually(lambda: virtual.queue_counts(queue) == (0, 1), "a message in flight")
    virtual.advance(60)
    assert receive_counts(virtual, function) == ["1"]
    # 60 s of window, 20 s of the function, 30 s more: hidden for 110 s. Counts know when to about a second.
    virtual.advance(48)
    assert virtual.queue_counts(queue) == (0, 1)
    assert receive_counts(virtual, function) == ["1"]
    virtual.advance(62)  # and then gathered once more
    assert receive_counts(virtual, function) == ["1", "2"]


def test_a_window_ends_at_its_time(virtual):
    queue = virtual.create_queue()
    function = virtual.recorder()
    virtual.create_mapping(function, virtual.queue_arn(queue), MaximumBatchingWindowInSeconds=300)
    virtual.sqs.send_message(QueueUrl=queue, MessageBody="a")
    eventually(lambda: virtual.queue_counts(queue) == (0, 1), "a message in flight")
    virtual.advance(299)
    assert virtual.events(function) == []
    virtual.advance(1)
    assert len(virtual.events(function)) == 1


def test_a_mapping_that_asks_for_it_counts_its_events(virtual):
    queue = virtual.create_queue()
    function = virtual.recorder()
    mapping = virtual.create_mapping(
        function, virtual.queue_arn(queue), MetricsConfig={"Metrics": ["EventCount"]},
        FilterCriteria={"Filters": [{"Pattern": '{"body": ["wanted"]}'}]})
    begin = virtual.now()
    for body in ("wanted", "unwanted", "wanted"):
        virtual.sqs.send_message(QueueUrl=queue, MessageBody=body)
    virtual.wait_for_records(function, 2)
    eventually(lambda: virtual.queue_counts(queue) == (0, 0), "an empty queue")
    virtual.advance(120)
    counted = {}
    cloudwatch = virtual.client("cloudwatch")
    for name in ("PolledEventCount", "FilteredOutEventCount", "InvokedEventCount", "DeletedEventCount",
                 "FailedInvokeEventCount"):
        points = cloudwatch.get_metric_statistics(
            Namespace="AWS/Lambda", MetricName=name, Period=3600, Statistics=["Sum"],
            Dimensions=[{"Name": "EventSourceMappingUUID", "Value": mapping}],
            StartTime=begin - 3600, EndTime=virtual.now() + 3600)["Datapoints"]
        counted[name] = sum(point["Sum"] for point in points)
    assert counted == {"PolledEventCount": 3, "FilteredOutEventCount": 1, "InvokedEventCount": 2,
                       "DeletedEventCount": 3, "FailedInvokeEventCount": 0}


def test_what_was_with_the_function_at_a_kill_comes_back_and_what_was_done_does_not(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    queue = cloud.create_queue()
    done = cloud.recorder()
    mapping = cloud.create_mapping(done, cloud.queue_arn(queue))
    for number in range(20):
        cloud.sqs.send_message(QueueUrl=queue, MessageBody=f"done {number}")
    cloud.wait_for_records(done, 20)
    eventually(lambda: cloud.queue_counts(queue) == (0, 0), "an empty queue")

    slow = cloud.recorder("if count == 1: time.sleep(10)", Timeout=12)
    cloud.sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "12"})
    cloud.functions.update_event_source_mapping(UUID=mapping, FunctionName=slow)
    cloud.wait_for_mapping(mapping, "Enabled")
    cloud.sqs.send_message(QueueUrl=queue, MessageBody="slow")
    cloud.wait_for_events(slow, 1)
    server.kill()
    restarted = Cloud(start_server().endpoint)
    restarted.use_inbox(cloud.inbox_table())
    again = restarted.wait_for_events(slow, 2)[1]["Records"][0]
    assert again["body"] == "slow"
    assert again["attributes"]["ApproximateReceiveCount"] == "2"
    queue = restarted.sqs.get_queue_url(QueueName=queue.rsplit("/", 1)[1])["QueueUrl"]
    eventually(lambda: restarted.queue_counts(queue) == (0, 0), "an empty queue")
    assert len([record for event in restarted.events(done) for record in event["Records"]]) == 20

"""What event source mappings refuse per kind of source, with the words recorded on AWS, and their tags."""
import json
import uuid

import pytest

from harness import quietly, refused, unique

IDLE = "def handler(event, context):\n    return None\n"
PATH = "/2015-03-31/event-source-mappings/"


@pytest.fixture(scope="module")
def function(shared_cloud):
    return shared_cloud.create_function(IDLE)


@pytest.fixture(scope="module")
def stream(shared_cloud):
    return shared_cloud.stream_arn(shared_cloud.create_table(stream="NEW_AND_OLD_IMAGES"))


@pytest.fixture
def queue(cloud):
    return cloud.queue_arn(cloud.create_queue())


@pytest.fixture
def mapping(cloud, functions, function, stream):
    """A mapping of the stream at rest."""
    made = functions.create_event_source_mapping(FunctionName=function, EventSourceArn=stream, Enabled=False,
                                                 StartingPosition="LATEST")["UUID"]
    cloud.cleanup.callback(quietly, functions.delete_event_source_mapping, UUID=made)
    return made


class Raw:
    """Requests as they stand on the wire: clients of some age lack the newer members."""

    def __init__(self, cloud, function):
        self.cloud, self.function = cloud, function

    def send(self, method, path, document):
        status, headers, body = self.cloud.raw("lambda", method, path, json.dumps(document),
                                               {"Content-Type": "application/json"})
        answer = json.loads(body)
        if status >= 400:
            return headers["x-amzn-errortype"].split(":")[0], answer.get("message") or answer.get("Message")
        return answer

    def create(self, source, **options):
        return self.send("POST", PATH, {"FunctionName": self.function, "EventSourceArn": source, **options})

    def update(self, mapping, **options):
        return self.send("PUT", PATH + mapping, options)


@pytest.fixture
def raw(cloud, function):
    return Raw(cloud, function)


def invalid(message):
    return "InvalidParameterValueException", message


# --- sources ---

def test_a_missing_queue_is_refused_as_its_receive_would_be(functions, function, queue):
    with refused("InvalidParameterValueException",
                 "Error occurred while ReceiveMessage. SQS Error Code: AWS.SimpleQueueService.NonExistentQueue. SQS Error "
                 "Message: The specified queue does not exist.", exactly=True):
        functions.create_event_source_mapping(FunctionName=function, EventSourceArn=queue + unique("nothing"))


def test_a_queue_has_no_starting_position(functions, function, queue):
    with refused("InvalidParameterValueException", "StartingPosition is not valid for SQS event sources.", exactly=True):
        functions.create_event_source_mapping(FunctionName=function, EventSourceArn=queue, StartingPosition="LATEST")


@pytest.mark.local
@pytest.mark.parametrize("arn", ["arn:aws:kafka:us-east-1:000000000000:cluster/c/1",
                                 "arn:aws:mq:us-east-1:000000000000:broker:b:1",
                                 "arn:aws:rds:us-east-1:000000000000:cluster:documents"])
def test_a_source_that_is_not_supported_is_refused_by_name(raw, arn):
    code, message = raw.create(arn)
    assert code == "InvalidParameterValueException" and arn in message


# --- options that the source does not have ---

@pytest.mark.parametrize("option", [
    {"DestinationConfig": {"OnSuccess": {"Destination": "arn:aws:sqs:us-east-1:000000000000:q"}}},
    {"DestinationConfig": {"OnFailure": {"Destination": "arn:aws:sqs:us-east-1:000000000000:q"}}},
    {"ParallelizationFactor": 2},
])
def test_options_of_streams_are_not_for_queues(functions, function, queue, option):
    name, = option
    with refused("InvalidParameterValueException",
                 f"Unsupported {name} parameter for given event source mapping type.", exactly=True):
        functions.create_event_source_mapping(FunctionName=function, EventSourceArn=queue, **option)


def test_a_destination_for_success_is_not_for_streams(functions, function, stream, mapping):
    option = {"DestinationConfig": {"OnSuccess": {"Destination": "arn:aws:sqs:us-east-1:000000000000:q"}}}
    for call in (lambda: functions.create_event_source_mapping(FunctionName=function, EventSourceArn=stream,
                                                               StartingPosition="LATEST", **option),
                 lambda: functions.update_event_source_mapping(UUID=mapping, **option)):
        with refused("InvalidParameterValueException",
                     "Unsupported DestinationConfig parameter for given event source mapping type.", exactly=True):
            call()


def test_scaling_is_not_for_streams(raw, stream, mapping):
    refusal = invalid("Unsupported 'scalingConfig' parameter for given event source mapping type.")
    assert raw.create(stream, StartingPosition="LATEST", ScalingConfig={"MaximumConcurrency": 2}) == refusal
    assert raw.update(mapping, ScalingConfig={"MaximumConcurrency": 2}) == refusal


# --- values ---

def test_large_batches_of_a_queue_need_a_window(functions, function, queue):
    with refused("InvalidParameterValueException",
                 "Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10",
                 exactly=True):
        functions.create_event_source_mapping(FunctionName=function, EventSourceArn=queue, BatchSize=11)


def test_a_fifo_queue_has_no_window(cloud, functions, function):
    fifo = cloud.queue_arn(cloud.create_queue(fifo=True))
    with refused("InvalidParameterValueException", "Batching window is not supported for FIFO queues", exactly=True):
        functions.create_event_source_mapping(FunctionName=function, EventSourceArn=fifo, MaximumBatchingWindowInSeconds=5)


@pytest.mark.parametrize("pattern", ["text", '"text"', "[]", "", None], ids=str)
@pytest.mark.parametrize("operation", ["create", "update"])
def test_a_filter_must_be_a_pattern(raw, stream, mapping, operation, pattern):
    options = {"FilterCriteria": {"Filters": [{"Pattern": pattern}]}}
    answer = (raw.create(stream, StartingPosition="LATEST", **options) if operation == "create"
              else raw.update(mapping, **options))
    assert answer == invalid("Invalid filter pattern definition.")


def test_an_empty_list_of_filters_is_accepted_and_not_shown(functions, mapping):
    assert "FilterCriteria" not in functions.update_event_source_mapping(UUID=mapping, FilterCriteria={"Filters": []})
    assert "FilterCriteria" not in functions.update_event_source_mapping(UUID=mapping, FilterCriteria={})


def test_a_window_of_time_needs_one_batch_at_a_time(raw, stream):
    code, _ = raw.create(stream, StartingPosition="LATEST", TumblingWindowInSeconds=60, ParallelizationFactor=2)
    assert code == "InvalidParameterValueException"


@pytest.mark.parametrize("destination", ["arn:aws:sqs:us-east-1:000000000000:q.fifo",
                                         "arn:aws:sns:us-east-1:000000000000:t.fifo"])
def test_fifo_destinations_are_refused(raw, mapping, destination):
    code, _ = raw.update(mapping, DestinationConfig={"OnFailure": {"Destination": destination}})
    assert code == "InvalidParameterValueException"


# --- tags ---

def mapping_arn(cloud, functions, mapping):
    function = functions.get_event_source_mapping(UUID=mapping)["FunctionArn"]
    return ":".join(function.split(":")[:5]) + ":event-source-mapping:" + mapping


# Older clients know tags of functions only, but the operations take any ARN.
def test_a_mapping_has_tags(cloud, functions, function, raw):
    arn = cloud.stream_arn(cloud.create_table(stream="KEYS_ONLY"))
    made = raw.create(arn, StartingPosition="LATEST", Enabled=False, Tags={"stage": "test", "owner": "a"})
    cloud.cleanup.callback(quietly, functions.delete_event_source_mapping, UUID=made["UUID"])
    assert "Tags" not in made
    tagged = made["EventSourceMappingArn"]
    assert functions.list_tags(Resource=tagged)["Tags"] == {"stage": "test", "owner": "a"}
    functions.tag_resource(Resource=tagged, Tags={"stage": "live", "extra": ""})
    functions.untag_resource(Resource=tagged, TagKeys=["owner"])
    assert functions.list_tags(Resource=tagged)["Tags"] == {"stage": "live", "extra": ""}


def test_tags_of_an_unknown_mapping_are_refused(cloud, functions, mapping):
    missing = mapping_arn(cloud, functions, mapping).rsplit(":", 1)[0] + ":" + str(uuid.uuid4())
    for call in (lambda: functions.list_tags(Resource=missing),
                 lambda: functions.tag_resource(Resource=missing, Tags={"a": "b"}),
                 lambda: functions.untag_resource(Resource=missing, TagKeys=["a"])):
        with refused("ResourceNotFoundException", f"Event source mapping not found: {missing}", exactly=True):
            call()

"""Event source mappings as resources: their shape, their states, and what is refused, with AWS's words."""
import json
import re
import uuid

import pytest

from harness import eventually, refused, unique

IDLE = "def handler(event, context):\n    return None\n"


@pytest.fixture(scope="module")
def function(shared_cloud):
    return shared_cloud.create_function(IDLE)


@pytest.fixture
def stream(cloud):
    return cloud.stream_arn(cloud.create_table(stream="NEW_AND_OLD_IMAGES"))


@pytest.fixture
def create(cloud, functions, function, stream):
    """create(**options): the answer of a creation that is undone at the end."""
    def create(**options):
        request = {"FunctionName": function, "EventSourceArn": stream, "StartingPosition": "TRIM_HORIZON", **options}
        answer = functions.create_event_source_mapping(**{key: given for key, given in request.items()
                                                          if given is not None})
        cloud.cleanup.callback(delete_quietly, functions, answer["UUID"])
        return answer
    return create


def delete_quietly(functions, mapping):
    try:
        functions.delete_event_source_mapping(UUID=mapping)
    except functions.exceptions.ClientError:
        pass


# --- shape and states ---

def test_a_new_mapping_shows_every_setting_with_its_default(cloud, functions, create, function, stream):
    created = create()
    assert created["ResponseMetadata"]["HTTPStatusCode"] == 202
    assert created["State"] == "Creating"
    arn = functions.get_function_configuration(FunctionName=function)["FunctionArn"]
    for shown in (created, cloud.wait_for_mapping(created["UUID"], "Enabled")):
        assert str(uuid.UUID(shown["UUID"])) == shown["UUID"]
        assert shown["FunctionArn"] == arn
        assert shown["EventSourceArn"] == stream
        assert shown["BatchSize"] == 100
        assert shown["MaximumBatchingWindowInSeconds"] == 0
        assert shown["ParallelizationFactor"] == 1
        assert shown["StartingPosition"] == "TRIM_HORIZON"
        assert shown["MaximumRecordAgeInSeconds"] == -1
        assert shown["MaximumRetryAttempts"] == -1
        assert shown["BisectBatchOnFunctionError"] is False
        assert shown["TumblingWindowInSeconds"] == 0
        assert shown["FunctionResponseTypes"] == []
        assert shown["DestinationConfig"] == {"OnFailure": {}}
        assert shown["StateTransitionReason"] == "User action"
        assert shown["LastProcessingResult"] == "No records processed"
        assert shown["LastModified"]
        assert "FilterCriteria" not in shown


# Newer members, which botocore of Debian 12 drops, and the form of time on the wire.
def test_the_wire_has_the_arn_and_times_as_numbers(cloud, create):
    mapping = create()["UUID"]
    status, _, body = cloud.raw("lambda", "GET", f"/2015-03-31/event-source-mappings/{mapping}")
    document = json.loads(body)
    assert status == 200
    assert re.fullmatch(rf"arn:aws:lambda:us-east-1:\d{{12}}:event-source-mapping:{mapping}",
                        document["EventSourceMappingArn"])
    assert isinstance(document["LastModified"], (int, float))


def test_settings_are_kept(create):
    shown = create(BatchSize=7, MaximumBatchingWindowInSeconds=3, MaximumRetryAttempts=5,
                   MaximumRecordAgeInSeconds=120, StartingPosition="LATEST")
    assert (shown["BatchSize"], shown["MaximumBatchingWindowInSeconds"], shown["MaximumRetryAttempts"],
            shown["MaximumRecordAgeInSeconds"], shown["StartingPosition"]) == (7, 3, 5, 120, "LATEST")


def test_a_mapping_that_is_created_disabled_is_disabled_at_once(create):
    assert create(Enabled=False)["State"] == "Disabled"


@pytest.mark.parametrize("form, kept", [
    ("{name}", "{arn}"), ("{name}:$LATEST", "{arn}:$LATEST"), ("{arn}", "{arn}"),
    ("{account}:function:{name}", "{arn}"),
])
def test_a_function_may_be_named_in_every_form(functions, create, function, form, kept):
    arn = functions.get_function_configuration(FunctionName=function)["FunctionArn"]
    parts = {"name": function, "arn": arn, "account": arn.split(":")[4]}
    assert create(FunctionName=form.format(**parts))["FunctionArn"] == kept.format(**parts)


def test_an_update_changes_what_it_names_and_keeps_the_rest(cloud, functions, create):
    mapping = create(BatchSize=7, MaximumRetryAttempts=5)["UUID"]
    cloud.wait_for_mapping(mapping, "Enabled")
    updated = functions.update_event_source_mapping(UUID=mapping, BatchSize=9)
    assert updated["ResponseMetadata"]["HTTPStatusCode"] == 202
    assert updated["State"] == "Updating"
    shown = cloud.wait_for_mapping(mapping, "Enabled")
    assert (shown["BatchSize"], shown["MaximumRetryAttempts"]) == (9, 5)


def test_a_mapping_is_disabled_and_enabled(cloud, functions, create):
    mapping = create()["UUID"]
    cloud.wait_for_mapping(mapping, "Enabled")
    assert functions.update_event_source_mapping(UUID=mapping, Enabled=False)["State"] == "Disabling"
    cloud.wait_for_mapping(mapping, "Disabled")
    assert functions.update_event_source_mapping(UUID=mapping, Enabled=True)["State"] == "Enabling"
    cloud.wait_for_mapping(mapping, "Enabled")


def test_a_deleted_mapping_is_deleting_and_then_gone(cloud, functions, create):
    mapping = create()["UUID"]
    cloud.wait_for_mapping(mapping, "Enabled")
    deleted = functions.delete_event_source_mapping(UUID=mapping)
    assert deleted["ResponseMetadata"]["HTTPStatusCode"] == 202
    assert deleted["State"] == "Deleting" and deleted["UUID"] == mapping

    def gone():
        try:
            return functions.get_event_source_mapping(UUID=mapping)["State"] != "Deleting"
        except functions.exceptions.ResourceNotFoundException:
            return True

    eventually(gone, "the mapping is gone")
    with refused("ResourceNotFoundException"):
        functions.get_event_source_mapping(UUID=mapping)


def test_the_mapping_outlives_its_function(cloud, functions, stream):
    function = cloud.create_function(IDLE)
    mapping = cloud.create_mapping(function, stream)
    functions.delete_function(FunctionName=function)
    assert functions.get_event_source_mapping(UUID=mapping)["State"] == "Enabled"


def test_mappings_are_listed_by_function_and_source_and_paged(cloud, functions, create, function):
    streams = [cloud.stream_arn(cloud.create_table(stream="KEYS_ONLY")) for _ in range(3)]
    made = {create(EventSourceArn=arn, Enabled=False)["UUID"] for arn in streams}

    def listed(**filters):
        found = []
        for page in functions.get_paginator("list_event_source_mappings").paginate(
                PaginationConfig={"PageSize": 2}, **filters):
            assert len(page["EventSourceMappings"]) <= 2
            found += [mapping["UUID"] for mapping in page["EventSourceMappings"]]
        assert len(found) == len(set(found))
        return set(found)

    assert made <= listed()
    assert made <= listed(FunctionName=function)
    one, = listed(EventSourceArn=streams[0])
    assert one in made
    assert listed(FunctionName=function, EventSourceArn=streams[0]) == {one}
    assert listed(EventSourceArn=streams[0].rsplit("/", 1)[0] + "/2020-01-01T00:00:00.000") == set()


# --- refusals ---

def refused_creation(functions, code, message, exactly=False, **request):
    with refused(code, message, exactly=exactly) as error:
        functions.create_event_source_mapping(**request)
    return error.response


def test_a_missing_source_or_function_is_refused(functions, function, stream):
    refused_creation(functions, "InvalidParameterValueException", "Unrecognized event source.", True,
                     FunctionName=function, StartingPosition="LATEST")
    refused_creation(functions, "InvalidParameterValueException", "Function does not exist", True,
                     FunctionName=unique("nothing"), EventSourceArn=stream, StartingPosition="LATEST")
    missing = stream.rsplit("/", 1)[0] + "/2020-01-01T00:00:00.000"
    refused_creation(functions, "InvalidParameterValueException", f"Stream not found: {missing}", True,
                     FunctionName=function, EventSourceArn=missing, StartingPosition="LATEST")


def test_a_stream_needs_a_starting_position(functions, function, stream):
    refused_creation(functions, "InvalidParameterValueException",
                     "1 validation error detected: Value null at 'startingPosition' failed to satisfy constraint: Member "
                     "must not be null.", True, FunctionName=function, EventSourceArn=stream)
    refused_creation(functions, "ValidationException",
                     "1 validation error detected: Value 'invalid' at 'startingPosition' failed to satisfy constraint: "
                     "Member must satisfy enum value set: [LATEST, AT_TIMESTAMP, TRIM_HORIZON]", True,
                     FunctionName=function, EventSourceArn=stream, StartingPosition="invalid")
    refused_creation(functions, "InvalidParameterValueException",
                     f"Unsupported starting position for arn type: {stream}", True, FunctionName=function,
                     EventSourceArn=stream, StartingPosition="AT_TIMESTAMP", StartingPositionTimestamp=1_700_000_000)


def test_a_second_mapping_of_the_same_pair_is_refused(functions, create, function, stream):
    first = create()["UUID"]
    with refused("ResourceConflictException",
                 f'The event source arn (" {stream} ") and function (" {function} ") provided mapping already exists. '
                 f"Please update or delete the existing mapping with UUID {first}", exactly=True, status=409):
        create()


def test_an_unknown_mapping_is_refused(functions):
    message = "The resource you requested does not exist."
    for call in (functions.get_event_source_mapping, functions.delete_event_source_mapping,
                 functions.update_event_source_mapping):
        with refused("ResourceNotFoundException", message, exactly=True, status=404):
            call(UUID=str(uuid.uuid4()))


@pytest.mark.parametrize("option, code, message", [
    ({"BatchSize": 0}, "ValidationException", "at 'batchSize' failed to satisfy constraint: Member must have value greater "
     "than or equal to 1"),
    ({"BatchSize": 10_001}, "ValidationException", "at 'batchSize' failed to satisfy constraint: Member must have value "
     "less than or equal to 10000"),
    ({"MaximumBatchingWindowInSeconds": 301}, "ValidationException", "at 'maximumBatchingWindowInSeconds'"),
    ({"MaximumRetryAttempts": 10_001}, "ValidationException", "at 'maximumRetryAttempts'"),
    ({"MaximumRetryAttempts": -2}, "ValidationException", "at 'maximumRetryAttempts'"),
    ({"MaximumRecordAgeInSeconds": 604_801}, "ValidationException", "at 'maximumRecordAgeInSeconds'"),
    ({"MaximumRecordAgeInSeconds": 59}, "InvalidParameterValueException",
     "MaximumRecordAgeInSeconds must be either -1 (forever) or between 60 and 604800 (inclusive)"),
    ({"MaximumRecordAgeInSeconds": 0}, "InvalidParameterValueException", "MaximumRecordAgeInSeconds must be either -1"),
], ids=str)
@pytest.mark.parametrize("operation", ["create", "update"])
def test_a_setting_out_of_range_is_refused(cloud, functions, create, function, stream, operation, option, code, message):
    if operation == "create":
        method, path = "POST", "/2015-03-31/event-source-mappings/"
        document = {"FunctionName": function, "EventSourceArn": stream, "StartingPosition": "LATEST", **option}
    else:
        method, path, document = "PUT", f"/2015-03-31/event-source-mappings/{create(Enabled=False)['UUID']}", option
    status, headers, body = cloud.raw("lambda", method, path, json.dumps(document), {"Content-Type": "application/json"})
    assert status == 400, body
    assert headers["x-amzn-errortype"].split(":")[0] == code
    assert message in json.loads(body)["message"]


# Recorded on AWS: which members an error's body has, and how they are spelled.
def test_error_bodies_have_aws_members(cloud, function, stream):
    def body(method, path, document=None):
        _, _, body = cloud.raw("lambda", method, path, json.dumps(document) if document else b"",
                               {"Content-Type": "application/json"})
        return json.loads(body)

    path = "/2015-03-31/event-source-mappings/"
    invalid = body("POST", path, {"FunctionName": function, "StartingPosition": "LATEST"})
    assert invalid == {"Type": "User", "message": "Unrecognized event source."}
    missing = body("GET", path + str(uuid.uuid4()))
    assert missing == {"Type": "User", "Message": "The resource you requested does not exist."}
    wrong = body("POST", path, {"FunctionName": function, "EventSourceArn": stream, "StartingPosition": "invalid"})
    assert set(wrong) == {"message"}


# A client that sends the defaults back, as infrastructure tools do, asks for nothing special.
def test_options_at_their_defaults_are_accepted(create):
    create(ParallelizationFactor=1, BisectBatchOnFunctionError=False, TumblingWindowInSeconds=0, Enabled=False)

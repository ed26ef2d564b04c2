"""The commands of AWS's documentation pages on event source mappings, as they stand there, with the AWS CLI: each prints
the members that the page shows, with the values that the command asked for. (Where a page shows the former defaults of
age and attempts, 604800 and 10000, AWS has long answered -1, and so have the newer members that the pages lack.)"""
import json

import pytest

from awscli_support import run_in
from harness import eventually, quietly

IDLE = "def handler(event, context):\n    return {'state': {}}\n"
# What every mapping of a stream shows, in the order of the page "Using AWS Lambda with Amazon DynamoDB".
DOCUMENTED = ["UUID", "BatchSize", "MaximumBatchingWindowInSeconds", "ParallelizationFactor", "EventSourceArn",
              "FunctionArn", "LastModified", "LastProcessingResult", "State", "StateTransitionReason",
              "DestinationConfig", "MaximumRecordAgeInSeconds", "BisectBatchOnFunctionError", "MaximumRetryAttempts"]
NEWER = {"StartingPosition", "TumblingWindowInSeconds", "FunctionResponseTypes", "EventSourceMappingArn"}

pytestmark = pytest.mark.local


@pytest.fixture
def aws(aws_program, cloud, functions, server, tmp_path):
    """aws("create-event-source-mapping", …): what `aws lambda` prints."""
    def aws(*arguments):
        result = run_in(tmp_path, aws_program, "--endpoint-url", server.endpoint, "--output", "json", "lambda", *arguments)
        assert result.returncode == 0, result.stderr
        shown = json.loads(result.stdout)
        cloud.cleanup.callback(quietly, functions.delete_event_source_mapping, UUID=shown["UUID"])
        return shown
    return aws


@pytest.fixture(scope="module")
def function(shared_cloud):
    return shared_cloud.create_function(IDLE)


@pytest.fixture
def table_stream(cloud):
    return cloud.stream_arn(cloud.create_table(stream="NEW_AND_OLD_IMAGES"))


@pytest.fixture
def data_stream(cloud, kinesis):
    name = cloud.create_data_stream()
    return kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]["StreamARN"]


@pytest.fixture(params=["table_stream", "data_stream"])
def stream(request):
    return request.getfixturevalue(request.param)


def in_documented_order(shown):
    assert [member for member in shown if member not in NEWER] == DOCUMENTED
    assert set(shown) <= set(DOCUMENTED) | NEWER


def get(aws, mapping, state):
    return eventually(lambda: (found := aws("get-event-source-mapping", "--uuid", mapping))["State"] == state and found,
                      state)


def test_create_with_a_batch_size_of_500_and_a_window_of_5_seconds(aws, functions, function, stream):
    shown = aws("create-event-source-mapping", "--function-name", function, "--batch-size", 500,
                "--maximum-batching-window-in-seconds", 5, "--starting-position", "LATEST",
                "--event-source-arn", stream)
    in_documented_order(shown)
    shown.pop("UUID"), shown.pop("LastModified")
    assert {member: shown[member] for member in shown if member not in NEWER} == {
        "BatchSize": 500, "MaximumBatchingWindowInSeconds": 5, "ParallelizationFactor": 1, "EventSourceArn": stream,
        "FunctionArn": functions.get_function_configuration(FunctionName=function)["FunctionArn"],
        "LastProcessingResult": "No records processed", "State": "Creating", "StateTransitionReason": "User action",
        "DestinationConfig": {"OnFailure": {}}, "MaximumRecordAgeInSeconds": -1, "BisectBatchOnFunctionError": False,
        "MaximumRetryAttempts": -1}


def test_update_to_2_attempts_an_age_of_an_hour_and_a_queue_for_what_fails(cloud, aws, function, stream):
    queue = cloud.queue_arn(cloud.create_queue())
    mapping = cloud.create_mapping(function, stream, StartingPosition="LATEST")
    updated = aws("update-event-source-mapping", "--uuid", mapping, "--maximum-retry-attempts", 2,
                  "--maximum-record-age-in-seconds", 3600,
                  "--destination-config", json.dumps({"OnFailure": {"Destination": queue}}))
    in_documented_order(updated)
    assert (updated["UUID"], updated["State"], updated["StateTransitionReason"]) == (mapping, "Updating", "User action")
    shown = get(aws, mapping, "Enabled")
    in_documented_order(shown)
    assert shown["DestinationConfig"] == {"OnFailure": {"Destination": queue}}
    assert (shown["MaximumRecordAgeInSeconds"], shown["MaximumRetryAttempts"]) == (3600, 2)


def test_update_to_5_batches_of_a_shard_at_a_time(cloud, aws, function, stream):
    mapping = cloud.create_mapping(function, stream, StartingPosition="LATEST")
    updated = aws("update-event-source-mapping", "--uuid", mapping, "--parallelization-factor", 5)
    in_documented_order(updated)
    assert get(aws, mapping, "Enabled")["ParallelizationFactor"] == 5


def test_create_with_a_window_of_120_seconds(aws, function, stream):
    shown = aws("create-event-source-mapping", "--event-source-arn", stream, "--function-name", function,
                "--starting-position", "TRIM_HORIZON", "--tumbling-window-in-seconds", 120)
    in_documented_order(shown)
    assert (shown["TumblingWindowInSeconds"], shown["StartingPosition"]) == (120, "TRIM_HORIZON")
    assert get(aws, shown["UUID"], "Enabled")["TumblingWindowInSeconds"] == 120

"""What services tell the default bus when a state changes: of executions, stacks, keys, parameters, data stores."""
import json
import threading

import pytest

import cloudformation_support as cf
from events_support import Inbox, events, inbox, put_rule  # noqa: F401
from harness import ROLE, Cloud, eventually, quietly, unique
from states_support import create_machine, sfn  # noqa: F401
from test_healthlake import KEY, Lake

SUCCEED = {"Done": {"Type": "Succeed"}}


def gathered(inbox, wanted, key):
    """The events that have come, by key(event), once all that are wanted are among them."""
    found = {}

    def enough():
        for document in inbox.documents():
            found[key(document)] = document
        return set(found) >= set(wanted)
    eventually(enough, f"events of {wanted}")
    return found


def status(event):
    return event["detail"]["status"]


def start(sfn, machine, document, **more):
    return sfn.start_execution(stateMachineArn=machine, input=json.dumps(document), **more)["executionArn"]


def rule_for_executions(cloud, inbox, machine):
    pattern = {"source": ["aws.states"], "detail": {"stateMachineArn": [machine]}}
    put_rule(cloud, "default", pattern, [{"Arn": inbox.arn}])


def test_an_execution_tells_the_default_bus_that_it_runs_and_how_it_ended(cloud, inbox, sfn, create_machine):
    machine = create_machine(SUCCEED)
    rule_for_executions(cloud, inbox, machine)
    arn = start(sfn, machine, {"n": 1}, name=unique("run"))
    told = gathered(inbox, {"RUNNING", "SUCCEEDED"}, status)
    running, ended = told["RUNNING"], told["SUCCEEDED"]
    for event in (running, ended):
        assert event["detail-type"] == "Step Functions Execution Status Change" and event["resources"] == [arn]
        detail = event["detail"]
        assert (detail["executionArn"], detail["name"]) == (arn, arn.rsplit(":", 1)[1])
        assert json.loads(detail["input"]) == {"n": 1} and detail["inputDetails"] == {"included": True}
        assert detail["error"] is None and detail["cause"] is None
    described = sfn.describe_execution(executionArn=arn)
    assert running["detail"]["startDate"] == int(described["startDate"].timestamp() * 1000)
    assert running["detail"]["stopDate"] is None and running["detail"]["output"] is None
    assert running["detail"]["outputDetails"] is None
    assert ended["detail"]["stopDate"] == int(described["stopDate"].timestamp() * 1000)
    assert json.loads(ended["detail"]["output"]) == {"n": 1} and ended["detail"]["outputDetails"] == {"included": True}


def test_executions_that_fail_are_stopped_or_run_again_tell_so(cloud, inbox, sfn, create_machine):
    machine = create_machine({"Fail": {"Type": "Fail", "Error": "Broken", "Cause": "tea"}})
    rule_for_executions(cloud, inbox, machine)
    arn = start(sfn, machine, {})
    failed = gathered(inbox, {"RUNNING", "FAILED"}, status)["FAILED"]["detail"]
    assert (failed["error"], failed["cause"], failed["redriveStatus"]) == ("Broken", "tea", "REDRIVABLE")
    cloud.call_json("AWSStepFunctions.RedriveExecution", {"executionArn": arn}, "states")  # newer than some boto3
    again = gathered(inbox, {("RUNNING", 1), ("FAILED", 1)},
                     lambda event: (status(event), event["detail"]["redriveCount"]))
    assert again["RUNNING", 1]["detail"]["redriveDate"] >= failed["stopDate"]
    waiting = create_machine({"Wait": {"Type": "Wait", "Seconds": 3600, "End": True}})
    rule_for_executions(cloud, inbox, waiting)
    stopped = start(sfn, waiting, {})
    sfn.stop_execution(executionArn=stopped, error="Enough", cause="a test")
    aborted = gathered(inbox, {"RUNNING", "ABORTED"}, status)["ABORTED"]["detail"]
    assert (aborted["executionArn"], aborted["error"], aborted["cause"]) == (stopped, "Enough", "a test")


def test_input_and_output_that_are_too_large_together_are_left_out_of_the_event(cloud, inbox, sfn, create_machine):
    machine = create_machine(SUCCEED)
    rule_for_executions(cloud, inbox, machine)
    start(sfn, machine, {"text": "x" * (130 << 10)})
    ended = gathered(inbox, {"RUNNING", "SUCCEEDED"}, status)["SUCCEEDED"]["detail"]
    assert ended["input"] is None and ended["inputDetails"] == {"included": False}
    assert ended["outputDetails"] == {"included": True} and len(ended["output"]) > 130 << 10
    start(sfn, machine, {"text": "x" * (250 << 10)}, name="larger")
    told = gathered(inbox, {("RUNNING", "larger"), ("SUCCEEDED", "larger")},
                    lambda event: (status(event), event["detail"]["name"]))
    ended = told["SUCCEEDED", "larger"]["detail"]
    assert ended["output"] is None and ended["outputDetails"] == {"included": False}


def test_an_express_execution_tells_nothing(cloud, inbox, sfn, create_machine):
    express, standard = create_machine(SUCCEED, type="EXPRESS"), create_machine(SUCCEED)
    for machine in (express, standard):
        rule_for_executions(cloud, inbox, machine)
    start(sfn, express, {})
    start(sfn, standard, {})
    told = gathered(inbox, {(standard, "SUCCEEDED")}, lambda event: (event["detail"]["stateMachineArn"], status(event)))
    assert not [machine for machine, _ in told if machine == express]


def test_a_stack_tells_the_default_bus_what_becomes_of_it_and_its_resources(cloud, inbox):
    cfn = cloud.client("cloudformation")
    name = unique("stack")
    pattern = {"source": ["aws.cloudformation"], "detail": {"stack-id": [{"wildcard": f"*:stack/{name}/*"}]}}
    put_rule(cloud, "default", pattern, [{"Arn": inbox.arn}])
    cloud.cleanup.callback(quietly, cfn.delete_stack, StackName=name)
    stack = cf.create(cfn, name, cf.template(), ClientRequestToken="token-1")

    def key(event):
        return event["detail"].get("logical-resource-id"), event["detail"]["status-details"]["status"]
    told = gathered(inbox, {(None, "CREATE_IN_PROGRESS"), ("Queue", "CREATE_COMPLETE"), (None, "CREATE_COMPLETE")}, key)
    ended = told[None, "CREATE_COMPLETE"]
    assert ended["detail-type"] == "CloudFormation Stack Status Change" and ended["resources"] == [stack["StackId"]]
    assert ended["detail"] == {"stack-id": stack["StackId"], "client-request-token": "token-1",
                               "status-details": {"status": "CREATE_COMPLETE", "status-reason": ""}}
    queue = told["Queue", "CREATE_COMPLETE"]
    assert queue["detail-type"] == "CloudFormation Resource Status Change" and queue["resources"] == [stack["StackId"]]
    detail = queue["detail"]
    assert (detail["stack-id"], detail["resource-type"]) == (stack["StackId"], cf.QUEUE)
    assert detail["physical-resource-id"] == cf.resources(cfn, name)["Queue"]["PhysicalResourceId"]
    cfn.delete_stack(StackName=name)
    gathered(inbox, {("Queue", "DELETE_COMPLETE"), (None, "DELETE_COMPLETE")}, key)


def test_a_parameter_tells_the_default_bus_that_it_is_made_changed_labelled_and_deleted(cloud, inbox):
    ssm = cloud.client("ssm")
    name = f"/{unique('parameter')}/a"
    pattern = {"source": ["aws.ssm"], "detail-type": ["Parameter Store Change"], "detail": {"name": [name]}}
    put_rule(cloud, "default", pattern, [{"Arn": inbox.arn}])
    cloud.cleanup.callback(quietly, ssm.delete_parameter, Name=name)
    ssm.put_parameter(Name=name, Value="secret", Type="String", Description="tea")
    arn = ssm.get_parameter(Name=name)["Parameter"]["ARN"]
    ssm.put_parameter(Name=name, Value="other", Overwrite=True)
    ssm.label_parameter_version(Name=name, Labels=["new"])
    ssm.delete_parameter(Name=name)
    told = gathered(inbox, {"Create", "Update", "LabelParameterVersion", "Delete"},
                    lambda event: event["detail"]["operation"])
    assert told["Create"]["resources"] == [arn] and told["Create"]["source"] == "aws.ssm"
    assert told["Create"]["detail"] == {"operation": "Create", "name": name, "type": "String", "description": "tea"}
    assert "secret" not in json.dumps(told)


def test_a_key_tells_the_default_bus_that_its_material_is_new(cloud, inbox):
    kms = cloud.client("kms")
    key = kms.create_key()["KeyMetadata"]
    cloud.cleanup.callback(quietly, kms.schedule_key_deletion, KeyId=key["KeyId"], PendingWindowInDays=7)
    put_rule(cloud, "default", {"source": ["aws.kms"], "detail": {"key-id": [key["KeyId"]]}}, [{"Arn": inbox.arn}])
    cloud.call_json("TrentService.RotateKeyOnDemand", {"KeyId": key["KeyId"]}, "kms")  # newer than some boto3
    [event] = inbox.documents()
    assert (event["detail-type"], event["resources"]) == ("KMS CMK Rotation", [key["Arn"]])
    assert event["detail"] == {"key-id": key["KeyId"]}


@pytest.mark.local
def test_a_key_that_rotates_by_itself_and_one_that_is_deleted_tell_so_at_the_time(virtual):
    kms, box = virtual.client("kms"), Inbox(virtual)
    put_rule(virtual, "default", {"source": ["aws.kms"]}, [{"Arn": box.arn}])
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.enable_key_rotation(KeyId=key)
    virtual.advance(365 * 86_400)
    [rotated] = box.documents()
    assert (rotated["detail-type"], rotated["detail"]["key-id"]) == ("KMS CMK Rotation", key)
    kms.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
    virtual.advance(7 * 86_400)
    [deleted] = box.documents()
    assert (deleted["detail-type"], deleted["detail"]["key-id"]) == ("KMS CMK Deletion", key)


def test_a_data_store_and_its_exports_tell_the_default_bus_what_becomes_of_them(cloud, inbox):
    name, bucket = unique("lake"), cloud.create_bucket()
    put_rule(cloud, "default", {"source": ["aws.healthlake"]}, [{"Arn": inbox.arn}])
    lake = Lake(cloud, DatastoreName=name)

    def of_this(event):
        return event["detail-type"] if event["detail"]["datastoreId"] == lake.id else None
    made = gathered(inbox, {"Data Store Creating", "Data Store Active"}, of_this)["Data Store Active"]
    assert made["resources"] == [lake.describe()["DatastoreArn"]]
    assert made["detail"] == {"datastoreId": lake.id, "datastoreName": name, "datastoreTypeVersion": "R4",
                              "datastoreEndpoint": lake.endpoint}
    job = lake.client.start_fhir_export_job(
        DatastoreId=lake.id, DataAccessRoleArn=ROLE,
        OutputDataConfig={"S3Configuration": {"S3Uri": f"s3://{bucket}/out/", "KmsKeyId": KEY}})
    told = gathered(inbox, {"Export Job Submitted", "Export Job In Progress", "Export Job Completed"}, of_this)
    assert told["Export Job Completed"]["resources"] == made["resources"]
    detail = told["Export Job Completed"]["detail"]
    assert (detail["jobId"], detail["outputDataConfig"]) == (job["JobId"], {"s3Uri": f"s3://{bucket}/out/"})
    assert detail["submitTime"].endswith("Z")
    lake.drop()
    gathered(inbox, {"Data Store Deleting", "Data Store Deleted"}, of_this)


@pytest.mark.local
def test_what_was_told_of_executions_survives_kills(start_server):
    server = start_server()
    cloud = Cloud(server.endpoint)
    box = Inbox(cloud)
    sfn = cloud.client("stepfunctions")
    machine = sfn.create_state_machine(name="m", roleArn=ROLE, definition=json.dumps(
        {"StartAt": "Done", "States": SUCCEED}))["stateMachineArn"]
    put_rule(cloud, "default", {"source": ["aws.states"]}, [{"Arn": box.arn}])
    begun, seen = [], set()
    for kill in range(3):
        threading.Timer(0.15 * (kill + 1), server.kill).start()
        try:
            while True:
                begun.append(start(sfn, machine, {}))
        except Exception:  # the server is gone in the middle of a call
            pass
        server = start_server()
        cloud = Cloud(server.endpoint)
        sfn = cloud.client("stepfunctions")
    box.cloud, box.url = cloud, cloud.sqs.get_queue_url(QueueName=box.arn.rsplit(":", 1)[1])["QueueUrl"]
    wanted = {(arn, state) for arn in begun for state in ("RUNNING", "SUCCEEDED")}
    assert wanted

    def all_have_come():
        seen.update((event["detail"]["executionArn"], status(event)) for event in box.documents())
        return seen >= wanted
    eventually(all_have_come, "what was told of all executions", 60)

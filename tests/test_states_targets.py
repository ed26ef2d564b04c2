"""Rules and schedules that begin executions."""
import json

import pytest

from events_support import Inbox, TRUST, bus, create_bus, events, put, put_rule  # noqa: F401
from harness import eventually, quietly, unique
from states_support import create_machine, sfn  # noqa: F401

OFF = {"Mode": "OFF"}


@pytest.fixture
def machine(create_machine):
    return create_machine({"Told": {"Type": "Pass", "End": True}})


def executions(sfn, machine, count):
    """The inputs of at least so many executions that have succeeded."""
    def found():
        listed = sfn.list_executions(stateMachineArn=machine, statusFilter="SUCCEEDED")["executions"]
        return listed if len(listed) >= count else None
    return [json.loads(sfn.describe_execution(executionArn=one["executionArn"])["input"])
            for one in eventually(found, f"{count} executions of {machine}")]


def test_an_event_begins_an_execution(cloud, sfn, events, bus, machine):
    put_rule(cloud, bus, {"source": ["shop"]}, [{"Arn": machine, "RoleArn": TRUST, "InputPath": "$.detail"}])
    put(events, bus, {"n": 1})
    put(events, bus, {"n": 2})
    assert sorted(one["n"] for one in executions(sfn, machine, 2)) == [1, 2]


def test_an_event_for_a_machine_that_is_gone_ends_in_the_dead_letter_queue(cloud, sfn, events, bus, machine):
    dead = Inbox(cloud)
    put_rule(cloud, bus, {"source": ["shop"]}, [{"Arn": machine + "x", "RoleArn": TRUST,
                                                 "DeadLetterConfig": {"Arn": dead.arn}}])
    put(events, bus, {"n": 1})
    [letter] = dead.messages(1)
    assert letter["MessageAttributes"]["ERROR_CODE"]["StringValue"] == "NO_RESOURCE"


def test_a_schedule_begins_an_execution(cloud, sfn, machine):
    scheduler, name = cloud.client("scheduler"), unique("schedule")
    scheduler.create_schedule(Name=name, ScheduleExpression="rate(1 minute)", FlexibleTimeWindow=OFF, Target={
        "Arn": machine, "RoleArn": TRUST, "Input": json.dumps({"n": 1, "run": "<aws.scheduler.execution-id>"})})
    cloud.cleanup.callback(quietly, scheduler.delete_schedule, Name=name)
    [document] = executions(sfn, machine, 1)
    assert document["n"] == 1
    [execution] = sfn.list_executions(stateMachineArn=machine)["executions"]
    assert execution["name"] == document["run"]

"""What the tests of state machines share: machines, executions, and what became of them."""
import json

import pytest

from harness import ROLE, eventually, quietly, unique

ENDED = {"SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"}


@pytest.fixture
def sfn(cloud):
    return cloud.client("stepfunctions")


@pytest.fixture
def create_machine(cloud, sfn):
    """create_machine(states, **more): the ARN of a machine that begins with the first of the states."""
    def create(states, **more):
        definition = {"StartAt": next(iter(states)), "States": states, **more.pop("definition", {})}
        arn = sfn.create_state_machine(name=unique("machine"), definition=json.dumps(definition), roleArn=ROLE,
                                       **more)["stateMachineArn"]
        cloud.cleanup.callback(quietly, sfn.delete_state_machine, stateMachineArn=arn)
        return arn
    return create


def task(resource, parameters=None, **more):
    """A machine of one task, "Do"."""
    given = {} if parameters is None else {"Parameters": parameters}
    return {"Do": {"Type": "Task", "Resource": resource, **given, "End": True, **more}}


class Execution:
    """An execution, begun."""

    def __init__(self, sfn, machine, document=None, **more):
        self.sfn = sfn
        text = json.dumps({} if document is None else document)
        self.arn = sfn.start_execution(stateMachineArn=machine, input=text, **more)["executionArn"]

    def ended(self):
        def description():
            found = self.sfn.describe_execution(executionArn=self.arn)
            return found if found["status"] in ENDED else None
        return eventually(description, f"the end of {self.arn}")

    def output(self):
        ended = self.ended()
        assert ended["status"] == "SUCCEEDED", (ended, self.events())
        return json.loads(ended["output"])

    def error(self):
        """(error, cause) of one that has failed."""
        ended = self.ended()
        assert ended["status"] == "FAILED", ended
        return ended.get("error"), ended.get("cause")

    def events(self):
        pages = self.sfn.get_paginator("get_execution_history").paginate(executionArn=self.arn)
        return [event for page in pages for event in page["events"]]

    def event(self, kind):
        """The details of the only event of its kind."""
        [event] = [event for event in self.events() if event["type"] == kind]
        return next((value for name, value in event.items() if name.endswith("EventDetails")), None)

    def kinds(self):
        return [event["type"] for event in self.events()]


@pytest.fixture
def run(sfn, create_machine):
    """run(states, input): an Execution of a machine of its own."""
    def begin(states, document=None, **more):
        return Execution(sfn, create_machine(states, **more), document)
    return begin

"""State machines while the server is killed: an execution whose start was acknowledged ends, as what it met says; a task that
waits for its token is told once, and ends as it was told. See README.md here."""
import json
import random
import uuid

from harness import ROLE, eventually

CALLS = "crash-calls"     # the tokens of tasks that wait
STEPS = "crash-steps"     # what executions send on their way
ENDED_WITHIN_SECONDS = 120
STEPS_BEFORE_AND_AFTER = 2
# One in four is told that it has failed, one in four waits a second first, by their names.
FAILS = set("0123")
WAITS = set("4567")


def told_as_failed(name):
    return name[0] in FAILS


DEFINITION = {
    "StartAt": "Begun", "States": {
        "Begun": {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "ResultPath": None, "Next": "Choose",
                  "Parameters": {"QueueUrl": STEPS, "MessageBody.$": "$.name"}},
        "Choose": {"Type": "Choice", "Default": "Call",
                   "Choices": [{"Variable": "$.waits", "BooleanEquals": True, "Next": "Wait"}]},
        "Wait": {"Type": "Wait", "Seconds": 1, "Next": "Call"},
        "Call": {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken", "ResultPath": "$.told",
                 "Parameters": {"QueueUrl": CALLS, "MessageBody": {"token.$": "$$.Task.Token", "name.$": "$.name"}},
                 "Next": "Ended"},
        "Ended": {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "ResultPath": None, "End": True,
                  "Parameters": {"QueueUrl": STEPS, "MessageBody.$": "$.told.name"}}}}


class Executions:
    """One caller who starts them, and one who answers tokens."""

    def __init__(self, run):
        self.run = run
        self.acknowledged = {}   # name -> ARN
        self.sent = set()        # names
        self.told = set()        # tokens whose answer was acknowledged, or is no longer wanted
        self.answered = set()    # tokens that were answered, perhaps without an acknowledgement
        self.tokens = {}         # token -> name
        self.steps = {}          # name -> how many messages of its steps came

    def open(self, cloud):
        self.calls = cloud.sqs.create_queue(QueueName=CALLS, Attributes={"VisibilityTimeout": "2"})["QueueUrl"]
        self.queue = cloud.sqs.create_queue(QueueName=STEPS)["QueueUrl"]
        self.machine = cloud.client("stepfunctions").create_state_machine(
            name="crash", roleArn=ROLE, definition=json.dumps(DEFINITION))["stateMachineArn"]

    def tasks(self):
        return [(self.start,), (self.answer,)]

    def start(self):
        chance = random.Random(self.run.arguments.seed * 14_000)
        states = self.run.cloud().client("stepfunctions")
        while not self.run.done.is_set():
            name = uuid.uuid4().hex
            self.sent.add(name)
            document = json.dumps({"name": name, "waits": name[0] in WAITS})
            # A start that is asked for again by the same name and input is the same one.
            for _ in range(chance.choice((1, 3))):
                answer = self.run.attempt(lambda: states.start_execution(
                    stateMachineArn=self.machine, name=name, input=document))
                if answer is not None:
                    self.acknowledged[name] = answer["executionArn"]
                    break
            self.run.done.wait(chance.random() * 0.05)

    def answer(self):
        cloud = self.run.cloud()
        while not self.run.done.is_set():
            self.run.attempt(lambda: self.answer_once(cloud, 1))

    def answer_once(self, cloud, wait_seconds):
        """Answers what stands in the queue; the messages."""
        messages = cloud.sqs.receive_message(QueueUrl=self.calls, MaxNumberOfMessages=10,
                                             WaitTimeSeconds=wait_seconds).get("Messages", [])
        for message in messages:
            call = json.loads(message["Body"])
            self.tell(cloud.client("stepfunctions"), call["token"], call["name"])
            cloud.sqs.delete_message(QueueUrl=self.calls, ReceiptHandle=message["ReceiptHandle"])
        return messages

    def tell(self, states, token, name):
        if self.tokens.setdefault(token, name) != name:
            self.run.violations.append(f"executions: one token stands for {self.tokens[token]} and {name}")
        if token in self.told:
            return
        again = token in self.answered
        self.answered.add(token)
        try:
            if told_as_failed(name):
                states.send_task_failure(taskToken=token, error="Told", cause=name)
            else:
                states.send_task_success(taskToken=token, output=json.dumps({"name": name}))
        except (states.exceptions.TaskTimedOut, states.exceptions.TaskDoesNotExist) as refused:
            # The answer before may have been taken, though nobody said so; or the message was sent again by another
            # attempt at the task, and the execution has gone on by that one's token.
            others = any(other != token and of == name and other in self.answered for other, of in self.tokens.items())
            if not again and not others:
                self.run.violations.append(f"executions: the token of {name}, which nobody has answered, is refused: {refused}")
        self.told.add(token)

    def check(self, cloud):
        states = cloud.client("stepfunctions")

        def running():
            self.answer_once(cloud, 0)
            pages = states.get_paginator("list_executions").paginate(stateMachineArn=self.machine, statusFilter="RUNNING")
            return [one["name"] for page in pages for one in page["executions"]]
        try:
            eventually(lambda: not running(), "every execution ends", ENDED_WITHIN_SECONDS, 0.2)
        except AssertionError:
            left = running()
            self.run.violations.append(f"executions: {len(left)} never end, {left[0]} for one")
            return
        self.read_steps(cloud)
        pages = states.get_paginator("list_executions").paginate(stateMachineArn=self.machine)
        found = {one["name"]: one for page in pages for one in page["executions"]}
        if lost := self.acknowledged.keys() - found.keys():
            self.run.violations.append(f"executions: {len(lost)} were acknowledged and are not there, {sorted(lost)[0]} for one")
        if strange := found.keys() - self.sent:
            self.run.violations.append(f"executions: {sorted(strange)[0]} was never started")
        for name, one in found.items():
            self.check_one(states, name, one["executionArn"])
        if not self.acknowledged or not self.told:
            self.run.violations.append("executions: none was started, or none told")

    def read_steps(self, cloud):
        def drained():
            messages = cloud.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10).get("Messages", [])
            for message in messages:
                self.steps[message["Body"]] = self.steps.get(message["Body"], 0) + 1
            if messages:
                cloud.sqs.delete_message_batch(QueueUrl=self.queue, Entries=[
                    {"Id": str(i), "ReceiptHandle": message["ReceiptHandle"]} for i, message in enumerate(messages)])
            return cloud.queue_counts(self.queue) == (0, 0)
        eventually(drained, "the messages of all steps", ENDED_WITHIN_SECONDS, 0.0)

    def check_one(self, states, name, arn):
        ended = states.describe_execution(executionArn=arn)
        if told_as_failed(name):
            as_told = (ended["status"], ended.get("error"), ended.get("cause")) == ("FAILED", "Told", name)
        else:
            as_told = ended["status"] == "SUCCEEDED" and json.loads(ended["output"])["told"] == {"name": name}
        if not as_told:
            self.run.violations.append(f"executions: {name} did not end as it was told: {ended}")
        steps = 1 if told_as_failed(name) else STEPS_BEFORE_AND_AFTER
        if self.steps.get(name, 0) < steps:
            self.run.violations.append(f"executions: {name} ended, but only {self.steps.get(name, 0)} of its {steps} messages came")
        types = [event["type"] for page in states.get_paginator("get_execution_history").paginate(executionArn=arn)
                 for event in page["events"]]
        ends = [each for each in types if each in ("ExecutionSucceeded", "ExecutionFailed", "ExecutionAborted")]
        if len(ends) != 1 or types[-1] != ends[0] or types.count("ExecutionStarted") != 1:
            self.run.violations.append(f"executions: the history of {name} has not one beginning and one end: {types}")

    def summary(self):
        return f"{len(self.acknowledged)} of {len(self.sent)} executions acknowledged, {len(self.told)} tokens told"

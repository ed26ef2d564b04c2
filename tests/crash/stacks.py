"""Stacks while the server is killed: each ends in a state that is an end, its resources are as the template of its last
success says, and of one that is deleted nothing is left. See README.md here."""
import json
import random

from harness import eventually

SETTLED_WITHIN_SECONDS = 180
QUEUES_MAX = 4
ENDS = {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "ROLLBACK_COMPLETE", "DELETE_COMPLETE"}


def template(stack, number, queues, fails):
    """A parameter that holds a number, and queues whose delay is that number."""
    resources = {"Number": {"Type": "AWS::SSM::Parameter", "Properties": {
        "Name": f"/{stack}/number", "Type": "String", "Value": str(number)}}}
    for each in range(queues):
        resources[f"Queue{each}"] = {"Type": "AWS::SQS::Queue", "DependsOn": f"Queue{each - 1}" if each else "Number",
                                     "Properties": {"QueueName": f"{stack}-{each}", "DelaySeconds": number % 900}}
    if fails:  # once all others are made
        resources["Wrong"] = {"Type": "AWS::SQS::Queue", "DependsOn": f"Queue{queues - 1}",
                              "Properties": {"QueueName": f"{stack}-wrong", "VisibilityTimeout": 99_999_999}}
    return json.dumps({"Resources": resources})


class Stacks:
    """One deployer, who makes, changes and deletes a stack after the other. What was asked for last may have begun or not."""

    def __init__(self, run):
        self.run = run
        self.deleted = set()       # names of stacks whose deletion has ended
        self.made = set()          # names
        self.operations = 0        # that were acknowledged

    def open(self, cloud):
        pass

    def tasks(self):
        return [(self.deploy,)]

    def deploy(self):
        chance = random.Random(self.run.arguments.seed * 16_000)
        client = self.run.cloud().client("cloudformation")
        number = 0
        while not self.run.done.is_set():
            stack = f"crash-{len(self.made)}"
            self.made.add(stack)
            self.ask(lambda: client.create_stack(StackName=stack, TemplateBody=template(stack, number, 1, False)))
            for _ in range(chance.randrange(1, 6)):
                if self.settled(client, stack) in (None, "ROLLBACK_COMPLETE"):
                    break
                number += 1
                body = template(stack, number, chance.randrange(1, QUEUES_MAX + 1), chance.random() < 0.3)
                self.ask(lambda: client.update_stack(StackName=stack, TemplateBody=body))
            if self.settled(client, stack) is not None and chance.random() < 0.5:
                self.ask(lambda: client.delete_stack(StackName=stack))

    def ask(self, call):
        self.operations += self.run.attempt(call) is not None

    def settled(self, client, stack):
        """The state in which it has ended; None: it is not there, or the run is over."""
        while not self.run.done.is_set():
            found = self.run.attempt(lambda: self.state(client, stack))
            if found is not None and not found.endswith("_IN_PROGRESS"):
                return None if found == "none" else found
            self.run.done.wait(0.05)
        return None

    @staticmethod
    def state(client, stack):
        try:
            return client.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"]
        except client.exceptions.ClientError as error:
            if "does not exist" in error.response["Error"]["Message"]:
                return "none"
            raise

    def check(self, cloud):
        client = cloud.client("cloudformation")
        names = {}  # of all queues that stand -> their URLs
        for page in cloud.sqs.get_paginator("list_queues").paginate(QueueNamePrefix="crash-"):
            names |= {url.rsplit("/", 1)[1]: url for url in page.get("QueueUrls", [])}
        for stack in sorted(self.made):
            def ended(stack=stack):
                return not self.state(client, stack).endswith("_IN_PROGRESS")
            try:
                eventually(ended, f"the end of {stack}", SETTLED_WITHIN_SECONDS, 0.1)
            except AssertionError:
                self.run.violations.append(f"stacks: {stack} is still {self.state(client, stack)}")
                continue
            self.check_stack(cloud, client, stack)
        if self.operations < 3:
            self.run.violations.append("stacks: next to none was made")

    def check_stack(self, cloud, client, stack):
        state = self.state(client, stack)
        standing = {url.rsplit("/", 1)[1]: url for url in
                    cloud.sqs.list_queues(QueueNamePrefix=stack + "-").get("QueueUrls", [])}
        parameters = cloud.client("ssm").get_parameters(Names=[f"/{stack}/number"])["Parameters"]
        expected = {}
        if state not in ("none", "ROLLBACK_COMPLETE"):
            expected = json.loads(self.body(client, stack))["Resources"]
        if state != "none" and state not in ENDS:
            self.run.violations.append(f"stacks: {stack} ended as {state}")
            return
        wanted = {one["Properties"]["QueueName"]: str(one["Properties"].get("DelaySeconds", 0))
                  for one in expected.values() if one["Type"] == "AWS::SQS::Queue"}
        found = {name: cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["DelaySeconds"])["Attributes"]["DelaySeconds"]
                 for name, url in standing.items()}
        value = expected["Number"]["Properties"]["Value"] if expected else None
        held = parameters[0]["Value"] if parameters else None
        if found != wanted or held != value:
            self.run.violations.append(f"stacks: {stack} is {state} with {found} and {held}, its template says {wanted} and {value}")
        listed = set()
        if expected:
            listed = {one["LogicalResourceId"] for one in client.describe_stack_resources(StackName=stack)["StackResources"]
                      if one["ResourceStatus"] != "DELETE_COMPLETE"}
        if listed != set(expected):
            self.run.violations.append(f"stacks: {stack} lists {sorted(listed)}, its template says {sorted(expected)}")

    @staticmethod
    def body(client, stack):
        body = client.get_template(StackName=stack)["TemplateBody"]
        return body if isinstance(body, str) else json.dumps(body)

    def summary(self):
        return f"{len(self.made)} stacks in {self.operations} operations"

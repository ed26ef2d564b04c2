"""With --auth iam: what goes out for rules, buckets, topics and functions needs rights where it goes, and at the keys there."""
import json

import pytest

from authorization_support import ACCOUNT, policy, statement, trust
from harness import REGION, Cloud, Server, eventually, unique, zip_of
from sns_support import http_endpoint  # noqa: F401
from test_authorization import denial, iam, person, root, server  # noqa: F401 (fixtures)

pytestmark = pytest.mark.local

EVENTS = "events.amazonaws.com"


def arn_of(url):
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{url.rsplit('/')[-1]}"


def lets(service, action, resource, source=None):
    condition = {"Condition": {"ArnLike": {"aws:SourceArn": source}}} if source else {}
    return {"Effect": "Allow", "Principal": {"Service": service}, "Action": action, "Resource": resource, **condition}


def root_of(server):  # noqa: F811
    key = server.root_key
    return Cloud(server.endpoint, access_key=key["AWS_ACCESS_KEY_ID"], secret_key=key["AWS_SECRET_ACCESS_KEY"])


class Box:
    """A queue that lets a service send into it, perhaps encrypted with a key of its own, and what came into it."""

    def __init__(self, cloud, service, *, encrypted=False):
        self.cloud, self.service = cloud, service
        self.url = cloud.sqs.create_queue(QueueName=unique("box"))["QueueUrl"]
        self.arn = arn_of(self.url)
        self.open()
        if encrypted:
            self.key = cloud.client("kms").create_key()["KeyMetadata"]["KeyId"]
            cloud.sqs.set_queue_attributes(QueueUrl=self.url, Attributes={"KmsMasterKeyId": self.key})

    def open(self, source=None):
        allowed = policy(lets(self.service, "sqs:SendMessage", self.arn, source))
        self.cloud.sqs.set_queue_attributes(QueueUrl=self.url, Attributes={"Policy": allowed})

    def let_use_key(self):
        own = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "kms:*", "Resource": "*"}
        self.cloud.client("kms").put_key_policy(KeyId=self.key, PolicyName="default", Policy=policy(
            own, lets(self.service, ["kms:GenerateDataKey*", "kms:Decrypt"], "*")))

    def take(self):
        found = self.cloud.sqs.receive_message(QueueUrl=self.url, MaxNumberOfMessages=10, MessageAttributeNames=["All"])
        for each in found.get("Messages", []):
            self.cloud.sqs.delete_message(QueueUrl=self.url, ReceiptHandle=each["ReceiptHandle"])
        return found.get("Messages", [])

    def wait(self, what="something comes"):
        return eventually(self.take, what)


class Rule:
    """A rule on a bus of its own with one target, whose failures go into a queue that lets them."""

    def __init__(self, cloud, target, role=None):
        self.cloud, self.events, self.source = cloud, cloud.client("events"), unique("shop")
        self.dead = Box(cloud, EVENTS)
        self.name, self.bus = unique("rule"), unique("bus")
        self.events.create_event_bus(Name=self.bus)
        self.arn = self.events.put_rule(Name=self.name, EventBusName=self.bus,
                                        EventPattern=json.dumps({"source": [self.source]}))["RuleArn"]
        more = {"RoleArn": role} if role else {}
        self.events.put_targets(Rule=self.name, EventBusName=self.bus, Targets=[
            {"Id": "1", "Arn": target, "DeadLetterConfig": {"Arn": self.dead.arn}, **more}])

    def put(self, text):
        answer = self.events.put_events(Entries=[{
            "Source": self.source, "DetailType": "order", "Detail": json.dumps({"text": text}), "EventBusName": self.bus}])
        assert answer["FailedEntryCount"] == 0

    def denied(self, text):
        """Puts an event, and sees that it may not go on."""
        self.put(text)
        [letter] = self.dead.wait("the event is given up")
        assert json.loads(letter["Body"])["detail"]["text"] == text
        attributes = {name: each["StringValue"] for name, each in letter["MessageAttributes"].items()}
        assert (attributes["ERROR_CODE"], attributes["RULE_ARN"]) == ("NO_PERMISSIONS", self.arn)


@pytest.fixture
def role(iam):  # noqa: F811
    """role(*statements): (name, ARN) of a role of EventBridge."""
    def make(*statements, service=EVENTS):
        name = unique("role")
        arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust(Service=service))["Role"]["Arn"]
        if statements:
            iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(*statements))
        return name, arn
    return make


@pytest.fixture
def denials(server):  # noqa: F811
    """denials(count, *words): waits until the server's log tells so many denials with these words, since the test began."""
    begun = len(server.log_lines)

    def wait(count, *words):
        def are_told():
            return sum("denied" in line and all(word in line for word in words) for line in server.log_lines[begun:]) >= count
        eventually(are_told, f"{count} denials of {words}")
    return wait


def test_a_rule_writes_into_logs_where_their_resource_policies_let_it(root):  # noqa: F811
    logs, group = root.client("logs"), unique("/aws/events/shop")
    logs.create_log_group(logGroupName=group)
    rule = Rule(root, f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{group}")
    rule.denied("first")
    name, resource = unique("policy"), f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{group}:*"
    logs.put_resource_policy(policyName=name, policyDocument=policy(
        lets([EVENTS, "delivery.logs.amazonaws.com"], ["logs:CreateLogStream", "logs:PutLogEvents"], resource, rule.arn)))
    rule.put("second")
    written = eventually(lambda: logs.filter_log_events(logGroupName=group)["events"], "the event is written")
    assert [json.loads(each["message"])["detail"]["text"] for each in written] == ["second"]
    logs.delete_resource_policy(policyName=name)
    rule.denied("third")


def test_a_rule_puts_events_on_a_bus_where_its_role_may(root, iam, role):  # noqa: F811
    events, name = root.client("events"), unique("bus")
    bus = events.create_event_bus(Name=name)["EventBusArn"]
    box, listens = Box(root, EVENTS), unique("rule")
    events.put_rule(Name=listens, EventBusName=name, EventPattern=json.dumps({"detail-type": ["order"]}))
    events.put_targets(Rule=listens, EventBusName=name, Targets=[{"Id": "1", "Arn": box.arn}])
    role_name, arn = role()
    rule = Rule(root, bus, arn)
    rule.denied("first")
    iam.put_role_policy(RoleName=role_name, PolicyName="own", PolicyDocument=policy(statement("events:PutEvents", bus)))
    rule.put("second")
    assert [json.loads(each["Body"])["detail"]["text"] for each in box.wait()] == ["second"]

    # Without a role the rule's account acts, which may use its own bus, unless that says otherwise.
    plain = Rule(root, bus)
    plain.put("third")
    assert [json.loads(each["Body"])["detail"]["text"] for each in box.wait()] == ["third"]
    deny = {"Effect": "Deny", "Principal": {"AWS": ACCOUNT}, "Action": "events:PutEvents", "Resource": bus, "Sid": "closed"}
    events.put_permission(EventBusName=name, Policy=policy(deny))
    plain.denied("fourth")
    rule.denied("fifth")


def test_a_rule_calls_an_api_destination_where_its_role_may(root, iam, role, http_endpoint):  # noqa: F811
    events = root.client("events")
    connection = events.create_connection(Name=unique("connection"), AuthorizationType="BASIC", AuthParameters={
        "BasicAuthParameters": {"Username": "miller", "Password": "tide"}})["ConnectionArn"]
    destination = events.create_api_destination(Name=unique("destination"), ConnectionArn=connection, HttpMethod="POST",
                                                InvocationEndpoint=http_endpoint.url)["ApiDestinationArn"]
    role_name, arn = role()
    rule = Rule(root, destination, arn)
    rule.denied("first")
    iam.put_role_policy(RoleName=role_name, PolicyName="own",
                        PolicyDocument=policy(statement("events:InvokeApiDestination", destination)))
    rule.put("second")
    [(_, body)] = http_endpoint.wait(1)
    assert json.loads(body)["detail"]["text"] == "second"


# What the connection holds would go there.
def test_another_endpoint_of_an_api_destination_needs_the_right_to_its_connection(root, person):  # noqa: F811
    events = root.client("events")
    basic = {"BasicAuthParameters": {"Username": "miller", "Password": "tide"}}
    mine, theirs = (events.create_connection(Name=unique("connection"), AuthorizationType="BASIC",
                                             AuthParameters=basic)["ConnectionArn"] for _ in range(2))
    name = unique("destination")
    events.create_api_destination(Name=name, ConnectionArn=theirs, HttpMethod="POST",
                                  InvocationEndpoint="https://mill.example")
    destination = f"arn:aws:events:{REGION}:{ACCOUNT}:api-destination/{name}"
    someone = person(statement("events:UpdateApiDestination", [destination, mine]))
    update = someone.client("events").update_api_destination
    update(Name=name, HttpMethod="PUT")
    elsewhere = {"Name": name, "InvocationEndpoint": "https://elsewhere.example"}
    for named in {}, {"ConnectionArn": theirs}:
        assert (f"is not authorized to perform: events:UpdateApiDestination on resource: {theirs} "
                in denial(update, **elsewhere, **named)[2])
    update(**elsewhere, ConnectionArn=mine)
    update(Name=name, InvocationEndpoint="https://mine.example")
    assert events.describe_api_destination(Name=name)["InvocationEndpoint"] == "https://mine.example"


def test_dead_letters_of_rules_need_the_queues_leave(root, denials):  # noqa: F811
    rule = Rule(root, f"arn:aws:sqs:{REGION}:{ACCOUNT}:{unique('nowhere')}")
    rule.dead.open(source="arn:aws:events:*:*:rule/another")
    rule.put("first")
    denials(1, "sqs:SendMessage", rule.dead.arn)
    rule.dead.open(source=rule.arn)
    rule.put("second")
    assert [json.loads(each["Body"])["detail"]["text"] for each in rule.dead.wait()] == ["second"]


def test_a_bucket_tells_an_encrypted_queue_where_its_key_lets_it(root, denials):  # noqa: F811
    objects, bucket = root.client("s3"), unique("bucket")
    objects.create_bucket(Bucket=bucket)
    box = Box(root, "s3.amazonaws.com", encrypted=True)
    objects.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={
        "QueueConfigurations": [{"QueueArn": box.arn, "Events": ["s3:ObjectCreated:*"]}]})
    objects.put_object(Bucket=bucket, Key="first", Body=b"x")
    denials(2, "kms:GenerateDataKey", "s3.amazonaws.com")  # the test event, too
    box.let_use_key()
    objects.put_object(Bucket=bucket, Key="second", Body=b"x")
    told = [json.loads(each["Body"]) for each in box.wait()]
    assert [each["Records"][0]["s3"]["object"]["key"] for each in told] == ["second"]


def test_dead_letters_of_topics_need_the_leave_of_queue_and_key(root, denials):  # noqa: F811
    topics = root.client("sns")
    topic = topics.create_topic(Name=unique("topic"))["TopicArn"]
    closed = root.sqs.create_queue(QueueName=unique("closed"))["QueueUrl"]  # lets nobody send
    box = Box(root, "sns.amazonaws.com", encrypted=True)
    box.open(source=topic)
    topics.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn_of(closed), Attributes={
        "RawMessageDelivery": "true", "RedrivePolicy": json.dumps({"deadLetterTargetArn": box.arn})})
    topics.publish(TopicArn=topic, Message="first")
    denials(1, "sqs:SendMessage", arn_of(closed))
    denials(1, "kms:GenerateDataKey", "sns.amazonaws.com")
    box.let_use_key()
    topics.publish(TopicArn=topic, Message="second")
    assert [each["Body"] for each in box.wait()] == ["second"]


FAILS = "def handler(event, context):\n    if event == 'fail':\n        raise ValueError('no')\n    return event\n"


def test_destinations_and_dead_letters_of_functions_need_the_roles_rights(root, iam, role, denials):  # noqa: F811
    role_name, arn = role(service="lambda.amazonaws.com")
    name = unique("function")
    told, dead = (root.sqs.create_queue(QueueName=unique("told"))["QueueUrl"] for _ in range(2))
    create = {"FunctionName": name, "Runtime": "python3.12", "Handler": "app.handler", "Role": arn, "Timeout": 20,
              "Code": {"ZipFile": zip_of({"app.py": FAILS})}, "DeadLetterConfig": {"TargetArn": arn_of(dead)}}
    tell = {"FunctionName": name, "MaximumRetryAttempts": 0,
            "DestinationConfig": {"OnSuccess": {"Destination": arn_of(told)}}}
    may_send = policy(statement("sqs:SendMessage", [arn_of(told), arn_of(dead)]))
    lacks = ("InvalidParameterValueException", 400,
             "The provided execution role does not have permissions to call SendMessage on SQS")
    assert denial(root.functions.create_function, **create) == lacks
    iam.put_role_policy(RoleName=role_name, PolicyName="own", PolicyDocument=may_send)
    root.functions.create_function(**create)
    root.functions.get_waiter("function_active_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    root.functions.put_function_event_invoke_config(**tell)
    iam.delete_role_policy(RoleName=role_name, PolicyName="own")
    assert denial(root.functions.put_function_event_invoke_config, **tell) == (
        "InvalidParameterValueException", 400,
        f"The function's execution role does not have permissions to call SendMessage on {arn_of(told)}")
    assert denial(root.functions.update_function_configuration, FunctionName=name,
                  DeadLetterConfig=create["DeadLetterConfig"]) == lacks
    root.functions.update_function_configuration(FunctionName=name, Timeout=21)  # what is there stays

    def invoke(event):
        root.functions.invoke(FunctionName=name, InvocationType="Event", Payload=json.dumps(event))

    def bodies(url):
        found = root.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        for each in found:
            root.sqs.delete_message(QueueUrl=url, ReceiptHandle=each["ReceiptHandle"])
        return [each["Body"] for each in found]

    invoke("first")
    invoke("fail")
    denials(2, "sqs:SendMessage", arn_of(told), arn)  # after those of the settings
    denials(3, "sqs:SendMessage", arn_of(dead), arn)
    iam.put_role_policy(RoleName=role_name, PolicyName="own", PolicyDocument=may_send)
    invoke("second")
    [record] = eventually(lambda: bodies(told), "the destination is told")
    assert json.loads(record)["requestPayload"] == "second"
    invoke("fail")
    assert eventually(lambda: bodies(dead), "the dead letter comes") == ['"fail"']


def alarm_on(cloud, *targets):
    """An alarm that tells these when it is raised: its ARN, and raise_it(reason)."""
    watch, name = cloud.client("cloudwatch"), unique("alarm")
    watch.put_metric_alarm(AlarmName=name, Namespace="n", MetricName=name, Statistic="Sum", Period=60, EvaluationPeriods=1,
                           Threshold=1, ComparisonOperator="GreaterThanThreshold", AlarmActions=list(targets))
    [found] = watch.describe_alarms(AlarmNames=[name])["MetricAlarms"]

    def raise_it(reason):
        watch.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="all is well")
        watch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason=reason)
    return found["AlarmArn"], raise_it


def told(box):
    return [json.loads(json.loads(each["Body"])["Message"])["NewStateReason"] for each in box.take()]


def test_an_alarm_tells_topics_and_functions_that_let_it(root, iam, role, denials):  # noqa: F811
    topics, logs, name = root.client("sns"), root.client("logs"), unique("function")
    plain, closed = (topics.create_topic(Name=unique("topic"))["TopicArn"] for _ in range(2))
    topics.set_topic_attributes(TopicArn=closed, AttributeName="Policy", AttributeValue=policy(
        lets(EVENTS, "sns:Publish", closed)))
    plain_box, closed_box = Box(root, "sns.amazonaws.com"), Box(root, "sns.amazonaws.com")
    for topic, box in ((plain, plain_box), (closed, closed_box)):
        topics.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=box.arn)
    _, arn = role(statement(["logs:CreateLogStream", "logs:PutLogEvents", "logs:CreateLogGroup"]),
                  service="lambda.amazonaws.com")
    function = root.functions.create_function(
        FunctionName=name, Runtime="python3.12", Handler="app.handler", Role=arn, Timeout=20,
        Code={"ZipFile": zip_of({"app.py": "def handler(event, context):\n    print(event['alarmData']['state']['reason'])\n"})},
    )["FunctionArn"]
    root.functions.get_waiter("function_active_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    alarm, raise_it = alarm_on(root, plain, closed, function)

    raise_it("first")
    assert eventually(lambda: told(plain_box), "the topic with its own policy is told") == ["first"]
    denials(1, "sns:Publish", closed, "cloudwatch.amazonaws.com")
    denials(1, "lambda:InvokeFunction", function, "lambda.alarms.cloudwatch.amazonaws.com")

    topics.set_topic_attributes(TopicArn=closed, AttributeName="Policy", AttributeValue=policy(
        lets("cloudwatch.amazonaws.com", "sns:Publish", closed, alarm)))
    root.functions.add_permission(FunctionName=name, StatementId="alarm", Action="lambda:InvokeFunction",
                                  Principal="lambda.alarms.cloudwatch.amazonaws.com", SourceArn=alarm, SourceAccount=ACCOUNT)
    raise_it("second")
    assert eventually(lambda: told(closed_box), "the topic that lets it is told") == ["second"]

    def reasons():
        try:
            lines = logs.filter_log_events(logGroupName=f"/aws/lambda/{name}")["events"]
        except logs.exceptions.ResourceNotFoundException:
            return []
        return [line["message"].strip() for line in lines if line["message"].strip() in ("first", "second")]
    assert eventually(reasons, "the function that lets it runs") == ["second"]


def test_an_alarm_tells_nobody_of_another_account_who_does_not_let_it(tmp_path):
    data = tmp_path / "data"
    server = Server(data, log=tmp_path / "log").start()  # noqa: F811
    try:
        theirs = Cloud(server.endpoint, access_key="111111111111").client("sns")
        topic, open_to_it = (theirs.create_topic(Name=unique("topic"))["TopicArn"] for _ in range(2))
        theirs.set_topic_attributes(TopicArn=open_to_it, AttributeName="Policy", AttributeValue=policy(
            {**lets("cloudwatch.amazonaws.com", "sns:Publish", open_to_it),
             "Condition": {"StringEquals": {"aws:SourceAccount": ACCOUNT}}}))
        own = Cloud(server.endpoint)
        box = Box(own, "sns.amazonaws.com")
        for each in (topic, open_to_it):
            theirs.subscribe(TopicArn=each, Protocol="sqs", Endpoint=box.arn)
    finally:
        server.stop()
    server = Server(data, "--auth", "iam", log=tmp_path / "log").start()
    try:
        key = server.root_key
        root = Cloud(server.endpoint, access_key=key["AWS_ACCESS_KEY_ID"], secret_key=key["AWS_SECRET_ACCESS_KEY"])  # noqa: F811
        box.cloud = root
        _, raise_it = alarm_on(root, topic, open_to_it)
        raise_it("reason")
        assert eventually(lambda: told(box), "the topic that lets it is told") == ["reason"]
        eventually(lambda: any("denied" in line and topic in line for line in server.log_lines), "the other denies")
        assert told(box) == []
    finally:
        server.kill()


def texts_of(theirs, queue):
    found = theirs.sqs.receive_message(QueueUrl=theirs.sqs.get_queue_url(QueueName=queue)["QueueUrl"])
    return [json.loads(message["Body"])["detail"]["text"] for message in found.get("Messages", [])]


class Neighbour:
    """Another account, whose resources are made, and looked at in the end, while policies are not enforced."""

    def __init__(self, directory):
        self.data, self.log, self.account = directory / "data", directory / "log", "111111111111"

    def visit(self, do):
        """What `do`, given a cloud of the account and one of our own, returns."""
        server = Server(self.data, log=self.log).start()  # noqa: F811
        try:
            return do(Cloud(server.endpoint, access_key=self.account), Cloud(server.endpoint))
        finally:
            server.stop()

    def guarded(self, do):
        server = Server(self.data, "--auth", "iam", log=self.log).start()  # noqa: F811
        try:
            do(root_of(server))
        finally:
            server.stop()

    def arn(self, service, resource):
        return f"arn:aws:{service}:{REGION}:{self.account}:{resource}"

    def queue(self, theirs, name, *statements):
        url = theirs.sqs.create_queue(QueueName=name)["QueueUrl"]
        if statements:
            theirs.sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy(*statements)})
        return self.arn("sqs", name)


def test_a_rule_sends_to_queues_of_another_account_where_its_role_may_and_they_let_it(tmp_path):
    there, name = Neighbour(tmp_path), unique("role")
    role_arn = f"arn:aws:iam::{ACCOUNT}:role/{name}"
    queues = {each: there.arn("sqs", each) for each in ("closed", "service", "open")}

    def make(theirs, own):
        own.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=trust(Service=EVENTS))
        there.queue(theirs, "closed")
        there.queue(theirs, "service", lets(EVENTS, "sqs:SendMessage", queues["service"]))
        there.queue(theirs, "open", {"Effect": "Allow", "Principal": {"AWS": role_arn}, "Action": "sqs:SendMessage",
                                     "Resource": queues["open"]})

    def send(root):  # noqa: F811
        # The role may nothing yet, whatever the queue says.
        rule = Rule(root, queues["open"], role_arn)
        rule.denied("first")
        root.client("iam").put_role_policy(RoleName=name, PolicyName="own",
                                           PolicyDocument=policy(statement("sqs:SendMessage")))
        rule.put("second")
        # What they let is the role, not the service.
        for each in ("closed", "service"):
            Rule(root, queues[each], role_arn).denied("third")

        def refusal(arn):
            return denial(rule.events.put_targets, Rule=rule.name, EventBusName=rule.bus,
                          Targets=[{"Id": "2", "Arn": arn}])
        code, _, message = refusal(there.arn("logs", "log-group:g"))
        assert code == "AccessDeniedException" and "Adding cross-account target is not permitted." in message
        assert refusal(queues["service"])[2] == f"RoleArn is required for target {queues['service']}."

    there.visit(make)
    there.guarded(send)
    there.visit(lambda theirs, _: eventually(lambda: texts_of(theirs, "open") == ["second"], "the queue that lets it"))
    assert there.visit(lambda theirs, _: texts_of(theirs, "closed") + texts_of(theirs, "service")) == []


def test_a_bus_of_another_account_takes_events_of_rules_that_its_policy_lets(tmp_path):
    there = Neighbour(tmp_path)

    def make(theirs, _):
        events = theirs.client("events")
        for each in ("closed", "open"):
            events.create_event_bus(Name=each)
            events.put_rule(Name="all", EventBusName=each, EventPattern=json.dumps({"detail-type": ["order"]}))
            arn = there.queue(theirs, each, lets(EVENTS, "sqs:SendMessage", there.arn("sqs", each)))
            events.put_targets(Rule="all", EventBusName=each, Targets=[{"Id": "1", "Arn": arn}])
        events.put_permission(EventBusName="open", Action="events:PutEvents", Principal=ACCOUNT, StatementId="open")

    def send(root):  # noqa: F811
        roles, name = root.client("iam"), unique("role")
        arn = roles.create_role(RoleName=name, AssumeRolePolicyDocument=trust(Service=EVENTS))["Role"]["Arn"]
        roles.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(statement("events:PutEvents")))
        Rule(root, there.arn("events", "event-bus/open"), arn).put("second")
        Rule(root, there.arn("events", "event-bus/closed"), arn).denied("third")

    there.visit(make)
    there.guarded(send)
    there.visit(lambda theirs, _: eventually(lambda: texts_of(theirs, "open") == ["second"], "the bus that lets it"))
    assert there.visit(lambda theirs, _: texts_of(theirs, "closed")) == []


def test_the_root_of_an_account_is_nobody_in_anothers_bucket(tmp_path):
    data, bucket = tmp_path / "data", unique("bucket")
    server = Server(data, log=tmp_path / "log").start()  # noqa: F811
    try:
        theirs = Cloud(server.endpoint, access_key="111111111111").client("s3")
        theirs.create_bucket(Bucket=bucket)
        theirs.put_object(Bucket=bucket, Key="key", Body=b"x")
    finally:
        server.stop()
    server = Server(data, "--auth", "iam", log=tmp_path / "log").start()
    try:
        key = server.root_key
        objects = Cloud(server.endpoint, access_key=key["AWS_ACCESS_KEY_ID"], secret_key=key["AWS_SECRET_ACCESS_KEY"]).client("s3")
        for call, more in ((objects.get_object, {"Key": "key"}), (objects.put_object, {"Key": "key", "Body": b"y"}),
                           (objects.delete_object, {"Key": "key"}), (objects.list_objects_v2, {})):
            assert denial(call, Bucket=bucket, **more)[:2] == ("AccessDenied", 403)
        own = unique("bucket")
        objects.create_bucket(Bucket=own)
        objects.put_object(Bucket=own, Key="key", Body=b"x")
    finally:
        server.kill()


def test_a_pipe_logs_where_its_creator_may_deliver_logs(person, root, iam):  # noqa: F811
    service, name = "pipes.amazonaws.com", unique("pipe")
    role = iam.create_role(RoleName=unique("role"), AssumeRolePolicyDocument=trust(Service=service))["Role"]["Arn"]
    box, allowed = Box(root, service), ["pipes:*", "iam:PassRole"]
    new = {"RoleArn": role, "Source": box.arn, "Target": box.arn, "DesiredState": "STOPPED"}
    log = {"LogConfiguration": {"Level": "TRACE", "CloudwatchLogsLogDestination": {
        "LogGroupArn": f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{unique('group')}"}}}
    someone = person(statement(allowed))

    def ask(method, members):  # boto3 of some age does not know LogConfiguration
        status, _, body = someone.cloud.raw("pipes", method, f"/v1/pipes/{name}", json.dumps(members))
        return status, body if isinstance(body, str) else body.decode()

    def is_refused(method, members):
        status, body = ask(method, members)
        return status == 403 and f"{someone.arn} is not authorized to perform: logs:CreateLogDelivery" in body

    assert is_refused("POST", {**new, **log})
    assert ask("POST", new)[0] == 200
    eventually(lambda: someone.client("pipes").describe_pipe(Name=name)["CurrentState"] == "STOPPED", "the pipe is there")
    assert is_refused("PUT", {"RoleArn": role, **log})
    someone.may(statement([*allowed, "logs:CreateLogDelivery"]))
    assert ask("PUT", {"RoleArn": role, **log})[0] == 200


def test_the_name_of_another_accounts_bucket_is_taken(tmp_path):
    there, name = Neighbour(tmp_path), unique("taken")
    there.visit(lambda theirs, _: theirs.s3.create_bucket(Bucket=name))

    def make(root):  # noqa: F811
        assert denial(root.s3.create_bucket, Bucket=name)[:2] == ("BucketAlreadyExists", 409)
        assert denial(root.s3.create_bucket, Bucket=name, ACL="private")[:2] == ("BucketAlreadyExists", 409)
        assert denial(root.s3.put_bucket_acl, Bucket=name, ACL="private")[0] == "AccessDenied"

    there.guarded(make)

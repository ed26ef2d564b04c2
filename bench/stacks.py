"""Stacks: the server's part of a CDK application's deployment, an update and the removal, and a stack of 200 resources."""
import json
import time

from harness import eventually, zip_of
from rig import progress

ROUNDS = 5  # of the case; the median counts
DEPLOY_MS = 1_000
RESOURCES = 200
RESOURCES_MS = 3_000
LOOKS_SECONDS = 0.002  # between two looks at a stack's status
BUCKET = "assets"
ASSET_BYTES = 400_000  # as esbuild leaves a function whose SDK is bundled

HANDLER = "exports.handler = async (event) => ({ time: event.time });\n// "


def measure(rig, report):
    floor_ms = durable_put_ms(rig)
    the_case(rig, report, floor_ms)
    many_resources(rig, report, floor_ms)


def durable_put_ms(rig):
    """A durable write alone, one after the other."""
    url, pid = rig.program("put_server", rig.scratch / "put")
    return rig.load(url, 1, "x" * 1000, pid=pid)["p50_us"] / 1000


def of(kind, **properties):
    return {"Type": "AWS::" + kind, "Properties": properties}


def att(name, attribute):
    return {"Fn::GetAtt": [name, attribute]}


def trust(service):
    return {"Version": "2012-10-17",
            "Statement": [{"Action": "sts:AssumeRole", "Effect": "Allow", "Principal": {"Service": service}}]}


def case(minutes=1):
    """The template that the CDK makes of a table with an index, a bundled function that may query it and delete from it,
    and a rule that calls it every minute."""
    index = {"IndexName": "by-window", "Projection": {"ProjectionType": "KEYS_ONLY"},
             "KeySchema": [{"AttributeName": "expirationWindow", "KeyType": "HASH"},
                           {"AttributeName": "ttl", "KeyType": "RANGE"}]}
    attributes = {"id": "S", "expirationWindow": "S", "ttl": "N"}
    table = of("DynamoDB::Table", BillingMode="PAY_PER_REQUEST", GlobalSecondaryIndexes=[index],
               AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in attributes.items()],
               KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
               TimeToLiveSpecification={"AttributeName": "purgeAt", "Enabled": True})
    role = of("IAM::Role", AssumeRolePolicyDocument=trust("lambda.amazonaws.com"), ManagedPolicyArns=[
        {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, ":iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"]]}])
    policy = of("IAM::Policy", PolicyName="ExpireServiceRoleDefaultPolicy", Roles=[{"Ref": "Role"}], PolicyDocument={
        "Version": "2012-10-17", "Statement": [{"Action": ["dynamodb:Query", "dynamodb:BatchWriteItem"], "Effect": "Allow",
            "Resource": [att("Table", "Arn"), {"Fn::Join": ["", [att("Table", "Arn"), "/index/by-window"]]}]}]})
    function = of("Lambda::Function", Runtime="nodejs22.x", Handler="index.handler", Role=att("Role", "Arn"), Timeout=300,
                  MemorySize=2048, Environment={"Variables": {"TABLE": {"Ref": "Table"}, "INDEX": "by-window"}},
                  Code={"S3Bucket": BUCKET, "S3Key": "function.zip"})
    rule = of("Events::Rule", ScheduleExpression=f"cron(*/{minutes} * * * ? *)", State="ENABLED", Targets=[
        {"Id": "Target0", "Arn": att("Function", "Arn"),
         "InputTransformer": {"InputPathsMap": {"time": "$.time"}, "InputTemplate": '{"time":<time>}'}}])
    permission = of("Lambda::Permission", Action="lambda:InvokeFunction", FunctionName=att("Function", "Arn"),
                    Principal="events.amazonaws.com", SourceArn=att("Rule", "Arn"))
    return {"Table": table, "Role": role, "Policy": policy, "Function": {**function, "DependsOn": ["Policy", "Role"]},
            "Rule": rule, "Permission": permission, "CDKMetadata": of("CDK::Metadata", Analytics="v2:deflate64:H4sI")}


class Stacks:
    """One server's stacks, and how long operations on them take, in milliseconds."""

    def __init__(self, server):
        self.server = server
        self.cfn, self.s3 = server.cloud.client("cloudformation"), server.cloud.client("s3")
        self.s3.create_bucket(Bucket=BUCKET)

    def commits(self):
        lines = self.server.cloud.get("/metrics").splitlines()
        line = next(line for line in lines if line.startswith("tidemill_store_commits"))
        return float(line.split()[-1])

    def ended(self, stack, expected):
        def look():
            found = self.cfn.describe_stacks(StackName=stack)["Stacks"][0]
            return None if found["StackStatus"].endswith("_IN_PROGRESS") else found
        found = eventually(look, "the end of the operation", 120, LOOKS_SECONDS)
        if found["StackStatus"] != expected:
            raise SystemExit(f"the stack ended as {found['StackStatus']}: {found.get('StackStatusReason')}")

    def deploy(self, name, resources, kind, assets=()):
        """As the CDK's CLI does it: assets, the template, a change set made, looked at and executed, until its end."""
        body = json.dumps({"Resources": resources}, indent=1)
        begun = time.perf_counter()
        for key, data in [*assets, (f"{name}.json", body.encode())]:
            self.s3.put_object(Bucket=BUCKET, Key=key, Body=data)
        if kind == "UPDATE":
            self.cfn.delete_change_set(StackName=name, ChangeSetName="deploy")  # the one before
        made = self.cfn.create_change_set(StackName=name, ChangeSetName="deploy", ChangeSetType=kind, IncludeNestedStacks=True,
                                          TemplateURL=f"https://s3.us-east-1.amazonaws.com/{BUCKET}/{name}.json",
                                          Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"])
        shown = self.cfn.describe_change_set(ChangeSetName=made["Id"])
        if shown["Status"] != "CREATE_COMPLETE":
            raise SystemExit(f"the change set came to {shown['Status']}: {shown.get('StatusReason')}")
        self.cfn.execute_change_set(ChangeSetName=made["Id"])
        self.ended(made["StackId"], f"{kind}_COMPLETE")
        return (time.perf_counter() - begun) * 1000

    def delete(self, name):
        stack = self.cfn.describe_stacks(StackName=name)["Stacks"][0]["StackId"]
        begun = time.perf_counter()
        self.cfn.delete_stack(StackName=stack)
        self.ended(stack, "DELETE_COMPLETE")
        return (time.perf_counter() - begun) * 1000


def middle(values):
    return sorted(values)[len(values) // 2]


def the_case(rig, report, floor_ms):
    stacks = Stacks(rig.server(name="case"))
    code = zip_of({"index.js": HANDLER + "x" * ASSET_BYTES})
    taken = {"deploy": [], "update": [], "destroy": []}
    commits = {}  # of the last round

    def note(what, operation):
        before = stacks.commits()
        taken[what].append(operation())
        commits[what] = stacks.commits() - before

    for number in range(ROUNDS):
        name = f"case-{number}"
        note("deploy", lambda: stacks.deploy(name, case(), "CREATE", [("function.zip", code)]))
        note("update", lambda: stacks.deploy(name, case(minutes=2), "UPDATE"))
        note("destroy", lambda: stacks.delete(name))
    for what, values in taken.items():
        expect = (f"at most {DEPLOY_MS / 1000:.0f} s", middle(values) <= DEPLOY_MS) if what == "deploy" else None
        report.add(f"the CDK case: the server's part of its {what}, p50", middle(values), "ms",
                   f"{commits[what]:.0f} durable puts, one after the other", commits[what] * floor_ms, "lower", expect,
                   note=f"of {ROUNDS}; worst {max(values):.0f} ms")
        progress(f"the case, {what}: p50 {middle(values):.0f} ms, worst {max(values):.0f} ms")


def two_hundred():
    """Of five kinds, in chains of four and one: a queue that names its parameter, and beside it what stands alone."""
    resources = {}
    for number in range(RESOURCES // 5):
        resources |= {
            f"Parameter{number}": of("SSM::Parameter", Type="String", Value=str(number)),
            f"Queue{number}": of("SQS::Queue", Tags=[{"Key": "parameter", "Value": {"Ref": f"Parameter{number}"}}]),
            f"Topic{number}": of("SNS::Topic"),
            f"Subscription{number}": of("SNS::Subscription", Protocol="sqs", TopicArn={"Ref": f"Topic{number}"},
                                        Endpoint=att(f"Queue{number}", "Arn")),
            f"Group{number}": of("Logs::LogGroup", RetentionInDays=7),
        }
    return resources


def many_resources(rig, report, floor_ms):
    stacks = Stacks(rig.server(name="many"))
    floor = by_hand_ms(rig.server(name="by-hand"))
    before = stacks.commits()
    taken = stacks.deploy("many", two_hundred(), "CREATE")
    commits = stacks.commits() - before
    removal = stacks.delete("many")
    removing = stacks.commits() - before - commits
    report.add(f"a stack of {RESOURCES} resources", taken, "ms", "the same calls without a stack, one after the other", floor,
               "lower", (f"at most {RESOURCES_MS / 1000:.0f} s", taken <= RESOURCES_MS),
               note=f"{commits:.0f} commits; as many durable puts one after the other: {commits * floor_ms:.0f} ms")
    report.add("its removal", removal, "ms", f"{removing:.0f} durable puts, one after the other", removing * floor_ms, "lower",
               note="all in parallel along the graph")
    progress(f"{RESOURCES} resources: {taken:.0f} ms, by hand {floor:.0f} ms; removed in {removal:.0f} ms")


def by_hand_ms(server):
    """What two_hundred() makes, made by its services' own operations."""
    cloud = server.cloud
    ssm, sns, logs = cloud.client("ssm"), cloud.client("sns"), cloud.client("logs")
    begun = time.perf_counter()
    for number in range(RESOURCES // 5):
        ssm.put_parameter(Name=f"by-hand-{number}", Type="String", Value=str(number))
        url = cloud.sqs.create_queue(QueueName=f"by-hand-{number}", tags={"parameter": f"by-hand-{number}"})["QueueUrl"]
        queue = cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        topic = sns.create_topic(Name=f"by-hand-{number}")["TopicArn"]
        sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=queue)
        logs.create_log_group(logGroupName=f"by-hand-{number}")
        logs.put_retention_policy(logGroupName=f"by-hand-{number}", retentionInDays=7)
    return (time.perf_counter() - begun) * 1000

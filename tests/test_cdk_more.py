"""What else the AWS CDK of npm does for tests/cdk, with only the endpoint set: diffs, watching and hot-swapping, failed
deployments that are kept and rolled back, the removal of assets that nobody uses, and the CDK's own custom resources.
The modules are those of examples/precise-expiry/cdk."""
import json
import shutil
import signal
import subprocess

import pytest

from harness import ROOT, Cloud, Server, eventually, refused
from npm_support import Tool, installed
from test_cdk import DEPLOY, QUIET

pytestmark = pytest.mark.local
STACK, FUNCTION, MACHINE = "Tidal", "tidal-tell", "tidal-machine"
WATCH_SECONDS = 120


class Application:
    def __init__(self, server, folder, home):
        self.cloud, self.folder = Cloud(server.endpoint), folder
        self.cfn = self.cloud.client("cloudformation")
        self.cdk = Tool("cdk", folder, server, home, **QUIET)

    def status(self):
        return self.cfn.describe_stacks(StackName=STACK)["Stacks"][0]["StackStatus"]

    def last_event(self):
        return self.cfn.describe_stack_events(StackName=STACK)["StackEvents"][0]["EventId"]

    def stacks(self):
        return {one["StackName"] for one in self.cfn.list_stacks()["StackSummaries"]
                if one["StackStatus"] != "DELETE_COMPLETE"}

    def told(self):
        return self.cloud.invoke(FUNCTION, {})[1]

    def change(self, file, old, new):
        path = self.folder / file
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))


def files_of(folder):
    shutil.copytree(ROOT / "tests" / "cdk", folder)
    (folder / "node_modules").symlink_to(installed(ROOT / "examples" / "precise-expiry" / "cdk"))
    return folder


@pytest.fixture(scope="module")
def bootstrapped(tmp_path_factory):
    """A folder with what a server keeps after a bootstrap."""
    folder = tmp_path_factory.mktemp("bootstrapped")
    server = Server(folder / "pond" / "data").start()
    try:
        Application(server, files_of(folder / "cdk"), folder).cdk("bootstrap", "--no-notices")
    finally:
        server.stop()
    return folder / "pond"


@pytest.fixture(scope="module")
def deployed(bootstrapped, tmp_path_factory):
    """A folder with what a server keeps after a first deployment."""
    folder = tmp_path_factory.mktemp("deployed")
    server = Server(shutil.copytree(bootstrapped, folder / "pond") / "data").start()
    try:
        Application(server, files_of(folder / "cdk"), folder).cdk(*DEPLOY)
    finally:
        server.stop()
    return folder / "pond"


@pytest.fixture
def application(request, start_server, tmp_path):
    """The application after its first deployment; `before_it`: before that."""
    pond = shutil.copytree(request.getfixturevalue(getattr(request, "param", "deployed")), tmp_path / "pond")
    return Application(start_server(data=pond / "data"), files_of(tmp_path / "cdk"), tmp_path)


before_it = pytest.mark.parametrize("application", ["bootstrapped"], indirect=True)


@before_it
def test_a_diff_says_what_a_change_set_says_and_leaves_nothing(application):
    cdk = application.cdk
    assert "[+] AWS::SQS::Queue" in cdk("diff", "--no-notices")
    assert application.stacks() == {"CDKToolkit"}
    cdk(*DEPLOY)
    assert "There were no differences" in cdk("diff", "--no-notices")
    last = application.last_event()
    # That the queue goes with its name only a change set tells.
    said = cdk("diff", "--no-notices", "-c", "delay=7", "-c", "queue=other")
    assert "[~] AWS::SQS::Queue Queue" in said and "replace" in said
    assert "[-] 5" in said and "[+] 7" in said
    said = cdk("diff", "--no-notices", "--method=template", "-c", "delay=7")
    assert "[~] AWS::SQS::Queue Queue" in said and "[+] 7" in said
    assert application.last_event() == last
    assert application.cfn.list_change_sets(StackName=STACK)["Summaries"][0]["ChangeSetName"] == "cdk-deploy-change-set"


def test_a_failed_deployment_is_kept_and_rolled_back_and_unused_assets_go(application):
    cdk = application.cdk
    with pytest.raises(AssertionError, match="VisibilityTimeout"):
        cdk(*DEPLOY, "--no-rollback", "-c", "delay=6", "-c", "broken=1")
    assert application.status() == "UPDATE_FAILED"
    cdk("rollback", "--no-notices")
    assert application.status() == "UPDATE_ROLLBACK_COMPLETE"
    cdk(*DEPLOY, "-c", "delay=6")
    assert application.status() == "UPDATE_COMPLETE"

    bucket = next(one["Name"] for one in application.cloud.s3.list_buckets()["Buckets"])
    before = application.cloud.s3.list_objects_v2(Bucket=bucket)["KeyCount"]
    said = cdk("gc", "--no-notices", "--unstable=gc", "--type=s3", "--rollback-buffer-days=0",
               "--created-buffer-days=0", "--confirm=false")
    after = application.cloud.s3.list_objects_v2(Bucket=bucket)["KeyCount"]
    assert 0 < after < before, said
    assert application.told() == {"told": "first", "tide": "low"}


# The CLI swaps functions by Lambda's own operations, and watches what they print.
def test_a_watched_application_is_swapped_as_its_files_change(application):
    cdk = application.cdk
    last = application.last_event()
    log = (application.folder / "watch.log").open("w+")
    watching = subprocess.Popen([str(cdk.program), "watch", "--no-notices"], cwd=application.folder,
                                env=cdk.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    try:
        def printed(text):
            return lambda: text in (application.folder / "watch.log").read_text() or watching.poll() is not None
        eventually(printed("Triggering initial"), "the first deployment of the watch", WATCH_SECONDS)
        eventually(printed("deployment time"), "the end of the first deployment", WATCH_SECONDS)
        application.change("function/index.mjs", '"first"', '"second"')
        eventually(lambda: application.told()["told"] == "second", "the swapped code", WATCH_SECONDS, 0.5)
        application.change("function/index.mjs", '"second"', '"third"')
        eventually(lambda: application.told()["told"] == "third", "the code swapped again", WATCH_SECONDS, 0.5)
    finally:
        watching.send_signal(signal.SIGINT)
        watching.wait(30)
    assert application.last_event() == last
    assert "hotswapped" in (application.folder / "watch.log").read_text()


# Their functions answer at the host of the ResponseURL by https, whatever else the URL says, and BucketDeployment's runs
# a script of its layer.
@before_it
def test_custom_resources_of_the_cdks_own_work(application):
    cloud, cdk, custom = application.cloud, application.cdk, ("--app", "node custom.mjs")

    def parameter():
        return cloud.client("ssm").get_parameter(Name="/tidal/custom")["Parameter"]["Value"]

    def outputs():
        (stack,) = application.cfn.describe_stacks(StackName="Custom")["Stacks"]
        return {one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}

    def text(key):
        return cloud.s3.get_object(Bucket=outputs()["BucketName"], Key=key)["Body"].read().decode()

    cdk(*DEPLOY, *custom)
    assert (parameter(), outputs()["Version"], outputs()["Said"]) == ("low", "1", "Create")
    assert text("index.html") == "<h1>tide</h1>\n" and text("tide.txt") == "low"
    configured = cloud.s3.get_bucket_notification_configuration(Bucket=outputs()["BucketName"])
    (told,) = configured["QueueConfigurations"]
    assert told["Filter"]["Key"]["FilterRules"][0]["Value"] == "in/"
    (group,) = cloud.client("logs").describe_log_groups(logGroupNamePrefix="/aws/lambda/tidal-make")["logGroups"]
    assert group["retentionInDays"] == 7

    cdk(*DEPLOY, *custom, "-c", "value=high")
    assert (parameter(), outputs()["Said"], text("tide.txt")) == ("high", "Update", "high")

    bucket = outputs()["BucketName"]
    cdk("destroy", "--force", "--no-notices", *custom)
    assert bucket not in {one["Name"] for one in cloud.s3.list_buckets()["Buckets"]}
    with refused("ParameterNotFound"):
        parameter()


def test_what_stands_is_imported(application):
    cdk, cloud = application.cdk, application.cloud
    url = cloud.sqs.create_queue(QueueName="tidal-stray")["QueueUrl"]
    mapping = application.folder / "mapping.json"
    mapping.write_text(json.dumps({"Stray": {"QueueUrl": url}}))
    cdk("import", "--no-notices", "--resource-mapping", str(mapping), "-c", "stray=tidal-stray")
    assert application.status() == "IMPORT_COMPLETE"
    found = application.cfn.describe_stack_resource(StackName=STACK, LogicalResourceId="Stray")["StackResourceDetail"]
    assert (found["PhysicalResourceId"], found["ResourceStatus"]) == (url, "IMPORT_COMPLETE")
    cdk(*DEPLOY, "-c", "stray=tidal-stray", "-c", "delay=6")  # it goes on from there
    assert application.status() == "UPDATE_COMPLETE"
    assert cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])


def test_what_exists_is_imported_by_a_deployment(application):
    cdk, cloud, table = application.cdk, application.cloud, ("-c", "table=tidal-table")
    cloud.client("dynamodb").create_table(
        TableName="tidal-table", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])
    with pytest.raises(AssertionError, match="DeletionPolicy"):
        cdk(*DEPLOY, *table, "--import-existing-resources")
    assert "import" in cdk("diff", "--no-notices", *table, "-c", "kept=1", "--import-existing-resources")
    cdk(*DEPLOY, *table, "-c", "kept=1", "-c", "delay=7", "--import-existing-resources")
    assert application.status() == "UPDATE_COMPLETE"
    found = {one["ResourceType"]: one for one in
             application.cfn.describe_stack_resources(StackName=STACK)["StackResources"]}["AWS::DynamoDB::Table"]
    assert (found["PhysicalResourceId"], found["ResourceStatus"]) == ("tidal-table", "IMPORT_COMPLETE")


# The bucket of assets stays when its stack goes.
@before_it
def test_a_bootstrap_takes_in_what_the_last_one_has_left(application):
    def bucket():
        return application.cfn.describe_stack_resource(
            StackName="CDKToolkit", LogicalResourceId="StagingBucket")["StackResourceDetail"]
    before = bucket()
    application.cfn.delete_stack(StackName="CDKToolkit")
    eventually(lambda: "CDKToolkit" not in application.stacks(), "the end of the bootstrap's stack")
    application.cdk("bootstrap", "--no-notices")
    after = bucket()
    assert (after["PhysicalResourceId"], after["ResourceStatus"]) == (before["PhysicalResourceId"], "IMPORT_COMPLETE")
    application.cdk(*DEPLOY)
    assert application.told() == {"told": "first", "tide": "low"}


@before_it
def test_a_table_is_swapped_without_a_deployment(application):
    table = ("-c", "table=tidal-table")
    application.cdk(*DEPLOY, *table)
    last = application.last_event()
    assert "hotswapped" in application.cdk(*DEPLOY, *table, "--hotswap", "-c", "expiry=ttl")
    expiry = application.cloud.client("dynamodb").describe_time_to_live(TableName="tidal-table")["TimeToLiveDescription"]
    assert (expiry["TimeToLiveStatus"], expiry["AttributeName"]) == ("ENABLED", "ttl")
    assert application.last_event() == last


def test_a_changed_definition_is_swapped(application):
    states, last = application.cloud.client("stepfunctions"), application.last_event()
    machine = next(one for one in states.list_state_machines()["stateMachines"] if one["name"] == MACHINE)

    def tide():
        definition = states.describe_state_machine(stateMachineArn=machine["stateMachineArn"])["definition"]
        return json.loads(definition)["States"]["Say"]["Result"]["tide"]
    assert tide() == "low"
    said = application.cdk(*DEPLOY, "--hotswap", "-c", "tide=high", "-c", "delay=9")
    assert "hotswapped" in said
    eventually(lambda: tide() == "high", "the swapped definition")
    assert application.last_event() == last  # the stack knows nothing of it
    queue = application.cfn.describe_stacks(StackName=STACK)["Stacks"][0]["Outputs"][0]["OutputValue"]
    attributes = application.cloud.sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["DelaySeconds"])
    assert attributes["Attributes"]["DelaySeconds"] == "9"

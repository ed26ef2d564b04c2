"""Nested stacks with boto3: change sets of a hierarchy, and templates that change where they are."""
import json
import random
import time

import pytest
from cloudformation_support import change_set, create, queue, resources, settled, template, told, update
from harness import Cloud, eventually, quietly, refused, unique

STACK = "AWS::CloudFormation::Stack"
KILLS = 4  # of one deployment


@pytest.fixture
def cfn(cloud):
    return cloud.client("cloudformation")


@pytest.fixture
def bucket(cloud):
    name = unique("templates")
    cloud.s3.create_bucket(Bucket=name)
    return name


@pytest.fixture
def name(cfn):
    name = unique("nest")
    yield name
    quietly(cfn.delete_stack, StackName=name)


def put(cloud, bucket, key, body):
    cloud.s3.put_object(Bucket=bucket, Key=key, Body=body.encode())
    return f"https://s3.amazonaws.com/{bucket}/{key}"


def nested(url, **properties):
    return {"Type": STACK, "Properties": {"TemplateURL": url, **properties}}


def inner(delay=1, **more):
    return template({"Queue": queue(DelaySeconds=delay), **more}, Outputs={"Url": {"Value": {"Ref": "Queue"}}})


def delay_of(cloud, cfn, stack, logical="Queue"):
    url = resources(cfn, stack)[logical]["PhysicalResourceId"]
    name = url.rsplit("/", 1)[1]
    url = cloud.sqs.get_queue_url(QueueName=name)["QueueUrl"]
    return cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["DelaySeconds"])["Attributes"]["DelaySeconds"]


def changes_of(found):
    return {one["ResourceChange"]["LogicalResourceId"]: one["ResourceChange"] for one in found["Changes"]}


def test_a_hierarchy_is_made_by_one_change_set(cloud, cfn, name, bucket):
    grandchild = put(cloud, bucket, "grandchild", inner(7))
    child = put(cloud, bucket, "child", inner(5, Inner=nested(grandchild)))
    root = change_set(cfn, name, template({"Child": nested(child), "Queue": queue()}), "CREATE", IncludeNestedStacks=True)
    assert (root["Status"], root["IncludeNestedStacks"]) == ("CREATE_COMPLETE", True)
    assert "RootChangeSetId" not in root and "ParentChangeSetId" not in root
    assert changes_of(root)["Child"]["Action"] == "Add" and "ChangeSetId" not in changes_of(root)["Queue"]
    below = cfn.describe_change_set(ChangeSetName=changes_of(root)["Child"]["ChangeSetId"])
    assert (below["ParentChangeSetId"], below["RootChangeSetId"]) == (root["ChangeSetId"], root["ChangeSetId"])
    assert {one: change["Action"] for one, change in changes_of(below).items()} == {"Queue": "Add", "Inner": "Add"}
    last = cfn.describe_change_set(ChangeSetName=changes_of(below)["Inner"]["ChangeSetId"])
    assert (last["ParentChangeSetId"], last["RootChangeSetId"]) == (below["ChangeSetId"], root["ChangeSetId"])
    reviewed = cfn.describe_stacks(StackName=below["StackId"])["Stacks"][0]
    assert (reviewed["StackStatus"], reviewed["ParentId"]) == ("REVIEW_IN_PROGRESS", root["StackId"])
    with refused("InvalidChangeSetStatus"):
        cfn.execute_change_set(ChangeSetName=below["ChangeSetId"])
    # What was reviewed is what is made, whatever stands at the URL by then.
    put(cloud, bucket, "child", inner(99))
    cfn.execute_change_set(ChangeSetName="changes", StackName=name)
    assert settled(cfn, name)["StackStatus"] == "CREATE_COMPLETE", told(cfn, name)
    made = resources(cfn, name)["Child"]["PhysicalResourceId"]
    assert made == below["StackId"] and delay_of(cloud, cfn, made) == "5"
    assert delay_of(cloud, cfn, last["StackId"]) == "7"
    stack = cfn.describe_stacks(StackName=made)["Stacks"][0]
    assert (stack["StackStatus"], stack["ChangeSetId"]) == ("CREATE_COMPLETE", below["ChangeSetId"])
    assert cfn.describe_change_set(ChangeSetName=below["ChangeSetId"])["ExecutionStatus"] == "EXECUTE_COMPLETE"


def protection_of(cfn, stack):
    return cfn.describe_stacks(StackName=stack)["Stacks"][0]["EnableTerminationProtection"]


def test_what_is_nested_is_protected_with_its_root(cloud, cfn, name, bucket):
    url = put(cloud, bucket, "child", inner(1, Inner=nested(put(cloud, bucket, "grandchild", inner(2)))))
    body = {"Child": nested(url), "Left": {**nested(url), "DeletionPolicy": "Retain"}, "Queue": queue()}
    root = create(cfn, name, template(body))["StackId"]
    child, left = (resources(cfn, name)[one]["PhysicalResourceId"] for one in ("Child", "Left"))
    grandchild = resources(cfn, child)["Inner"]["PhysicalResourceId"]
    assert not protection_of(cfn, child)
    cfn.update_termination_protection(EnableTerminationProtection=True, StackName=name)
    try:
        listed = {one["StackId"]: one for page in cfn.get_paginator("describe_stacks").paginate() for one in page["Stacks"]}
        for one in (root, child, grandchild):
            assert protection_of(cfn, one) and listed[one]["EnableTerminationProtection"]
            with refused("ValidationError", "cannot be deleted while TerminationProtection is enabled"):
                cfn.delete_stack(StackName=one)
            assert settled(cfn, one)["StackStatus"] == "CREATE_COMPLETE"
        # What the root leaves out it removes, and what it leaves alone is not its own any more.
        update(cfn, name, template({"Queue": queue()}))
        for one in (child, grandchild):
            assert settled(cfn, one)["StackStatus"] == "DELETE_COMPLETE"
        assert not protection_of(cfn, left)
        cfn.delete_stack(StackName=left)
        assert settled(cfn, left)["StackStatus"] == "DELETE_COMPLETE"
    finally:
        cfn.update_termination_protection(EnableTerminationProtection=False, StackName=name)


def test_a_change_of_a_nested_template_alone_is_seen(cloud, cfn, name, bucket):
    url = put(cloud, bucket, "child", inner(1))
    body = template({"Child": nested(url), "Other": nested(put(cloud, bucket, "other", inner(2)))})
    create(cfn, name, body)
    nothing = change_set(cfn, name, body, "UPDATE", "nothing", IncludeNestedStacks=True)
    assert (nothing["Status"], nothing["Changes"]) == ("FAILED", [])
    assert nothing["StatusReason"].startswith("The submitted information didn't contain changes.")
    cfn.delete_change_set(ChangeSetName="nothing", StackName=name)
    put(cloud, bucket, "child", inner(3))
    shallow = change_set(cfn, name, body, "UPDATE", "shallow")  # does not look, so it cannot say that nothing changes
    assert [one["ChangeSource"] for one in changes_of(shallow)["Child"]["Details"]] == ["Automatic"]
    deep = change_set(cfn, name, body, "UPDATE", "deep", IncludeNestedStacks=True)
    assert set(changes_of(deep)) == {"Child"}
    below = cfn.describe_change_set(ChangeSetName=changes_of(deep)["Child"]["ChangeSetId"])
    assert changes_of(below)["Queue"]["Details"][0]["Target"]["Name"] == "DelaySeconds"
    cfn.execute_change_set(ChangeSetName="deep", StackName=name)
    assert settled(cfn, name)["StackStatus"] == "UPDATE_COMPLETE"
    assert delay_of(cloud, cfn, resources(cfn, name)["Child"]["PhysicalResourceId"]) == "3"


def test_parameters_of_a_nested_stack_may_be_known_later(cloud, cfn, name, bucket):
    body = template({"Queue": queue(DelaySeconds={"Ref": "Delay"}, Tags=[{"Key": "of", "Value": {"Ref": "Other"}}])},
                    Parameters={"Delay": {"Type": "Number"}, "Other": {"Type": "String", "AllowedPattern": "^http.*$"}})
    child = nested(put(cloud, bucket, "child", body), Parameters={"Delay": 4, "Other": {"Ref": "First"}})
    root = change_set(cfn, name, template({"First": queue(), "Child": child}), "CREATE", IncludeNestedStacks=True)
    assert root["Status"] == "CREATE_COMPLETE", root.get("StatusReason")
    cfn.execute_change_set(ChangeSetName="changes", StackName=name)
    assert settled(cfn, name)["StackStatus"] == "CREATE_COMPLETE", told(cfn, name)
    made = resources(cfn, name)
    assert delay_of(cloud, cfn, made["Child"]["PhysicalResourceId"]) == "4"
    url = resources(cfn, made["Child"]["PhysicalResourceId"])["Queue"]["PhysicalResourceId"]
    assert cloud.sqs.list_queue_tags(QueueUrl=url)["Tags"]["of"] == made["First"]["PhysicalResourceId"]


def test_change_sets_of_a_hierarchy_go_together(cloud, cfn, name, bucket):
    url = put(cloud, bucket, "child", inner(1))
    root = change_set(cfn, name, template({"Child": nested(url)}), "CREATE", IncludeNestedStacks=True)
    below = cfn.describe_change_set(ChangeSetName=changes_of(root)["Child"]["ChangeSetId"])
    with refused("InvalidChangeSetStatus"):
        cfn.delete_change_set(ChangeSetName=below["ChangeSetId"])
    cfn.delete_change_set(ChangeSetName=root["ChangeSetId"])
    with refused("ChangeSetNotFound"):
        cfn.describe_change_set(ChangeSetName=below["ChangeSetId"])
    assert cfn.describe_stacks(StackName=below["StackId"])["Stacks"][0]["StackStatus"] == "DELETE_COMPLETE"
    again = change_set(cfn, name, template({"Child": nested(url)}), "CREATE", "again", IncludeNestedStacks=True)
    below = cfn.describe_change_set(ChangeSetName=changes_of(again)["Child"]["ChangeSetId"])
    cfn.delete_stack(StackName=name)
    assert cfn.describe_stacks(StackName=below["StackId"])["Stacks"][0]["StackStatus"] == "DELETE_COMPLETE"


def test_what_was_planned_goes_with_a_stack_whose_creation_fails(cloud, cfn, name, bucket):
    url = put(cloud, bucket, "child", inner(1))
    wrong = {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "no queue's name!"}}
    def also_delete(params, **_):  # OnStackFailure, which clients before 2024 do not know
        params["body"]["OnStackFailure"] = "DELETE"

    cfn.meta.events.register("before-call.cloudformation.CreateChangeSet", also_delete)
    root = change_set(cfn, name, template({"Wrong": wrong, "Child": nested(url) | {"DependsOn": "Wrong"}}), "CREATE",
                      IncludeNestedStacks=True)
    cfn.meta.events.unregister("before-call.cloudformation.CreateChangeSet", also_delete)
    below = changes_of(root)["Child"]["ChangeSetId"]
    child = cfn.describe_change_set(ChangeSetName=below)["StackId"]
    cfn.execute_change_set(ChangeSetName=root["ChangeSetId"])
    assert settled(cfn, root["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    assert cfn.describe_stacks(StackName=child)["Stacks"][0]["StackStatus"] == "DELETE_COMPLETE"
    for one in (root["ChangeSetId"], below):
        with refused("ChangeSetNotFound"):
            cfn.describe_change_set(ChangeSetName=one)


def test_a_nested_change_set_that_fails_fails_its_root(cloud, cfn, name, bucket):
    url = put(cloud, bucket, "child", template({"Queue": queue(Tags=[{"Key": "a", "Value": {"Ref": "Nobody"}}])}))
    root = change_set(cfn, name, template({"Child": nested(url)}), "CREATE", IncludeNestedStacks=True)
    below = changes_of(root)["Child"]["ChangeSetId"]
    assert (root["Status"], root["ExecutionStatus"]) == ("FAILED", "UNAVAILABLE")
    assert root["StatusReason"] == f"Nested change set {below} was not successfully created: Currently in FAILED."
    assert "Unresolved resource dependencies [Nobody]" in cfn.describe_change_set(ChangeSetName=below)["StatusReason"]


def test_a_hierarchy_goes_back_to_the_templates_it_had(cloud, cfn, name, bucket):
    grandchild = put(cloud, bucket, "grandchild", inner(1))
    child = put(cloud, bucket, "child", inner(1, Inner=nested(grandchild)))
    create(cfn, name, template({"Child": nested(child)}))
    made = resources(cfn, name)["Child"]["PhysicalResourceId"]
    below = resources(cfn, made)["Inner"]["PhysicalResourceId"]
    put(cloud, bucket, "grandchild", inner(2))  # behind the same URLs
    update(cfn, name, template({"Child": nested(child)}))
    assert (delay_of(cloud, cfn, made), delay_of(cloud, cfn, below)) == ("1", "2")
    put(cloud, bucket, "grandchild", inner(3))
    put(cloud, bucket, "child", inner(3, Inner=nested(grandchild)))
    broken = {"Broken": {**queue(VisibilityTimeout=99_999_999), "DependsOn": "Child"}}
    update(cfn, name, template({"Child": nested(child), **broken}), "UPDATE_ROLLBACK_COMPLETE")
    assert (delay_of(cloud, cfn, made), delay_of(cloud, cfn, below)) == ("1", "2")


@pytest.fixture
def left_out(cloud, cfn, name, bucket):
    """A nested stack with a queue that has a message, and the template of an update that leaves the queue out, replaces
    another and has nothing that goes wrong but a resource behind the nested stack."""
    export = unique("export")

    def version(queues, value):
        return template(queues, Outputs={"Value": {"Value": value, "Export": {"Name": export}}})

    before = version({"Left": queue(), "Replaced": queue(QueueName=f"{name}-1"), "Stays": queue(DelaySeconds=1)}, "old")
    after = version({"Replaced": queue(QueueName=f"{name}-2"), "Stays": queue(DelaySeconds=2), "New": queue()}, "new")
    create(cfn, name, template({"Child": nested(put(cloud, bucket, "child", before))}))
    found = Nested(cloud, cfn, resources(cfn, name)["Child"]["PhysicalResourceId"], export)
    for logical in ("Left", "Replaced"):
        cloud.sqs.send_message(QueueUrl=found.url(logical), MessageBody=logical)
    found.after = {"Child": nested(put(cloud, bucket, "child-2", after))}
    found.broken = {**found.after, "Broken": {**queue(VisibilityTimeout=99_999_999), "DependsOn": "Child"}}
    return found


class Nested:
    def __init__(self, cloud, cfn, stack, export):
        self.cloud, self.cfn, self.stack, self.export = cloud, cfn, stack, export

    def url(self, logical):
        return self.cloud.sqs.get_queue_url(
            QueueName=resources(self.cfn, self.stack)[logical]["PhysicalResourceId"].rsplit("/", 1)[1])["QueueUrl"]

    def status(self):
        return self.cfn.describe_stacks(StackName=self.stack)["Stacks"][0]["StackStatus"]

    def value(self):
        """Of its output, which it exports."""
        output = self.cfn.describe_stacks(StackName=self.stack)["Stacks"][0]["Outputs"][0]["OutputValue"]
        exported = {one["Name"]: one["Value"] for page in self.cfn.get_paginator("list_exports").paginate()
                    for one in page["Exports"]}
        assert exported[self.export] == output
        return output

    def expect_what_was(self):
        assert self.status() == "UPDATE_ROLLBACK_COMPLETE"
        there = {one for one, found in resources(self.cfn, self.stack).items()
                 if not found["ResourceStatus"].startswith("DELETE")}
        assert there == {"Left", "Replaced", "Stays"} and self.value() == "old"
        for logical in ("Left", "Replaced"):
            received = self.cloud.sqs.receive_message(QueueUrl=self.url(logical), WaitTimeSeconds=5)["Messages"]
            assert [one["Body"] for one in received] == [logical]
        assert delay_of(self.cloud, self.cfn, self.stack, "Stays") == "1"


def test_what_a_nested_stack_leaves_out_stays_until_its_parent_has_ended(cfn, name, left_out):
    update(cfn, name, template(left_out.broken), "UPDATE_ROLLBACK_COMPLETE")
    left_out.expect_what_was()
    assert "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS" in [status for _, status, _ in told(cfn, left_out.stack)]


def test_it_stays_while_a_failure_is_kept(cfn, name, left_out):
    update(cfn, name, template(left_out.broken), "UPDATE_FAILED", DisableRollback=True)
    assert (left_out.status(), left_out.value()) == ("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "new")
    with refused("ValidationError", "is in UPDATE_COMPLETE_CLEANUP_IN_PROGRESS state and can not be updated"):
        cfn.update_stack(StackName=left_out.stack, TemplateBody=template({"Stays": queue()}))
    cfn.rollback_stack(StackName=name)
    assert settled(cfn, name)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE", told(cfn, name)
    left_out.expect_what_was()


def test_it_goes_with_the_update_that_succeeds(cloud, cfn, name, left_out):
    urls = [left_out.url(logical) for logical in ("Left", "Replaced")]
    update(cfn, name, template(left_out.broken), "UPDATE_FAILED", DisableRollback=True)
    update(cfn, name, template(left_out.after))
    assert (left_out.status(), left_out.value()) == ("UPDATE_COMPLETE", "new")
    assert set(resources(cfn, left_out.stack)) == {"Replaced", "Stays", "New"}
    for url in urls:
        with refused("AWS.SimpleQueueService.NonExistentQueue"):
            cloud.sqs.get_queue_attributes(QueueUrl=url)


def test_a_nested_stack_that_waits_goes_with_its_parent(cfn, name, left_out):
    update(cfn, name, template(left_out.broken), "UPDATE_FAILED", DisableRollback=True)
    cfn.delete_stack(StackName=name)
    eventually(lambda: left_out.status() == "DELETE_COMPLETE")


def exporting(export, **more):
    return template({"Queue": queue(), **more}, Outputs={"Out": {"Value": "it", "Export": {"Name": export}}})


def importing(export):
    return template({"User": queue(Tags=[{"Key": "of", "Value": {"Fn::ImportValue": export}}])})


def exports(cfn):
    return {one["Name"] for page in cfn.get_paginator("list_exports").paginate() for one in page["Exports"]}


def remove(cfn, stack):
    cfn.delete_stack(StackName=stack)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE"


def test_a_hierarchy_goes_that_takes_in_what_it_exports(cloud, cfn, name, bucket):
    """The innermost stack uses what the one around it exports, and so does the outermost."""
    export = unique("export")
    inner_url = put(cloud, bucket, "inner", importing(export))
    before = put(cloud, bucket, "middle", exporting(export))
    after = put(cloud, bucket, "middle-2", exporting(export, Inner=nested(inner_url)))
    root = create(cfn, name, template({"Middle": nested(before)}))["StackId"]
    user = json.loads(importing(export))["Resources"]["User"]
    update(cfn, name, template({"Middle": nested(after), "User": {**user, "DependsOn": "Middle"}}))
    assert len(cfn.list_imports(ExportName=export)["Imports"]) == 2
    remove(cfn, root)
    assert export not in exports(cfn)


def test_an_export_stays_while_what_is_retained_uses_it(cloud, cfn, name, bucket):
    """DeletionPolicy Retain: the nested stack would stay behind."""
    export = unique("export")
    url = put(cloud, bucket, "inner", importing(export))
    root = create(cfn, name, exporting(export))["StackId"]
    update(cfn, name, exporting(export, Inner={**nested(url), "DeletionPolicy": "Retain"}))
    inner_stack = resources(cfn, name)["Inner"]["PhysicalResourceId"]
    user = inner_stack.split("/")[1]
    cfn.delete_stack(StackName=name)
    stack = settled(cfn, name)
    in_use = f"Export {export} cannot be deleted as it is in use by {user}"
    assert (stack["StackStatus"], stack["StackStatusReason"]) == ("UPDATE_COMPLETE", in_use)
    assert export in exports(cfn)
    remove(cfn, inner_stack)
    remove(cfn, root)
    assert export not in exports(cfn)


def test_what_a_failed_creation_does_not_come_to_is_not_left(cloud, cfn, name, bucket):
    child = {**nested(put(cloud, bucket, "child", inner(1))), "DependsOn": "Broken"}
    root = change_set(cfn, name, template({"Broken": queue(VisibilityTimeout=99_999_999), "Child": child}), "CREATE",
                      IncludeNestedStacks=True)
    below = cfn.describe_change_set(ChangeSetName=changes_of(root)["Child"]["ChangeSetId"])["StackId"]
    cfn.execute_change_set(ChangeSetName="changes", StackName=name)
    assert settled(cfn, name)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert cfn.describe_stacks(StackName=below)["Stacks"][0]["StackStatus"] == "DELETE_COMPLETE"


def rolled_back_half(cloud, cfn, name, bucket):
    """A hierarchy of three whose update was cancelled, while the last one's queue was deleted by hand; that stack."""
    def hierarchy(delay, **waiting):
        below = put(cloud, bucket, "grandchild", inner(delay, **waiting))
        return template({"Child": nested(put(cloud, bucket, "child", template({"Inner": nested(below)}))),
                         "Queue": queue()})
    create(cfn, name, hierarchy(1))
    child = resources(cfn, name)["Child"]["PhysicalResourceId"]
    last = resources(cfn, child)["Inner"]["PhysicalResourceId"]
    waits = {"Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"},
             "Wait": {"Type": "AWS::CloudFormation::WaitCondition", "DependsOn": "Queue",
                      "Properties": {"Handle": {"Ref": "Handle"}, "Timeout": "3600"}}}
    cfn.update_stack(StackName=name, TemplateBody=hierarchy(2, **waits))
    eventually(lambda: "Wait" in resources(cfn, last), "the wait condition")
    cloud.sqs.delete_queue(QueueUrl=resources(cfn, last)["Queue"]["PhysicalResourceId"])
    cfn.cancel_update_stack(StackName=name)
    assert settled(cfn, name)["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    for one in (child, last):
        assert settled(cfn, one)["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    return child, last


def test_what_is_nested_is_skipped_by_its_stacks_name(cloud, cfn, name, bucket):
    child, last = rolled_back_half(cloud, cfn, name, bucket)
    child_name, last_name = (one.split("/")[1] for one in (child, last))
    for wrong in ("Queue", "Child", f"{name}.Child", f"{child_name}.Inner", f"{last_name}.Wait", "nobody.Queue"):
        with refused("ValidationError", "cannot be skipped because"):
            cfn.continue_update_rollback(StackName=name, ResourcesToSkip=[wrong])
    cfn.continue_update_rollback(StackName=name)  # the queue is not there still
    assert settled(cfn, name)["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    cfn.continue_update_rollback(StackName=name, ResourcesToSkip=[f"{last_name}.Queue"])
    assert settled(cfn, name)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE", told(cfn, name)
    # What has nested stacks itself is told once more what it was: their templates may be others by now.
    ended = {"UPDATE_ROLLBACK_COMPLETE", "UPDATE_COMPLETE"}
    assert {settled(cfn, one)["StackStatus"] for one in (child, last)} <= ended, told(cfn, child)


@pytest.mark.local
@pytest.mark.parametrize("seed", range(4))
def test_a_hierarchy_goes_on_through_kills(start_server, seed):
    server, name, moments = start_server(), unique("nest"), random.Random(seed)
    cloud = Cloud(server.endpoint)
    cfn, bucket = cloud.client("cloudformation"), unique("templates")
    cloud.s3.create_bucket(Bucket=bucket)
    grandchild = put(cloud, bucket, "grandchild", inner(1))
    child = put(cloud, bucket, "child", inner(1, Inner=nested(grandchild)))
    create(cfn, name, template({"Child": nested(child)}))
    put(cloud, bucket, "grandchild", inner(2))
    put(cloud, bucket, "child", inner(2, Inner=nested(grandchild)))
    resources_wanted = {"Child": nested(child)}
    fails = seed % 2 == 1
    if fails:
        resources_wanted["Broken"] = {**queue(VisibilityTimeout=99_999_999), "DependsOn": "Child"}
    change_set(cfn, name, template(resources_wanted), "UPDATE", IncludeNestedStacks=True)
    cfn.execute_change_set(ChangeSetName="changes", StackName=name)
    for _ in range(KILLS):
        time.sleep(moments.uniform(0, 0.05))  # the moment itself is the input; any will do
        server.kill()
        server.start()
    cloud = Cloud(server.endpoint)
    cfn = cloud.client("cloudformation")
    assert settled(cfn, name)["StackStatus"] == ("UPDATE_ROLLBACK_COMPLETE" if fails else "UPDATE_COMPLETE")
    made = resources(cfn, name)["Child"]["PhysicalResourceId"]
    below = resources(cfn, made)["Inner"]["PhysicalResourceId"]
    wanted = "1" if fails else "2"
    assert (delay_of(cloud, cfn, made), delay_of(cloud, cfn, below)) == (wanted, wanted)
    assert len(cfn.list_stacks(StackStatusFilter=["REVIEW_IN_PROGRESS"])["StackSummaries"]) == 0
    if fails:  # taken back, and not changed to what they had been
        ended = {cfn.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"] for stack in (made, below)}
        assert ended <= {"UPDATE_ROLLBACK_COMPLETE", "CREATE_COMPLETE"}

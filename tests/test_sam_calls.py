"""The calls of `sam deploy` and `sam delete`, with a template as it has packaged it: its bucket's stack, a change set that
is waited for and executed, a second deployment without changes, a change, and the removal. The CLI itself is not run here."""
import json

import pytest

from harness import PYTHON_RUNTIME, eventually, unique, zip_of

pytestmark = pytest.mark.local
CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
MANAGED = {  # what its own stack has, for packages
    "Transform": "AWS::Serverless-2016-10-31", "Description": "Managed Stack for AWS SAM CLI",
    "Metadata": {"SamCliInfo": {"version": "1.140.0"}},
    "Resources": {
        "SamCliSourceBucket": {"Type": "AWS::S3::Bucket", "Properties": {
            "VersioningConfiguration": {"Status": "Enabled"}, "Tags": [{"Key": "ManagedStackSource", "Value": "AwsSamCli"}]}},
        "SamCliSourceBucketBucketPolicy": {"Type": "AWS::S3::BucketPolicy", "Properties": {
            "Bucket": {"Ref": "SamCliSourceBucket"}, "PolicyDocument": {"Statement": [
                {"Action": ["s3:GetObject"], "Effect": "Allow", "Principal": {"Service": "serverlessrepo.amazonaws.com"},
                 "Resource": {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, ":s3:::",
                                                {"Ref": "SamCliSourceBucket"}, "/*"]]}}]}}}},
    "Outputs": {"SourceBucket": {"Value": {"Ref": "SamCliSourceBucket"}}}}
APP = """
import json, os
import boto3
def handler(event, context):
    for record in event["Records"]:
        boto3.client("sqs").send_message(QueueUrl=os.environ["OUT"], MessageBody=os.environ["WORD"] + record["body"])
"""


class Sam:
    """What the CLI does with one stack."""

    def __init__(self, cloud, name):
        self.cfn, self.name, self.number = cloud.client("cloudformation"), name, 0
        cloud.cleanup.callback(self.delete)

    def exists(self):
        try:
            return self.cfn.describe_stacks(StackName=self.name)["Stacks"][0]["StackStatus"] != "REVIEW_IN_PROGRESS"
        except self.cfn.exceptions.ClientError as error:
            assert error.response["Error"]["Code"] == "ValidationError"
            assert error.response["Error"]["Message"] == f"Stack with id {self.name} does not exist"
            return False

    def deploy(self, body):
        """The outputs, or None where there was nothing to change."""
        kind, self.number = "UPDATE" if self.exists() else "CREATE", self.number + 1
        made = self.cfn.create_change_set(StackName=self.name, ChangeSetName=f"samcli-deploy{self.number}", ChangeSetType=kind,
                                          TemplateBody=json.dumps(body), Capabilities=CAPABILITIES, Parameters=[], Tags=[],
                                          Description="Created by SAM CLI at 2026-11-23T12:00:00 UTC")
        waiter = self.cfn.get_waiter("change_set_create_complete")
        try:
            waiter.wait(ChangeSetName=made["Id"], StackName=self.name, WaiterConfig={"Delay": 1})
        except Exception as error:
            reason = error.last_response["StatusReason"]
            assert error.last_response["Status"] == "FAILED"
            assert "The submitted information didn't contain changes." in reason or "No updates are to be performed" in reason
            return None
        assert self.cfn.describe_change_set(ChangeSetName=made["Id"], StackName=self.name)["Changes"]
        self.cfn.execute_change_set(ChangeSetName=made["Id"], StackName=self.name, DisableRollback=False)
        self.cfn.describe_stack_events(StackName=self.name)
        self.cfn.get_waiter(f"stack_{kind.lower()}_complete").wait(StackName=self.name, WaiterConfig={"Delay": 1})
        found = self.cfn.describe_stacks(StackName=self.name)["Stacks"][0]
        return {one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", [])}

    def delete(self):
        if not self.exists():
            return
        self.cfn.get_template(StackName=self.name, TemplateStage="Original")
        self.cfn.delete_stack(StackName=self.name)
        self.cfn.get_waiter("stack_delete_complete").wait(StackName=self.name, WaiterConfig={"Delay": 1})


def application(code, word):
    function = {"CodeUri": code, "Runtime": PYTHON_RUNTIME, "Handler": "app.handler", "Timeout": 30,
                "Environment": {"Variables": {"OUT": {"Ref": "Out"}, "WORD": word}},
                "Policies": [{"SQSSendMessagePolicy": {"QueueName": {"Fn::GetAtt": "Out.QueueName"}}}],
                "Events": {"In": {"Type": "SQS", "Properties": {"Queue": {"Fn::GetAtt": "In.Arn"}, "BatchSize": 1}}}}
    return {"AWSTemplateFormatVersion": "2010-09-09", "Transform": "AWS::Serverless-2016-10-31",
            "Resources": {"In": {"Type": "AWS::SQS::Queue"}, "Out": {"Type": "AWS::SQS::Queue"},
                          "Table": {"Type": "AWS::Serverless::SimpleTable"},
                          "Forward": {"Type": "AWS::Serverless::Function", "Properties": function}},
            "Outputs": {"In": {"Value": {"Ref": "In"}}, "Out": {"Value": {"Ref": "Out"}}}}


def test_an_application_lives_from_deploy_to_delete(cloud):
    managed, sam = Sam(cloud, unique("aws-sam-cli-managed")), Sam(cloud, unique("sam-app"))
    bucket = managed.deploy(MANAGED)["SourceBucket"]
    cloud.s3.put_object(Bucket=bucket, Key="app", Body=zip_of({"app.py": APP}))
    code = f"s3://{bucket}/app"
    made = sam.deploy(application(code, "first "))

    def forwarded(body):
        cloud.sqs.send_message(QueueUrl=made["In"], MessageBody=body)
        found = eventually(lambda: cloud.sqs.receive_message(QueueUrl=made["Out"], WaitTimeSeconds=1).get("Messages"),
                           "the message that was forwarded", 60)
        cloud.sqs.delete_message(QueueUrl=made["Out"], ReceiptHandle=found[0]["ReceiptHandle"])
        return found[0]["Body"]

    assert forwarded("one") == "first one"
    assert sam.deploy(application(code, "first ")) is None
    assert sam.deploy(application(code, "second ")) == made
    assert forwarded("two") == "second two"
    sam.delete()
    assert not sam.exists()
    for version in cloud.s3.list_object_versions(Bucket=bucket)["Versions"]:
        cloud.s3.delete_object(Bucket=bucket, Key=version["Key"], VersionId=version["VersionId"])
    managed.delete()
    assert not managed.exists()

"""Values that stacks are not to tell: NoEcho parameters and what dynamic references stand for."""
import json
import re
import urllib.parse

import pytest
from cloudformation_support import change_set, create, events, queue, queue_names, settled, template, update
from cloudformation_support import resources as made_of
from harness import quietly, refused, unique

WORD = "swordfish"  # what nobody is to see
OTHER = "marlin"


@pytest.fixture
def cfn(cloud):
    return cloud.client("cloudformation")


@pytest.fixture
def name(cfn):
    name = unique("secret")
    yield name
    quietly(cfn.delete_stack, StackName=name)


@pytest.fixture
def secret(cloud):
    secrets, name = cloud.client("secretsmanager"), unique("mill/secret")
    secrets.create_secret(Name=name, SecretString=json.dumps({"password": WORD}))
    cloud.cleanup.callback(quietly, secrets.delete_secret, SecretId=name, ForceDeleteWithoutRecovery=True)
    return name


def tagged(value, **properties):
    return {"Queue": queue(Tags=[{"Key": "password", "Value": value}], **properties)}


def password_of(cloud, name):
    url = cloud.sqs.get_queue_url(QueueName=queue_names(cloud, name)[0])["QueueUrl"]
    return cloud.sqs.list_queue_tags(QueueUrl=url)["Tags"]["password"]


def with_values(cloud, made):
    """The text of a change set with IncludePropertyValues, which clients before 2024 do not know; the names it changes."""
    form = urllib.parse.urlencode({"Action": "DescribeChangeSet", "Version": "2010-05-15", "IncludePropertyValues": "true",
                                   "ChangeSetName": made["Id"]})
    _, _, body = cloud.raw("cloudformation", "POST", "/", form, {"content-type": "application/x-www-form-urlencoded"})
    text = body.decode()
    return text, re.findall("<Path>/Properties/([A-Za-z]*)</Path>", text)


def live_and_die(cloud, cfn, name, first, second, **given):
    """Creates, fails to update, updates and deletes; all that was told of it."""
    stack = create(cfn, name, first, **given)["StackId"]
    assert password_of(cloud, name) == WORD
    broken = json.loads(second)
    broken["Resources"]["Broken"] = {**queue(VisibilityTimeout=99_999_999), "DependsOn": "Queue"}
    update(cfn, name, json.dumps(broken), expected="UPDATE_ROLLBACK_COMPLETE", **given)
    update(cfn, name, second, **given)
    assert password_of(cloud, name) == WORD
    change_set = with_values(cloud, cfn.create_change_set(StackName=name, ChangeSetName="one", TemplateBody=first, **given))
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE"
    return change_set, events(cfn, stack)


def test_a_secret_is_used_and_not_told(cloud, cfn, name, secret):
    reference = f"{{{{resolve:secretsmanager:{secret}:SecretString:password}}}}"
    change_set, told = live_and_die(cloud, cfn, name, template(tagged(reference)), template(tagged(reference, DelaySeconds=7)))
    assert WORD not in json.dumps([change_set, told], default=str)
    assert change_set[1] == ["DelaySeconds"]  # the secret is the same
    assert any(reference in one.get("ResourceProperties", "") for one in told if one["ResourceStatus"] == "DELETE_COMPLETE")


def test_a_parameter_without_echo_is_used_and_not_told(cloud, cfn, name):
    sections = {"Parameters": {"Word": {"Type": "String", "NoEcho": True}}}
    tag = {"Fn::Sub": "${Word}"}
    change_set, told = live_and_die(cloud, cfn, name, template(tagged(tag), **sections),
                                    template(tagged(tag, DelaySeconds=7), **sections),
                                    Parameters=[{"ParameterKey": "Word", "ParameterValue": WORD}])
    assert WORD not in json.dumps([change_set, told], default=str)
    assert any("****" in one.get("ResourceProperties", "") for one in told)


def test_what_a_parameter_without_echo_names_is_found(cloud, cfn, name):
    """Exports, outputs, mappings, elements of lists, references and templates."""
    bucket, word, key = unique("templates"), unique("word"), "west"
    cloud.s3.create_bucket(Bucket=bucket)
    cloud.client("ssm").put_parameter(Name=word, Type="String", Value="referred to")
    cloud.cleanup.callback(cloud.client("ssm").delete_parameter, Name=word)
    cloud.s3.put_object(Bucket=bucket, Key=word, Body=template().encode())
    output = {"Value": "told", "Export": {"Name": f"export-{word}"}}
    teller = create(cfn, word, template(Outputs={"Out": output}))["StackId"]
    values = {"Word": word, "Index": "2", "Key": key, "List": "a,b,c",
              "Url": f"https://s3.amazonaws.com/{bucket}/{word}"}
    types = {"Index": "Number", "List": "CommaDelimitedList"}
    sections = {"Parameters": {one: {"Type": types.get(one, "String"), "NoEcho": True} for one in values},
                "Mappings": {"Map": {key: {"k": "mapped"}}},
                "Conditions": {"IsWest": {"Fn::Equals": [{"Ref": "Key"}, key]}}}
    found = {"import": {"Fn::ImportValue": {"Fn::Sub": "export-${Word}"}},
             "output": {"Fn::GetStackOutput": {"StackName": {"Ref": "Word"}, "OutputName": "Out"}},
             "map": {"Fn::FindInMap": ["Map", {"Ref": "Key"}, "k"]},
             "index": {"Fn::Select": [{"Ref": "Index"}, ["x", "y", "z"]]},
             "list": {"Fn::Select": [1, {"Ref": "List"}]},
             "part": {"Fn::Select": [1, {"Fn::Split": ["-", {"Fn::Sub": "${Key}-coast"}]}]},
             "joined": {"Fn::Join": ["+", {"Ref": "List"}]},
             "if": {"Fn::If": ["IsWest", "then", {"Ref": "Word"}]},
             "reference": {"Fn::Sub": "{{resolve:ssm:${Word}}}"}}
    resources = {"Queue": queue(Tags=[{"Key": one, "Value": value} for one, value in found.items()]),
                 "Nested": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": {"Ref": "Url"}}}}
    given = {"Parameters": [{"ParameterKey": one, "ParameterValue": value} for one, value in values.items()]}
    made = change_set(cfn, name, template(resources, **sections), "CREATE", **given)
    assert made["Status"] == "CREATE_COMPLETE", made["StatusReason"]
    cfn.execute_change_set(ChangeSetName=made["ChangeSetId"])
    stack = made["StackId"]
    assert settled(cfn, stack)["StackStatus"] == "CREATE_COMPLETE", events(cfn, stack)
    url = made_of(cfn, name)["Queue"]["PhysicalResourceId"]
    tags = cloud.sqs.list_queue_tags(QueueUrl=url)["Tags"]
    assert {one: tags[one] for one in found} == {
        "import": "told", "output": "told", "map": "mapped", "index": "z", "list": "b", "part": "coast",
        "joined": "a+b+c", "if": "then", "reference": "referred to"}
    resources["Queue"]["Properties"]["DelaySeconds"] = 1
    update(cfn, name, template(resources, **sections), **given)
    cfn.delete_stack(StackName=name)
    assert settled(cfn, stack)["StackStatus"] == "DELETE_COMPLETE", events(cfn, stack)
    assert word not in json.dumps(events(cfn, stack), default=str)
    cfn.delete_stack(StackName=teller)
    assert settled(cfn, teller)["StackStatus"] == "DELETE_COMPLETE", events(cfn, teller)


def test_another_value_of_a_parameter_without_echo_is_a_change(cloud, cfn, name):
    sections = {"Parameters": {"Word": {"Type": "String", "NoEcho": True}}}
    body = template(tagged({"Ref": "Word"}), **sections)
    create(cfn, name, body, Parameters=[{"ParameterKey": "Word", "ParameterValue": WORD}])
    given = [{"ParameterKey": "Word", "ParameterValue": OTHER}]
    made = cfn.create_change_set(StackName=name, ChangeSetName="one", UsePreviousTemplate=True, Parameters=given)
    text, names = with_values(cloud, made)
    assert names == ["Tags"] and WORD not in text and OTHER not in text
    update(cfn, name, body, Parameters=given)
    assert password_of(cloud, name) == OTHER


ANSWERS_A_WORD = """
import json, os, urllib.request
def handler(event, context):
    answer = {"Status": "SUCCESS", "PhysicalResourceId": "word", "StackId": event["StackId"], "NoEcho": True,
              "RequestId": event["RequestId"], "LogicalResourceId": event["LogicalResourceId"],
              "Data": {"Word": os.environ["WORD"]}}
    urllib.request.urlopen(urllib.request.Request(event["ResponseURL"], data=json.dumps(answer).encode(), method="PUT"))
"""


@pytest.mark.local
def test_what_a_custom_resource_answers_without_echo_is_used_and_not_told(cloud, cfn, name):
    made = cloud.create_function(ANSWERS_A_WORD, Environment={"Variables": {"WORD": WORD}})
    function = cloud.functions.get_function(FunctionName=made)["Configuration"]["FunctionArn"]

    def body(**more):
        resources = tagged({"Fn::GetAtt": "Word.Word"}, **more)
        return template({**resources, "Word": {"Type": "Custom::Word", "Properties": {"ServiceToken": function}}})

    change_set, told = live_and_die(cloud, cfn, name, body(), body(DelaySeconds=7))
    assert WORD not in json.dumps([change_set, told], default=str)
    assert change_set[1] == ["DelaySeconds"]
    assert any("****" in one.get("ResourceProperties", "") for one in told)


@pytest.mark.local
def test_outputs_do_not_tell_secrets(cloud, cfn, name, secret):
    reference = f"{{{{resolve:secretsmanager:{secret}:SecretString:password}}}}"
    made = create(cfn, name, template(Outputs={"Word": {"Value": reference}}))
    assert made["Outputs"][0]["OutputValue"] == reference


def test_an_output_is_text(cfn, name):
    body = template(Outputs={"List": {"Value": {"Fn::Split": [",", "a,b"]}}})
    create(cfn, name, body, expected="ROLLBACK_COMPLETE")
    reasons = [one.get("ResourceStatusReason", "") for one in events(cfn, name)]
    assert any("The Value field of every Outputs member must evaluate to a String." in one for one in reasons)


@pytest.mark.local
def test_what_would_be_ignored_is_refused_by_name(cfn, name):
    with refused("ValidationError", "MonitoringTimeInMinutes"):
        cfn.create_stack(StackName=name, TemplateBody=template(), RollbackConfiguration={"MonitoringTimeInMinutes": 5})


def test_secure_strings_are_not_taken(cfn, name):
    """AWS takes them in a few properties of few types only, lest a service tells them to whoever may read a resource."""
    sections = {"Parameters": {"Kind": {"Type": "String", "Default": "ssm-secure"}}}
    topic = {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": "{{resolve:ssm-secure:/word:1}}"}}
    body = template({"Queue": tagged({"Fn::Sub": "{{resolve:${Kind}:/word:1}}"})["Queue"], "Topic": topic}, **sections)
    reason = "SSM Secure reference is not supported in: [AWS::SQS::Queue/Properties/Tags,AWS::SNS::Topic/Properties/DisplayName]"
    with refused("ValidationError", reason):
        cfn.create_stack(StackName=name, TemplateBody=body)
    made = change_set(cfn, name, body, "CREATE")
    assert (made["Status"], made["StatusReason"]) == ("FAILED", reason)


def test_no_parameter_has_the_value_of_a_secure_string(cloud, cfn, name):
    ssm, stored = cloud.client("ssm"), f"/mill/{name}"
    ssm.put_parameter(Name=stored, Value=WORD, Type="SecureString")
    cloud.cleanup.callback(quietly, ssm.delete_parameter, Name=stored)
    def body(kind):
        return template({"Queue": queue(Tags=[{"Key": "of", "Value": {"Ref": "Of"}}])},
                        Parameters={"Of": {"Type": kind, "Default": stored}})
    with refused("ValidationError",
                 f"Parameters [{stored}] referenced by template have types not supported by CloudFormation."):
        cfn.create_stack(StackName=name, TemplateBody=body("AWS::SSM::Parameter::Value<String>"))
    create(cfn, name, body("AWS::SSM::Parameter::Name"))
    update(cfn, name, template(tagged(f"{{{{resolve:ssm:{stored}}}}}")), expected="UPDATE_ROLLBACK_COMPLETE")
    reasons = [one.get("ResourceStatusReason", "") for one in events(cfn, name)]
    assert any(f"Non-secure ssm prefix was used for secure parameter: [{stored}]" in one for one in reasons)

"""SSM parameters with boto3 and the AWS CLI."""
import pytest

from awscli_support import aws  # noqa: F401  the fixture
from harness import quietly, refused, unique


@pytest.fixture
def ssm(cloud):
    return cloud.client("ssm")


@pytest.fixture
def path(cloud, ssm):
    """Below which everything is gone after the test."""
    path = "/" + unique("path")

    def clean():
        while found := ssm.get_parameters_by_path(Path=path, Recursive=True)["Parameters"]:
            ssm.delete_parameters(Names=[each["Name"] for each in found])

    cloud.cleanup.callback(clean)
    return path


def test_a_parameter_lives_from_creation_to_deletion(ssm, path):
    name = f"{path}/bucket"
    made = ssm.put_parameter(Name=name, Value="one", Type="String", Description="where", Tags=[{"Key": "k", "Value": "v"}])
    assert (made["Version"], made["Tier"]) == (1, "Standard")
    with refused("ParameterAlreadyExists", "The parameter already exists."):
        ssm.put_parameter(Name=name, Value="two", Type="String")
    assert ssm.put_parameter(Name=name, Value="two", Overwrite=True)["Version"] == 2
    found = ssm.get_parameter(Name=name)["Parameter"]
    assert (found["Name"], found["Value"], found["Version"], found["DataType"]) == (name, "two", 2, "text")
    assert found["ARN"].endswith(f":parameter{name}")
    assert ssm.get_parameter(Name=found["ARN"])["Parameter"]["Name"] == name
    old = ssm.get_parameter(Name=f"{name}:1")["Parameter"]
    assert (old["Value"], old["Selector"]) == ("one", ":1")
    assert [each["Value"] for each in ssm.get_parameter_history(Name=name)["Parameters"]] == ["one", "two"]
    tags = ssm.list_tags_for_resource(ResourceType="Parameter", ResourceId=name)["TagList"]
    assert tags == [{"Key": "k", "Value": "v"}]
    described = ssm.describe_parameters(ParameterFilters=[{"Key": "Name", "Values": [name]}])["Parameters"]
    assert [(each["Description"], each["Version"]) for each in described] == [("where", 2)]
    ssm.delete_parameter(Name=name)
    with refused("ParameterNotFound"):
        ssm.get_parameter(Name=name)


def test_parameters_are_found_by_path_page_by_page(ssm, path):
    names = [f"{path}/{number:02}" for number in range(12)]
    for name in names:
        ssm.put_parameter(Name=name, Value="v", Type="String")
    ssm.put_parameter(Name=f"{path}/deeper/down", Value="v", Type="StringList")
    pages = list(ssm.get_paginator("get_parameters_by_path").paginate(Path=path))
    assert [each["Name"] for page in pages for each in page["Parameters"]] == names
    assert len(pages[0]["Parameters"]) == 10
    deep = ssm.get_parameters_by_path(Path=path, Recursive=True, ParameterFilters=[
        {"Key": "Type", "Values": ["StringList"]}])["Parameters"]
    assert [each["Name"] for each in deep] == [f"{path}/deeper/down"]
    some = ssm.get_parameters(Names=[names[0], f"{path}/none"])
    assert ([each["Name"] for each in some["Parameters"]], some["InvalidParameters"]) == ([names[0]], [f"{path}/none"])


def test_a_secure_parameter_is_read_with_decryption(cloud, ssm, path):
    name = f"{path}/secret"
    ssm.put_parameter(Name=name, Value="tea", Type="SecureString")
    assert ssm.get_parameter(Name=name, WithDecryption=True)["Parameter"]["Value"] == "tea"
    sealed = ssm.get_parameter(Name=name)["Parameter"]
    assert sealed["Type"] == "SecureString" and "tea" not in sealed["Value"]
    kms = cloud.client("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    cloud.cleanup.callback(quietly, kms.schedule_key_deletion, KeyId=key, PendingWindowInDays=7)
    ssm.put_parameter(Name=name, Value="coffee", KeyId=key, Type="SecureString", Overwrite=True)
    assert ssm.get_parameters_by_path(Path=path, WithDecryption=True)["Parameters"][0]["Value"] == "coffee"
    history = ssm.get_parameter_history(Name=name, WithDecryption=True)["Parameters"]
    assert [(each["Value"], each["KeyId"]) for each in history] == [("tea", "alias/aws/ssm"), ("coffee", key)]
    kms.disable_key(KeyId=key)
    with refused("InvalidKeyId"):
        ssm.get_parameter(Name=name, WithDecryption=True)


def test_versions_are_read_by_their_labels(ssm, path):
    name = f"{path}/labelled"
    ssm.put_parameter(Name=name, Value="one", Type="String")
    ssm.put_parameter(Name=name, Value="two", Overwrite=True)
    assert ssm.label_parameter_version(Name=name, ParameterVersion=1, Labels=["live"])["InvalidLabels"] == []
    assert ssm.get_parameter(Name=f"{name}:live")["Parameter"]["Value"] == "one"
    ssm.label_parameter_version(Name=name, ParameterVersion=2, Labels=["live"])
    found = ssm.get_parameter(Name=f"{name}:live")["Parameter"]
    assert (found["Value"], found["Version"], found["Selector"]) == ("two", 2, ":live")
    assert ssm.unlabel_parameter_version(Name=name, ParameterVersion=2, Labels=["live"])["RemovedLabels"] == ["live"]
    with refused("ParameterVersionNotFound"):
        ssm.get_parameter(Name=f"{name}:live")


@pytest.mark.local
def test_what_is_not_supported_is_refused_by_name(ssm, path):
    with refused("ValidationException", "Tier"):
        ssm.put_parameter(Name=f"{path}/large", Value="v", Type="String", Tier="Advanced")
    # AWS's public parameters are facts about its own regions and images, which are not here.
    with refused("ParameterNotFound"):
        ssm.get_parameter(Name="/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64")


@pytest.mark.local
def test_the_command_line_keeps_a_parameter(ssm, path, aws):  # noqa: F811
    assert aws("ssm", "put-parameter", name=f"{path}/cli", value="v", type="String")["Version"] == 1
    assert aws("ssm", "get-parameter", name=f"{path}/cli")["Parameter"]["Value"] == "v"
    assert "(ParameterNotFound)" in aws.error("ssm", "get-parameter", name=f"{path}/none")

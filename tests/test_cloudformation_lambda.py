"""What belongs to functions in stacks: layers and provisioned concurrency of versions and aliases, each made,
changed, replaced and removed."""
import pytest

from harness import refused, zip_of
from test_cloudformation_types import ROLE, att, cfn, function, invoked, of, ref, stack  # noqa: F401  (fixtures)

pytestmark = pytest.mark.local
USES_LAYER = "import words\ndef handler(event, context):\n    return words.WORD\n"
ANSWERS = "def handler(event, context):\n    return {'statusCode': 200, 'body': context.function_version}\n"


def test_a_layer_is_published_and_replaced(cloud, stack, bucket):  # noqa: F811
    def resources(word, **more):
        cloud.s3.put_object(Bucket=bucket, Key=word, Body=zip_of({"python/words.py": f"WORD = {word!r}\n"}))
        return {"Role": ROLE, "Function": function(USES_LAYER, Layers=[ref("Layer")]),
                "Layer": of("Lambda::LayerVersion", CompatibleRuntimes=["python3.12"], LicenseInfo="MIT",
                            Content={"S3Bucket": bucket, "S3Key": word}, **more),
                "Allowed": of("Lambda::LayerVersionPermission", LayerVersionArn=ref("Layer"), Principal="*",
                              Action="lambda:GetLayerVersion")}

    outputs = {"Layer": ref("Layer"), "Arn": att("Layer", "LayerVersionArn"), "Function": ref("Function")}
    first = stack.create(resources("one"), **outputs)
    assert first["Layer"] == first["Arn"] and first["Layer"].endswith(":1")
    assert invoked(cloud, first["Function"]) == "one"
    functions = cloud.functions
    assert "GetLayerVersion" in functions.get_layer_version_policy(LayerName=first["Layer"].rsplit(":", 1)[0],
                                                                   VersionNumber=1)["Policy"]
    second = stack.update(resources("two", Description="the second"), **outputs)
    assert second["Layer"] != first["Layer"]
    assert invoked(cloud, first["Function"]) == "two"
    assert functions.get_layer_version_by_arn(Arn=second["Layer"])["Description"] == "the second"
    with refused("ResourceNotFoundException"):
        functions.get_layer_version_by_arn(Arn=first["Layer"])
    stack.delete()
    with refused("ResourceNotFoundException"):
        functions.get_layer_version_by_arn(Arn=second["Layer"])


# In the words of Lambda, which say what would help.
@pytest.mark.parametrize("properties, reason", [
    ({"Runtime": "python3.99"},
     "Value python3.99 at 'runtime' failed to satisfy constraint: Member must satisfy enum value set: ["),
    ({"VpcConfig": {"SubnetIds": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}},
     "VpcConfig, which has no effect here; started with --lenient"),
], ids=["runtime", "VpcConfig"])
def test_a_function_that_cannot_be_is_refused_by_what_is_wrong(stack, properties, reason):  # noqa: F811
    broken = function(ANSWERS)
    broken["Properties"].update(properties)
    stack.create({"Role": ROLE, "Function": broken}, expected="ROLLBACK_COMPLETE")
    assert any(reason in why for name, why in stack.reasons() if name == "Function"), stack.reasons()


READS = "import os\ndef handler(event, context):\n    return os.environ.get('COLOUR', 'none')\n"


# To UpdateFunctionConfiguration an Environment without Variables is one that stays as it is.
def test_an_environment_without_variables_has_none(cloud, stack):  # noqa: F811
    def resources(**environment):
        return {"Role": ROLE, "Function": function(READS, Environment=environment)}

    name = stack.create(resources(Variables={"COLOUR": "green"}), Function=ref("Function"))["Function"]
    assert invoked(cloud, name) == "green"
    stack.update(resources(), Function=ref("Function"))
    assert invoked(cloud, name) == "none"
    stack.delete()


def test_provisioned_concurrency_follows_its_alias_and_its_version(cloud, stack):  # noqa: F811
    def resources(of_alias=None, of_version=None, code=ANSWERS, version="One"):
        def provisioned(count):
            return {"ProvisionedConcurrencyConfig": {"ProvisionedConcurrentExecutions": count}} if count else {}
        return {"Role": ROLE, "Function": function(code),
                version: of("Lambda::Version", FunctionName=ref("Function"), **provisioned(of_version)),
                "Alias": of("Lambda::Alias", FunctionName=ref("Function"), Name="live", FunctionVersion=att(version, "Version"),
                            **provisioned(of_alias))}

    outputs = {"Function": ref("Function"), "Version": att("One", "Version")}
    made = stack.create(resources(of_alias=1), **outputs)

    def config(qualifier):
        found = cloud.functions.get_provisioned_concurrency_config(FunctionName=made["Function"], Qualifier=qualifier)
        return found["Status"], found["RequestedProvisionedConcurrentExecutions"]

    assert config("live") == ("READY", 1)
    stack.update(resources(of_alias="2"), **outputs)
    assert config("live") == ("READY", 2)
    stack.update(resources(), **outputs)
    with refused("ProvisionedConcurrencyConfigNotFoundException"):
        config("live")
    # A new version with its own, for new code, to which the alias goes without; the old one goes.
    stack.update(resources(of_alias=1), **outputs)
    stack.update(resources(of_version=1, code=ANSWERS + "# changed\n", version="Two"), Function=ref("Function"))
    assert config("2") == ("READY", 1)
    with refused("ResourceNotFoundException"):
        cloud.functions.get_function_configuration(FunctionName=made["Function"], Qualifier="1")
    assert invoked(cloud, f"{made['Function']}:live")["body"] == "2"
    stack.delete()
    with refused("ResourceNotFoundException"):
        cloud.functions.get_function(FunctionName=made["Function"])

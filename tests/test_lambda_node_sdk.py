"""Node.js functions find the AWS SDK v3 without bringing it, and say what is missing where it does not help."""
import pytest

from harness import NODE_RUNTIME, unique

SEND = """
const client = new SQSClient({});
%s = async (event) => {
  const { QueueUrls } = await client.send(new ListQueuesCommand({ QueueNamePrefix: event.prefix }));
  const document = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  return [QueueUrls.length, typeof document.send, marshall({ a: 1 })];
};
"""
REQUIRE = """
const { SQSClient, ListQueuesCommand } = require("@aws-sdk/client-sqs");
const { DynamoDBClient } = require("@aws-sdk/client-dynamodb");
const { DynamoDBDocumentClient } = require("@aws-sdk/lib-dynamodb");
const { marshall } = require("@aws-sdk/util-dynamodb");
""" + SEND % "exports.handler"
IMPORT = """
import { SQSClient, ListQueuesCommand } from "@aws-sdk/client-sqs";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
""" + SEND % "export const handler"
IMPORT_LATER = """
exports.handler = async () => Object.keys(await import("@aws-sdk/client-sfn")).includes("SFNClient");
"""


def node(cloud, files, **more):
    return cloud.create_function(None, files=files, runtime=NODE_RUNTIME, handler="index.handler", **more)


@pytest.mark.parametrize("files", [{"index.js": REQUIRE}, {"index.mjs": IMPORT},
                                   {"index.js": IMPORT, "package.json": '{"type": "module"}'}],
                         ids=["require", "import", "type-module"])
def test_a_function_finds_the_sdk(cloud, sqs, files):
    name = unique("found")
    cloud.create_queue(name)
    assert cloud.invoke(node(cloud, files), {"prefix": name})[1] == [1, "function", {"a": {"N": "1"}}]


def test_a_function_imports_the_sdk_when_it_needs_it(cloud):
    assert cloud.invoke(node(cloud, {"index.js": IMPORT_LATER}))[1] is True


OWN = {"node_modules/@aws-sdk/client-sqs/package.json": '{"name": "@aws-sdk/client-sqs", "main": "main.js"}',
       "node_modules/@aws-sdk/client-sqs/main.js": "exports.whose = '%s';\n"}
TELL = {"require": {"index.js": "const { whose } = require('@aws-sdk/client-sqs');\nexports.handler = async () => whose;\n"},
        "import": {"index.mjs": "import { whose } from '@aws-sdk/client-sqs';\nexport const handler = async () => whose;\n"}}


def own(whose, folder=""):
    return {folder + name: text % whose if "%s" in text else text for name, text in OWN.items()}


@pytest.mark.parametrize("how", TELL)
def test_what_the_package_brings_comes_before_the_platforms(cloud, how):
    assert cloud.invoke(node(cloud, {**TELL[how], **own("package")}))[1] == "package"


@pytest.mark.parametrize("how", TELL)
def test_what_a_layer_brings_comes_before_the_platforms(cloud, functions, how):
    from harness import quietly, zip_of
    name = unique("layer")
    layer = functions.publish_layer_version(LayerName=name, Content={"ZipFile": zip_of(own("layer", "nodejs/"))})
    cloud.cleanup.callback(quietly, functions.delete_layer_version, LayerName=name, VersionNumber=1)
    layers = [layer["LayerVersionArn"]]
    assert cloud.invoke(node(cloud, TELL[how], Layers=layers))[1] == "layer"
    assert cloud.invoke(node(cloud, {**TELL[how], **own("package")}, Layers=layers))[1] == "package"


@pytest.mark.local  # AWS has all of its clients
@pytest.mark.parametrize("files", [{"index.js": "require('@aws-sdk/client-braket');\n"},
                                   {"index.mjs": "import '@aws-sdk/client-braket';\n"}], ids=["require", "import"])
def test_a_client_that_there_is_not_is_told_with_what_to_do(cloud, files):
    _, document = cloud.invoke(node(cloud, files))
    assert document["errorType"] == "Runtime.ImportModuleError"
    assert "@aws-sdk/client-braket" in document["errorMessage"]
    assert "bring it in the function's package or a layer" in document["errorMessage"]


def test_the_sdk_of_version_2_is_not_there(cloud):
    _, document = cloud.invoke(node(cloud, {"index.js": "exports.handler = async () => { require('aws-sdk'); };\n"}))
    assert "Cannot find module 'aws-sdk'" in document["errorMessage"]

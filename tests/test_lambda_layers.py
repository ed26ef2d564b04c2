"""Layers: what is published, who may use it, and what functions find of it."""
import base64
import hashlib
import json
import subprocess
import urllib.request

import pytest

from harness import NODE_RUNTIME, PYTHON_RUNTIME, SERVER, Cloud, eventually, quietly, refused, unique, zip_of

FIND_WORD = "import word\ndef handler(event, context):\n    return word.word\n"


def word(text):
    return {"python/word.py": f"word = {text!r}\n"}


class Layers:
    """Publishes layers, which go with the test."""

    def __init__(self, cloud):
        self.cloud = cloud

    def publish(self, files, name=None, **more):
        name = name or unique("layer")
        answer = self.cloud.functions.publish_layer_version(LayerName=name, Content={"ZipFile": zip_of(files)}, **more)
        self.cloud.cleanup.callback(quietly, self.cloud.functions.delete_layer_version, LayerName=name,
                                    VersionNumber=answer["Version"])
        return answer

    def arn(self, files, **more):
        return self.publish(files, **more)["LayerVersionArn"]


@pytest.fixture
def layers(cloud):
    return Layers(cloud)


# ---- The layers themselves ----

def test_a_version_is_described_as_it_was_published(functions, layers):
    content = word("one")
    made = layers.publish(content, Description="words", LicenseInfo="MIT", CompatibleRuntimes=["python3.12", "python3.11"],
                          CompatibleArchitectures=["x86_64", "arm64"])
    package = zip_of(content)
    assert made["Version"] == 1 and made["LayerVersionArn"] == made["LayerArn"] + ":1"
    assert made["Content"]["CodeSize"] == len(package)
    assert made["Content"]["CodeSha256"] == base64.b64encode(hashlib.sha256(package).digest()).decode()
    assert made["Description"] == "words" and made["LicenseInfo"] == "MIT"
    name = made["LayerArn"].rpartition(":")[2]
    kept = ("LayerArn", "LayerVersionArn", "Description", "CreatedDate", "Version", "CompatibleRuntimes", "LicenseInfo",
            "CompatibleArchitectures")
    for found in (functions.get_layer_version(LayerName=name, VersionNumber=1),
                  functions.get_layer_version(LayerName=made["LayerArn"], VersionNumber=1),
                  functions.get_layer_version_by_arn(Arn=made["LayerVersionArn"])):
        assert {key: found[key] for key in kept} == {key: made[key] for key in kept}
    with urllib.request.urlopen(found["Content"]["Location"], timeout=30) as reply:
        assert reply.read() == package


def test_versions_count_up_and_numbers_are_not_given_out_again(functions, layers):
    name = unique("layer")
    assert [layers.publish(word(each), name=name)["Version"] for each in "ab"] == [1, 2]
    functions.delete_layer_version(LayerName=name, VersionNumber=2)
    functions.delete_layer_version(LayerName=name, VersionNumber=2)  # is gone already
    assert layers.publish(word("c"), name=name)["Version"] == 3
    listed = functions.list_layer_versions(LayerName=name)["LayerVersions"]
    assert [each["Version"] for each in listed] == [3, 1]
    pages = functions.get_paginator("list_layer_versions").paginate(LayerName=name, PaginationConfig={"PageSize": 1})
    assert [[each["Version"] for each in page["LayerVersions"]] for page in pages] == [[3], [1]]
    for version in (1, 3):
        functions.delete_layer_version(LayerName=name, VersionNumber=version)
    assert layers.publish(word("c"), name=name)["Version"] == 4


def test_layers_are_listed_with_their_newest_version_that_matches(functions, layers):
    name = unique("layer")
    layers.publish(word("a"), name=name, CompatibleRuntimes=["python3.9"])
    layers.publish(word("b"), name=name, CompatibleRuntimes=["python3.12"], CompatibleArchitectures=["arm64"])

    def newest(**wanted):
        pages = functions.get_paginator("list_layers").paginate(PaginationConfig={"PageSize": 1}, **wanted)
        listed = [each for page in pages for each in page["Layers"] if each["LayerName"] == name]
        return [each["LatestMatchingVersion"]["Version"] for each in listed]
    assert newest() == [2]
    assert newest(CompatibleRuntime="python3.9") == [1]
    assert newest(CompatibleArchitecture="arm64") == [2]
    assert newest(CompatibleRuntime="python3.9", CompatibleArchitecture="arm64") == []
    found = functions.list_layer_versions(LayerName=name, CompatibleRuntime="python3.9")["LayerVersions"]
    assert [each["Version"] for each in found] == [1]


def test_what_there_is_not_is_not_found(functions):
    name = unique("layer")
    with refused("ResourceNotFoundException", "The resource you requested does not exist."):
        functions.get_layer_version(LayerName=name, VersionNumber=1)
    with refused("InvalidParameterValueException", "Layer Version Cannot be less than 1"):
        functions.get_layer_version(LayerName=name, VersionNumber=0)
    assert functions.list_layer_versions(LayerName=name)["LayerVersions"] == []
    with refused("InvalidParameterValueException", "Could not unzip uploaded file"):
        functions.publish_layer_version(LayerName=name, Content={"ZipFile": b"no zip"})
    functions.delete_layer_version(LayerName=name, VersionNumber=1)


# ---- Who may use them ----

def test_a_policy_is_kept_with_its_revision(functions, layers):
    made = layers.publish(word("a"))
    at = {"LayerName": made["LayerArn"].rpartition(":")[2], "VersionNumber": 1}
    with refused("ResourceNotFoundException", "No policy is associated with the given resource."):
        functions.get_layer_version_policy(**at)
    allow = {**at, "Action": "lambda:GetLayerVersion"}
    first = functions.add_layer_version_permission(StatementId="s1", Principal="123456789012", **allow)
    statement = json.loads(first["Statement"])
    assert statement == {"Sid": "s1", "Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
                         "Action": "lambda:GetLayerVersion", "Resource": made["LayerVersionArn"]}
    with refused("ResourceConflictException", "The statement id (s1) provided already exists."):
        functions.add_layer_version_permission(StatementId="s1", Principal="*", **allow)
    with refused("PreconditionFailedException", "Call the GetLayerPolicy API to retrieve the latest Revision Id"):
        functions.add_layer_version_permission(StatementId="s2", Principal="*", RevisionId="wrong", **allow)
    second = functions.add_layer_version_permission(StatementId="s2", Principal="*", OrganizationId="o-0123456789",
                                                    RevisionId=first["RevisionId"], **allow)
    shown = functions.get_layer_version_policy(**at)
    assert shown["RevisionId"] == second["RevisionId"] != first["RevisionId"]
    assert [each["Sid"] for each in json.loads(shown["Policy"])["Statement"]] == ["s1", "s2"]
    with refused("ResourceNotFoundException", "Statement s3 is not found in resource policy."):
        functions.remove_layer_version_permission(StatementId="s3", **at)
    for sid in ("s1", "s2"):
        functions.remove_layer_version_permission(StatementId=sid, **at)
    with refused("ResourceNotFoundException", "No policy is associated with the given resource."):
        functions.remove_layer_version_permission(StatementId="s1", **at)
    with refused("ResourceNotFoundException", "Layer version " + made["LayerArn"] + ":9 does not exist."):
        functions.add_layer_version_permission(StatementId="s", Principal="*", **{**allow, "VersionNumber": 9})


@pytest.mark.local
def test_another_account_may_use_what_it_is_allowed(cloud, layers):
    made = layers.publish(word("shared"))
    at = {"LayerName": made["LayerArn"].rpartition(":")[2], "VersionNumber": 1}
    other = cloud.as_account("210987654321")
    create = {"files": {"app.py": FIND_WORD}, "Layers": [made["LayerVersionArn"]]}
    with refused("AccessDeniedException", "lambda:GetLayerVersion"):
        other.functions.get_layer_version_by_arn(Arn=made["LayerVersionArn"])
    with other.cleanup:
        with refused("AccessDeniedException", "lambda:GetLayerVersion"):
            other.create_function(None, **create)
        cloud.functions.add_layer_version_permission(StatementId="s", Action="lambda:GetLayerVersion",
                                                     Principal="210987654321", **at)
        assert other.invoke(other.create_function(None, **create))[1] == "shared"


# ---- In functions ----

def test_a_function_finds_its_layers_in_their_order(cloud, functions, layers):
    first = layers.arn({**word("first"), "python/only.py": "only = 'of the first'\n", "data/one": "1"})
    second = layers.arn({**word("second"), "data/two": "22"})
    source = ("import os, word, only\ndef handler(event, context):\n"
              "    return [word.word, only.only, sorted(os.listdir('/opt/data'))]\n")
    function = cloud.create_function(None, files={"app.py": source}, Layers=[first, second])
    assert cloud.invoke(function)[1] == ["second", "of the first", ["one", "two"]]
    shown = functions.get_function_configuration(FunctionName=function)["Layers"]
    assert [each["Arn"] for each in shown] == [first, second] and all(each["CodeSize"] > 0 for each in shown)
    functions.update_function_configuration(FunctionName=function, Layers=[second, first])
    functions.get_waiter("function_updated_v2").wait(FunctionName=function, WaiterConfig={"Delay": 1})
    assert cloud.invoke(function)[1][0] == "first"
    functions.update_function_configuration(FunctionName=function, Layers=[])
    functions.get_waiter("function_updated_v2").wait(FunctionName=function, WaiterConfig={"Delay": 1})
    answer, document = cloud.invoke(function)
    assert answer["FunctionError"] and "No module named 'word'" in document["errorMessage"]
    assert "Layers" not in functions.get_function_configuration(FunctionName=function)


def test_the_functions_own_code_comes_before_its_layers(cloud, layers):
    layer = layers.arn(word("the layer's"))
    function = cloud.create_function(None, files={"app.py": FIND_WORD, "word.py": "word = 'its own'\n"}, Layers=[layer])
    assert cloud.invoke(function)[1] == "its own"


def test_programs_and_files_of_layers_stand_in_opt(cloud, layers):
    layer = layers.arn({"bin/greet": "#!/bin/sh\necho hello from $(cat /opt/name)\n", "name": "the layer"})
    source = ("import os, subprocess\ndef handler(event, context):\n"
              "    try:\n        open('/opt/new', 'w')\n        wrote = True\n"
              "    except OSError:\n        wrote = False\n"
              "    return [subprocess.check_output('greet', text=True), wrote]\n")
    function = cloud.create_function(source, Layers=[layer])
    assert cloud.invoke(function)[1] == ["hello from the layer\n", False]


def test_scripts_of_layers_find_what_aws_has_at_one_place(cloud, layers):
    """The interpreter by all its names, the function's code, and the runtime."""
    major_minor = PYTHON_RUNTIME.removeprefix("python")
    names = ("python", "python3", f"python{major_minor}")
    in_python = "print(open('/var/task/app.py').read().split()[0])"
    in_node = "console.log(require('fs').readdirSync('/var/task')[0])"
    layer = layers.arn({"bin/node-says": f"#!/var/lang/bin/node\n{in_node}\n",
                        **{f"bin/{name}-says": f"#!/var/lang/bin/{name}\n{in_python}\n" for name in names}})
    function = cloud.create_function(f"""
        import os, shutil, subprocess
        def handler(event, context):
            said = [subprocess.check_output(f"/opt/bin/{{name}}-says", text=True) for name in {names}]
            return said, shutil.which("python3"), os.path.isdir("/var/runtime")
        """, Layers=[layer])
    assert cloud.invoke(function)[1] == [["import\n"] * 3, "/var/lang/bin/python3", True]
    source = ("const { execFileSync } = require('child_process');\n"
              "exports.handler = async () => `${execFileSync('node-says')}`;\n")
    function = cloud.create_function(None, files={"index.js": source}, runtime=NODE_RUNTIME, handler="index.handler",
                                     Layers=[layer])
    assert cloud.invoke(function)[1] == "index.js\n"


def test_layers_are_there_in_processes_that_start_before_anybody_calls(cloud, functions, layers):
    first = layers.arn({**word("hello"), "name": "nobody"})
    second = layers.arn({"name": "the layers"})
    source = "import word\ndef handler(event, context):\n    return f\"{word.word} {open('/opt/name').read()}\"\n"
    function = cloud.create_function(source, Publish=True, Layers=[first, second])
    functions.put_provisioned_concurrency_config(FunctionName=function, Qualifier="1", ProvisionedConcurrentExecutions=1)

    def ready():
        found = functions.get_provisioned_concurrency_config(FunctionName=function, Qualifier="1")
        assert found["Status"] != "FAILED", found
        return found["Status"] == "READY"

    eventually(ready, "provisioned", deadline_seconds=60 if functions.meta.endpoint_url else 300)
    assert cloud.invoke(function, Qualifier="1")[1] == "hello the layers"


@pytest.mark.parametrize("handler", ["require", "import"])
def test_a_node_function_finds_modules_of_its_layers(cloud, layers, handler):
    layer = layers.arn({"nodejs/node_modules/word/package.json": '{"name": "word", "main": "main.js"}',
                        "nodejs/node_modules/word/main.js": "exports.word = 'tea';\n"})
    files = ({"index.js": "const { word } = require('word');\nexports.handler = async () => word;\n"}
             if handler == "require" else
             {"index.mjs": "import { word } from 'word';\nexport const handler = async () => word;\n"})
    function = cloud.create_function(None, files=files, runtime=NODE_RUNTIME, handler="index.handler", Layers=[layer])
    assert cloud.invoke(function)[1] == "tea"


def test_a_version_keeps_the_layers_it_was_published_with(cloud, functions, layers):
    name = unique("layer")
    old, new = (layers.arn(word(each), name=name) for each in ("old", "new"))
    function = cloud.create_function(None, files={"app.py": FIND_WORD}, Layers=[old], Publish=True)
    functions.update_function_configuration(FunctionName=function, Layers=[new])
    functions.get_waiter("function_updated_v2").wait(FunctionName=function, WaiterConfig={"Delay": 1})
    # Deleting a layer takes it from no function that has it.
    for version in (1, 2):
        functions.delete_layer_version(LayerName=name, VersionNumber=version)
    assert cloud.invoke(function, Qualifier="1")[1] == "old"
    assert cloud.invoke(function)[1] == "new"
    functions.update_function_configuration(FunctionName=function, Description="its layer is gone")
    with refused("InvalidParameterValueException", f"Layer version {old} does not exist."):
        functions.update_function_configuration(FunctionName=function, Layers=[old])


def test_layers_that_do_not_go_together_are_refused(cloud, layers):
    name = unique("layer")
    one, two = (layers.arn(word(each), name=name) for each in "ab")

    def create(arns):
        cloud.create_function(None, files={"app.py": FIND_WORD}, Layers=arns, wait=False)
    with refused("InvalidParameterValueException", "Two different versions of the same layer are not allowed to be "
                 f"referenced in the same function. {one} and {two} are versions of the same layer."):
        create([one, two])
    with refused("InvalidParameterValueException", "Cannot reference more than 5 layers."):
        create([layers.arn(word(str(number))) for number in range(6)])
    with refused("InvalidParameterValueException", f"Layer version {one}9 does not exist."):
        create([one + "9"])
    there = one.replace(one.split(":")[3], "ap-south-1")
    with refused("InvalidParameterValueException", "Layers are not in the same region as the function."):
        create([there])


def test_code_and_layers_may_not_be_larger_than_250_mb_together(cloud, layers):
    half = b"\0" * 131_072_000
    layer = layers.arn({"half": half})
    with refused("InvalidParameterValueException",
                 "Function code combined with layers exceeds the maximum allowed size of 262144000 bytes."):
        cloud.create_function(None, files={"app.py": FIND_WORD, "half": half}, Layers=[layer], wait=False)
    function = cloud.create_function(None, files={"app.py": FIND_WORD}, Layers=[layer])
    with refused("InvalidParameterValueException", "The actual size is 262144"):
        cloud.functions.update_function_code(FunctionName=function,
                                             ZipFile=zip_of({"app.py": FIND_WORD + "#" * 100, "half": half}))


@pytest.mark.local  # AWS runs them
def test_external_extensions_are_refused_by_name(cloud, layers):
    layer = layers.arn({"extensions/watcher": "#!/bin/sh\n"})
    with refused("InvalidParameterValueException", f"external extensions: watcher in the layer {layer}"):
        cloud.create_function(None, files={"app.py": FIND_WORD}, Layers=[layer], wait=False)


@pytest.mark.local
def test_the_apis_of_extensions_are_refused_by_name(cloud):
    """Also to those within a function's own process."""
    name = cloud.create_function("""
        import http.client, json, os
        APIS = [("POST", "/2020-01-01/extension/register"), ("PUT", "/2022-07-01/telemetry"), ("PUT", "/2020-08-15/logs")]
        def handler(event, context):
            told = []
            for method, path in APIS:
                connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"], timeout=5)
                connection.request(method, path, "{}", {"Lambda-Extension-Name": "own"})
                answer = connection.getresponse()
                told.append([answer.status, json.loads(answer.read())["errorMessage"]])
            return told
        """)
    assert cloud.invoke(name)[1] == [[501, f"Tidemill does not support the {api} API of Lambda."]
                                     for api in ("Extensions", "Telemetry", "Logs")]


@pytest.mark.local
def test_layers_survive_a_kill_and_are_counted_right(start_server, tmp_path):
    data = tmp_path / "data"
    server = start_server(data=data)
    cloud = Cloud(server.endpoint)
    layers = Layers(cloud)
    arns = [layers.arn(word("kept"), name="one"), layers.arn({"python/other.py": "word = 'too'\n"}, name="two")]
    source = "import word, other\ndef handler(event, context):\n    return [word.word, other.word]\n"
    name = cloud.create_function(None, files={"app.py": source}, Layers=arns, Publish=True)
    cloud.functions.delete_layer_version(LayerName="one", VersionNumber=1)
    server.kill()
    assert check(data).returncode == 0, check(data).stdout
    server.start()
    cloud = Cloud(server.endpoint)
    assert cloud.invoke(name)[1] == cloud.invoke(name, Qualifier="1")[1] == ["kept", "too"]
    assert [each["LayerName"] for each in cloud.functions.list_layers()["Layers"]] == ["two"]
    cloud.functions.delete_function(FunctionName=name)
    server.stop()
    result = check(data)
    assert result.returncode == 0, result.stdout


def check(data):
    return subprocess.run([str(SERVER), "check", "--data", str(data)], capture_output=True, text=True, timeout=60)

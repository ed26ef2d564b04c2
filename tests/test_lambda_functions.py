"""Functions as resources: create, get, list, update, delete."""
import base64
import hashlib
import io
import json
import platform
import re
import urllib.error
import urllib.request
import zipfile

import pytest

from harness import NODE_RUNTIME, PYTHON_RUNTIME, ROLE, refused, unique, zip_of

ANSWER = "def handler(event, context):\n    return {}\n"

OTHER_ARCHITECTURE = "x86_64" if platform.machine() in ("aarch64", "arm64") else "arm64"


def definition(name=None, source=ANSWER, **more):
    return {"FunctionName": name or unique("function"), "Runtime": PYTHON_RUNTIME, "Handler": "app.handler",
            "Role": ROLE, "Code": {"ZipFile": zip_of({"app.py": source.format(1)})}, **more}


# --- create and get ---

def test_a_function_is_described_as_it_was_created(cloud, functions):
    package = zip_of({"app.py": ANSWER})
    name = unique("function")
    created = functions.create_function(
        FunctionName=name, Runtime=PYTHON_RUNTIME, Handler="app.handler", Role=ROLE, Code={"ZipFile": package},
        Description="answers", Timeout=7, MemorySize=256, Environment={"Variables": {"COLOUR": "green"}})
    cloud.cleanup.callback(functions.delete_function, FunctionName=name)
    functions.get_waiter("function_active_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    found = functions.get_function_configuration(FunctionName=name)
    for description in (created, found):
        assert description["FunctionName"] == name
        assert re.fullmatch(rf"arn:aws:lambda:us-east-1:\d{{12}}:function:{name}", description["FunctionArn"])
        assert description["Runtime"] == PYTHON_RUNTIME
        assert description["Handler"] == "app.handler"
        assert description["Role"] == ROLE
        assert description["Description"] == "answers"
        assert description["Timeout"] == 7
        assert description["MemorySize"] == 256
        assert description["Environment"] == {"Variables": {"COLOUR": "green"}}
        assert description["Version"] == "$LATEST"
        assert description["PackageType"] == "Zip"
        assert description["Architectures"] == ["x86_64"]
        assert description["CodeSize"] == len(package)
        assert description["CodeSha256"] == base64.b64encode(hashlib.sha256(package).digest()).decode()
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000", description["LastModified"])
        assert description["RevisionId"]
    assert created["ResponseMetadata"]["HTTPStatusCode"] == 201
    assert found["State"] == "Active"
    assert found["LastUpdateStatus"] == "Successful"


def test_a_function_is_pending_in_its_answer_and_active_after_it(cloud, functions):
    name, reason = unique("function"), "The function is being created."
    created = functions.create_function(FunctionName=name, Runtime=PYTHON_RUNTIME, Handler="app.handler", Role=ROLE,
                                        Code={"ZipFile": zip_of({"app.py": ANSWER})})
    cloud.cleanup.callback(functions.delete_function, FunctionName=name)
    assert (created["State"], created["StateReason"], created["StateReasonCode"]) == ("Pending", reason, "Creating")
    assert "LastUpdateStatus" not in created
    functions.get_waiter("function_active_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    found = functions.get_function_configuration(FunctionName=name)
    assert found["RevisionId"] != created["RevisionId"] and "StateReason" not in found
    with refused("PreconditionFailedException"):
        functions.update_function_configuration(FunctionName=name, Timeout=9, RevisionId=created["RevisionId"])
    code = {"ZipFile": zip_of({"app.py": ANSWER + "\n"})}
    for update in (lambda: functions.update_function_configuration(FunctionName=name, Timeout=9),
                   lambda: functions.update_function_code(FunctionName=name, **code)):
        updated = update()
        assert (updated["State"], updated["LastUpdateStatus"]) == ("Active", "InProgress")
        assert (updated["LastUpdateStatusReason"], updated["LastUpdateStatusReasonCode"]) == (reason, "Creating")
        functions.get_waiter("function_updated_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
        found = functions.get_function_configuration(FunctionName=name)
        assert found["RevisionId"] != updated["RevisionId"]
        assert found["LastUpdateStatus"] == "Successful" and "LastUpdateStatusReason" not in found


def test_what_is_not_given_has_a_default(cloud, functions):
    name = cloud.create_function(None, files={"app.py": ANSWER}, Timeout=3)
    found = functions.get_function_configuration(FunctionName=name)
    assert found["Timeout"] == 3
    assert found["MemorySize"] == 128
    assert found["Description"] == ""
    assert "Environment" not in found
    functions.update_function_configuration(FunctionName=name, Environment={"Variables": {"COLOUR": "green"}})
    functions.get_waiter("function_updated_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    functions.update_function_configuration(FunctionName=name, Environment={})
    functions.get_waiter("function_updated_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    found = functions.get_function_configuration(FunctionName=name)
    assert found["Environment"] == {"Variables": {"COLOUR": "green"}}
    functions.update_function_configuration(FunctionName=name, Environment={"Variables": {}})
    assert "Environment" not in functions.get_function_configuration(FunctionName=name)


def test_get_function_gives_configuration_and_code(cloud, functions):
    name = cloud.create_function(None, files={"app.py": ANSWER})
    found = functions.get_function(FunctionName=name)
    assert found["Configuration"]["FunctionName"] == name
    assert found["Code"]["RepositoryType"] == "S3"
    with urllib.request.urlopen(found["Code"]["Location"], timeout=10) as answer:
        with zipfile.ZipFile(io.BytesIO(answer.read())) as package:
            assert package.read("app.py").decode() == ANSWER


# DownloadPackage, an operation of ours.
@pytest.mark.local
def test_a_package_that_is_not_there_cannot_be_fetched(cloud, functions):
    where = functions.get_function(FunctionName=cloud.create_function(ANSWER))["Code"]["Location"]
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(re.sub("[0-9a-f]{64}", "0" * 64, where), timeout=10)
    assert error.value.code == 404


def test_a_function_has_no_code_signing(cloud, functions):
    name = cloud.create_function(None, files={"app.py": ANSWER})
    answer = functions.get_function_code_signing_config(FunctionName=name)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert "CodeSigningConfigArn" not in answer
    with refused("ResourceNotFoundException", "Function not found: arn:aws:lambda:"):
        functions.get_function_code_signing_config(FunctionName=name + "x")


@pytest.mark.parametrize("form", ["{name}", "{arn}", "{account}:function:{name}", "{name}:$LATEST", "{arn}:$LATEST"])
def test_a_function_can_be_named_in_every_form(cloud, functions, form):
    name = cloud.create_function(None, files={"app.py": ANSWER})
    arn = functions.get_function_configuration(FunctionName=name)["FunctionArn"]
    given = form.format(name=name, arn=arn, account=arn.split(":")[4])
    assert functions.get_function_configuration(FunctionName=given)["FunctionName"] == name
    assert cloud.invoke(given)[1] == {}


def test_a_name_that_is_taken_is_refused(cloud, functions):
    name = cloud.create_function(None, files={"app.py": ANSWER})
    with refused("ResourceConflictException", f"Function already exist: {name}", exactly=True, status=409):
        functions.create_function(**definition(name))


def test_an_unknown_function_is_refused_with_its_arn(functions):
    name = unique("nothing")
    for call in (functions.get_function, functions.get_function_configuration, functions.delete_function,
                 functions.invoke):
        with refused("ResourceNotFoundException", f":function:{name}", status=404) as error:
            call(FunctionName=name)
        assert re.match(r"Function not found: arn:aws:lambda:us-east-1:\d{12}:function:", error.response["Error"]["Message"])


@pytest.mark.parametrize("more, code, message", [
    *[({"Runtime": runtime}, "InvalidParameterValueException",
       f"Value {runtime} at 'runtime' failed to satisfy constraint: Member must satisfy enum value set: [")
      for runtime in ("cobol85", "python3.99", "nodejs99.x", "ruby3.0", "arn:aws:lambda:us-east-1::runtime:none")],
    ({"FunctionName": "with space"}, "ValidationException", "at 'functionName' failed to satisfy constraint"),
    ({"FunctionName": "x" * 65}, None, ""),
    ({"Timeout": 0}, "ValidationException", "at 'timeout' failed to satisfy constraint"),
    ({"Timeout": 901}, "ValidationException", "at 'timeout' failed to satisfy constraint: Member must have value less "
     "than or equal to 900"),
    ({"MemorySize": 64}, "ValidationException", "at 'memorySize' failed to satisfy constraint"),
    ({"Role": "me"}, "ValidationException", "at 'role' failed to satisfy constraint"),
    ({"Code": {"ZipFile": b"that is no zip"}}, "InvalidParameterValueException",
     "Could not unzip uploaded file. Please check your file, then try to upload again."),
    ({"Environment": {"Variables": {"1BAD": "x"}}}, None, ""),
    ({"Environment": {"Variables": {"AWS_REGION": "moon"}}}, "InvalidParameterValueException", "AWS_REGION"),
    ({"Environment": {"Variables": {"BIG": "x" * 5000}}}, "InvalidParameterValueException", "4KB"),
], ids=["cobol", "python", "node", "ruby", "runtime's ARN", "name", "long name", "timeout 0", "timeout 901", "memory",
        "role", "zip", "variable name", "reserved variable", "large environment"])
def test_a_definition_that_cannot_be_is_refused(cloud, functions, more, code, message):
    status, headers, body = cloud.raw("lambda", "POST", "/2015-03-31/functions", json.dumps({
        **definition(), "Code": {"ZipFile": base64.b64encode(
            more.get("Code", {}).get("ZipFile", zip_of({"app.py": ANSWER}))).decode()},
        **{key: text for key, text in more.items() if key != "Code"}}), {"Content-Type": "application/json"})
    assert status == 400, body
    if code:
        assert headers["x-amzn-errortype"].split(":")[0] == code, body
    assert message.lower() in (json.loads(body).get("message") or json.loads(body)["Message"]).lower()


# A file that climbs out of its package must never be written outside of it.
def test_a_package_with_paths_that_climb_out_is_refused_or_contained(cloud, functions, tmp_path):
    try:
        name = cloud.create_function(None, files={"app.py": ANSWER, "../../../../../../tmp/climbed-out": "x"})
    except functions.exceptions.InvalidParameterValueException:
        return
    with pytest.raises(FileNotFoundError):
        open("/tmp/climbed-out").close()
    functions.get_function(FunctionName=name)


# Options that would change what happens must not be stored and ignored.
@pytest.mark.local
@pytest.mark.parametrize("more, name", [
    ({"VpcConfig": {"SubnetIds": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}}, "VpcConfig"),
    ({"PackageType": "Image"}, "PackageType"),
    ({"Architectures": [OTHER_ARCHITECTURE], "Runtime": "provided.al2023"}, "Architectures"),
])
def test_an_option_that_is_not_supported_is_refused_by_name(functions, more, name):
    with pytest.raises(functions.exceptions.ClientError) as error:
        functions.create_function(**definition(**more))
    assert name.lower() in str(error.value).lower()


# --- list ---

def test_functions_are_listed_and_paged(cloud, functions):
    names = {cloud.create_function(None, files={"app.py": ANSWER}, wait=False) for _ in range(3)}
    found = []
    for page in functions.get_paginator("list_functions").paginate(PaginationConfig={"PageSize": 2}):
        assert len(page["Functions"]) <= 2
        found += [function["FunctionName"] for function in page["Functions"]]
    assert names <= set(found)
    assert len(found) == len(set(found))


# --- update ---

def test_new_code_runs_after_an_update(cloud, functions):
    name = cloud.create_function("def handler(event, context):\n    return 1\n")
    before = functions.get_function_configuration(FunctionName=name)
    assert cloud.invoke(name)[1] == 1
    functions.update_function_code(FunctionName=name,
                                   ZipFile=zip_of({"app.py": "def handler(event, context):\n    return 2\n"}))
    functions.get_waiter("function_updated_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    assert cloud.invoke(name)[1] == 2
    after = functions.get_function_configuration(FunctionName=name)
    assert after["CodeSha256"] != before["CodeSha256"]
    assert after["RevisionId"] != before["RevisionId"]
    assert after["LastUpdateStatus"] == "Successful"


def test_new_configuration_holds_after_an_update(cloud, functions):
    name = cloud.create_function("""
        import os
        def handler(event, context):
            return os.environ.get("COLOUR")
        def other(event, context):
            return "other"
    """, Environment={"Variables": {"COLOUR": "green"}})
    assert cloud.invoke(name)[1] == "green"
    updated = functions.update_function_configuration(FunctionName=name, Timeout=9, Description="changed",
                                                      Environment={"Variables": {"COLOUR": "red"}})
    assert (updated["Timeout"], updated["Description"]) == (9, "changed")
    functions.get_waiter("function_updated_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    assert cloud.invoke(name)[1] == "red"
    functions.update_function_configuration(FunctionName=name, Handler="app.other")
    functions.get_waiter("function_updated_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    assert cloud.invoke(name)[1] == "other"
    # What an update does not mention stays.
    assert functions.get_function_configuration(FunctionName=name)["Timeout"] == 9


def test_an_update_with_an_old_revision_is_refused(cloud, functions):
    name = cloud.create_function(None, files={"app.py": ANSWER})
    old = functions.get_function_configuration(FunctionName=name)["RevisionId"]
    functions.update_function_configuration(FunctionName=name, Timeout=9, RevisionId=old)
    functions.get_waiter("function_updated_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    with refused("PreconditionFailedException", status=412):
        functions.update_function_configuration(FunctionName=name, Timeout=10, RevisionId=old)


def test_a_dry_run_of_new_code_changes_nothing(cloud, functions):
    name = cloud.create_function("def handler(event, context):\n    return 1\n")
    before = functions.get_function_configuration(FunctionName=name)["CodeSha256"]
    functions.update_function_code(FunctionName=name, DryRun=True,
                                   ZipFile=zip_of({"app.py": "def handler(event, context):\n    return 2\n"}))
    assert functions.get_function_configuration(FunctionName=name)["CodeSha256"] == before
    assert cloud.invoke(name)[1] == 1


# --- delete ---

def test_a_deleted_function_is_gone_and_its_name_free(cloud, functions):
    name = cloud.create_function("def handler(event, context):\n    return 1\n")
    assert functions.delete_function(FunctionName=name)["ResponseMetadata"]["HTTPStatusCode"] == 204
    with refused("ResourceNotFoundException"):
        cloud.invoke(name)
    cloud.create_function("def handler(event, context):\n    return 2\n", name=name)
    assert cloud.invoke(name)[1] == 2


# --- waiters and runtimes ---

@pytest.mark.parametrize("waiter", ["function_exists", "function_active", "function_active_v2", "function_updated",
                                    "function_updated_v2"])
def test_the_waiters_of_the_sdk_end(cloud, functions, waiter):
    name = cloud.create_function(None, files={"app.py": ANSWER}, wait=False)
    functions.get_waiter(waiter).wait(FunctionName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 20})


def test_a_node_function_can_be_created(cloud, functions):
    name = cloud.create_function(None, runtime=NODE_RUNTIME, handler="index.handler",
                                 files={"index.js": "exports.handler = async () => 'node';"})
    assert functions.get_function_configuration(FunctionName=name)["Runtime"] == NODE_RUNTIME


@pytest.mark.parametrize("architecture", ["x86_64", "arm64"])
def test_an_interpreted_function_may_be_of_either_architecture(cloud, functions, architecture):
    name = cloud.create_function("def handler(event, context):\n    return 'there'\n", Architectures=[architecture])
    assert functions.get_function_configuration(FunctionName=name)["Architectures"] == [architecture]
    assert cloud.invoke(name)[1] == "there"
    other = {"x86_64": "arm64", "arm64": "x86_64"}[architecture]
    functions.update_function_code(FunctionName=name, Architectures=[other],
                                   ZipFile=zip_of({"app.py": "def handler(event, context):\n    return 'moved'\n"}))
    functions.get_waiter("function_updated_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1})
    assert functions.get_function_configuration(FunctionName=name)["Architectures"] == [other]
    assert cloud.invoke(name)[1] == "moved"


@pytest.mark.local
@pytest.mark.parametrize("runtime", ["dotnet8", "ruby2.7", "go1.x"])
def test_a_language_that_the_host_lacks_is_refused_with_what_is_there(cloud, runtime):
    status, _, body = cloud.raw("lambda", "POST", "/2015-03-31/functions", json.dumps({
        **definition(), "Runtime": runtime, "Code": {"ZipFile": base64.b64encode(zip_of({"a": "b"})).decode()}}))
    assert status == 400
    assert "python3" in body.decode()


# As recorded on AWS.
def test_lists_do_not_tell_in_which_state_functions_are(cloud, functions):
    name = cloud.create_function("def handler(event, context):\n    pass\n")
    functions.publish_version(FunctionName=name)
    listed = [one for page in functions.get_paginator("list_functions").paginate() for one in page["Functions"]
              if one["FunctionName"] == name]
    for one in listed + functions.list_versions_by_function(FunctionName=name)["Versions"]:
        assert not {"State", "StateReason", "LastUpdateStatus", "RuntimeVersionConfig"} & set(one)
    assert len(listed) == 1


def test_an_environment_is_measured_as_json(cloud, functions):
    name = cloud.create_function("def handler(event, context):\n    pass\n")
    fits = 4096 - len('{"BIG":""}')
    functions.update_function_configuration(FunctionName=name, Environment={"Variables": {"BIG": "x" * fits}})
    with refused("InvalidParameterValueException", 'exceeded the 4KB limit. String measured: {"BIG":"xxx'):
        functions.update_function_configuration(FunctionName=name, Environment={"Variables": {"BIG": "x" * (fits + 1)}})


def test_names_with_wrong_characters_are_refused_with_the_pattern_of_aws(functions):
    with refused("ValidationException", r"((eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}:)?"):
        functions.get_function(FunctionName="a b")


def test_aliases_that_are_not_there_are_told_in_the_words_of_each_operation(cloud, functions):
    name = cloud.create_function("def handler(event, context):\n    pass\n")
    with refused("ResourceNotFoundException", "Cannot find alias arn: "):
        functions.get_alias(FunctionName=name, Name="none")
    with refused("ResourceNotFoundException", "Alias not found: "):
        functions.update_alias(FunctionName=name, Name="none")


def test_too_many_tags_exceed_the_limit(cloud, functions):
    name = cloud.create_function("def handler(event, context):\n    pass\n")
    arn = functions.get_function_configuration(FunctionName=name)["FunctionArn"]
    with refused("InvalidParameterValueException", "Number of tags exceeds resource tag limit."):
        functions.tag_resource(Resource=arn, Tags={f"key{number}": "" for number in range(51)})


# Recorded against AWS by others.
def test_a_name_that_is_too_long_is_that_of_no_function(cloud, functions):
    name = "x" * 100
    for call in (functions.get_function, functions.delete_function):
        with refused("ResourceNotFoundException", f"Function not found: arn:aws:lambda:us-east-1:000000000000:function:"
                                                  f"{name}", status=404):
            call(FunctionName=name)
    with refused("InvalidParameterValueException", "Member must have length less than or equal to 64"):
        functions.create_function(FunctionName=name, Runtime="provided.al2023", Handler="h", Code={"ZipFile": b"x"},
                                  Role="arn:aws:iam::000000000000:role/r")


def test_no_tags_are_nothing_to_be_tagged_with(cloud, functions):
    arn = functions.get_function(FunctionName=cloud.create_function("def handler(event, context): return 1"))[
        "Configuration"]["FunctionArn"]
    with refused("InvalidParameterValueException", "An error occurred and the request cannot be processed.",
                 exactly=True):
        functions.tag_resource(Resource=arn, Tags={})

"""Settings that have no effect here: refused by name, or, with --lenient, kept and shown; and what a function may write."""
import pytest

from harness import Cloud, eventually, refused, unique, zip_of

ECHO = "def handler(event, context):\n    return event\n"
SETTINGS = {
    "VpcConfig": {"SubnetIds": ["subnet-1"], "SecurityGroupIds": ["sg-1"]},
    "KMSKeyArn": "arn:aws:kms:us-east-1:000000000000:key/1",
    "TracingConfig": {"Mode": "Active"},
    "SnapStart": {"ApplyOn": "PublishedVersions"},
    "FileSystemConfigs": [{"Arn": "arn:aws:elasticfilesystem:us-east-1:000000000000:access-point/fsap-" + "0" * 17,
                           "LocalMountPath": "/mnt/files"}],
}


def create(functions, **more):
    return functions.create_function(FunctionName=unique("function"), Runtime="python3.12", Handler="app.handler",
                                     Role="arn:aws:iam::000000000000:role/any", Code={"ZipFile": zip_of({"app.py": ECHO})}, **more)


@pytest.mark.local
@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_without_effect_is_refused_by_name(functions, name):
    with refused("InvalidParameterValueException", name):
        create(functions, **{name: SETTINGS[name]})


@pytest.mark.local
def test_a_lenient_server_keeps_and_shows_them_and_says_so_in_its_log(start_server):
    server = start_server("--lenient")
    functions = Cloud(server.endpoint).functions
    function = create(functions, **SETTINGS)["FunctionName"]

    def check(shown):
        assert {part: shown["VpcConfig"][part] for part in SETTINGS["VpcConfig"]} == SETTINGS["VpcConfig"]
        for name in ("KMSKeyArn", "TracingConfig", "FileSystemConfigs"):
            assert shown[name] == SETTINGS[name]
        assert shown["SnapStart"] == {"ApplyOn": "PublishedVersions", "OptimizationStatus": "Off"}
    check(functions.get_function_configuration(FunctionName=function))
    eventually(lambda: server.log().count("setting_without_effect") == len(SETTINGS), "a line for each")
    server.kill()
    server.start()
    functions = Cloud(server.endpoint).functions
    check(functions.get_function_configuration(FunctionName=function))
    assert functions.publish_version(FunctionName=function)["SnapStart"]["OptimizationStatus"] == "On"
    shown = functions.update_function_configuration(
        FunctionName=function, VpcConfig={"SubnetIds": [], "SecurityGroupIds": []}, KMSKeyArn="",
        TracingConfig={"Mode": "PassThrough"}, SnapStart={"ApplyOn": "None"}, FileSystemConfigs=[])
    assert "VpcConfig" not in shown and "KMSKeyArn" not in shown and "FileSystemConfigs" not in shown
    assert shown["TracingConfig"] == {"Mode": "PassThrough"} and shown["SnapStart"]["ApplyOn"] == "None"


def test_the_storage_of_a_function_is_shown(cloud, functions):
    function = cloud.create_function(ECHO, EphemeralStorage={"Size": 1024})
    assert functions.get_function_configuration(FunctionName=function)["EphemeralStorage"] == {"Size": 1024}
    changed = functions.update_function_configuration(FunctionName=function, EphemeralStorage={"Size": 10240})
    assert changed["EphemeralStorage"] == {"Size": 10240}
    plain = cloud.create_function(ECHO)
    assert functions.get_function_configuration(FunctionName=plain)["EphemeralStorage"] == {"Size": 512}
    for size in (511, 10241):
        with refused("ValidationException", "at 'ephemeralStorage.size' failed to satisfy constraint"):
            cloud.client("lambda", parameter_validation=False).update_function_configuration(
                FunctionName=plain, EphemeralStorage={"Size": size})


def test_a_function_cannot_write_a_file_beyond_its_storage(cloud):
    function = cloud.create_function("""
        import os, tempfile
        def handler(event, context):
            path = os.path.join(tempfile.gettempdir(), "file")
            file = os.open(path, os.O_WRONLY | os.O_CREAT)
            os.ftruncate(file, 512 << 20)  # takes nothing of the disk
            os.lseek(file, 0, os.SEEK_END)
            try:
                os.write(file, b"x")
            except OSError as error:
                return type(error).__name__
            return "written"
    """)
    assert cloud.invoke(function)[1] == "OSError"


@pytest.mark.local
def test_a_function_that_writes_too_much_in_all_is_ended(cloud):
    function = cloud.create_function("""
        import os, tempfile, time
        def handler(event, context):
            for number in range(3):
                file = os.open(os.path.join(tempfile.gettempdir(), str(number)), os.O_WRONLY | os.O_CREAT)
                os.posix_fallocate(file, 0, 200 << 20)
            time.sleep(60)
    """, Timeout=60)
    answer, document = cloud.invoke(function)
    assert answer["FunctionError"] == "Unhandled" and document["errorType"] == "Runtime.ExitError"

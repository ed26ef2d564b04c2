"""AWS_LAMBDA_EXEC_WRAPPER: a program that starts the runtime in its own way."""
import pytest

from harness import NODE_RUNTIME, quietly, unique, zip_of

WRAPPER = "#!/bin/sh\nexport WRAPPED=\"yes, by $0\"\nexec \"$@\"\n"


def create(cloud, files, path, **more):
    return cloud.create_function(None, files=files, Environment={"Variables": {"AWS_LAMBDA_EXEC_WRAPPER": path}}, **more)


PYTHON = {"app.py": "import os\ndef handler(event, context):\n    return os.environ['WRAPPED']\n"}
NODE = {"app.js": "exports.handler = async () => process.env.WRAPPED;\n"}


@pytest.mark.parametrize("runtime", [None, NODE_RUNTIME], ids=["python", "node"])
def test_a_wrapper_of_a_layer_starts_the_runtime(cloud, functions, runtime):
    name = unique("layer")
    layer = functions.publish_layer_version(LayerName=name, Content={"ZipFile": zip_of({"wrap": WRAPPER})})
    cloud.cleanup.callback(quietly, functions.delete_layer_version, LayerName=name, VersionNumber=1)
    more = {"runtime": runtime} if runtime else {}
    function = create(cloud, NODE if runtime else PYTHON, "/opt/wrap", Layers=[layer["LayerVersionArn"]], **more)
    assert cloud.invoke(function)[1] == "yes, by /opt/wrap"


@pytest.mark.parametrize("runtime", [None, NODE_RUNTIME], ids=["python", "node"])
def test_a_wrapper_that_there_is_not_ends_the_start(cloud, runtime):
    more = {"runtime": runtime} if runtime else {}
    answer, document = cloud.invoke(create(cloud, NODE if runtime else PYTHON, "/opt/none", **more))
    assert answer["FunctionError"] == "Unhandled" and document["errorType"] == "Runtime.ExitError"
    assert document["errorMessage"].endswith(" Error: Runtime exited with error: exit status 127")

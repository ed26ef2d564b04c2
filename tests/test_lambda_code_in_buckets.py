"""Packages that are deployed by way of a bucket, as the CDK and others do."""
import json

import pytest

from harness import PYTHON_RUNTIME, ROLE, quietly, refused, unique, zip_of


def package(answer):
    return zip_of({"app.py": f"def handler(event, context): return {answer!r}"})


@pytest.fixture
def bucket(cloud):
    return cloud.create_bucket(versioned=True)


@pytest.fixture
def create(cloud):
    made = []

    def create(**code):
        name = unique("function")
        cloud.functions.create_function(FunctionName=name, Runtime=PYTHON_RUNTIME, Role=ROLE, Handler="app.handler",
                                        Code=code)
        made.append(name)
        cloud.functions.get_waiter("function_active_v2").wait(FunctionName=name)
        return name
    yield create
    for name in made:
        quietly(cloud.functions.delete_function, FunctionName=name)


def answer_of(cloud, function):
    return json.load(cloud.functions.invoke(FunctionName=function)["Payload"])


def test_a_function_is_made_and_changed_of_objects(cloud, bucket, create):
    first = cloud.s3.put_object(Bucket=bucket, Key="a/package.zip", Body=package("first"))["VersionId"]
    function = create(S3Bucket=bucket, S3Key="a/package.zip")
    assert answer_of(cloud, function) == "first"

    cloud.s3.put_object(Bucket=bucket, Key="a/package.zip", Body=package("second"))
    assert answer_of(cloud, function) == "first"  # the function keeps what it was made of
    cloud.functions.update_function_code(FunctionName=function, S3Bucket=bucket, S3Key="a/package.zip")
    cloud.functions.get_waiter("function_updated_v2").wait(FunctionName=function)
    assert answer_of(cloud, function) == "second"

    assert answer_of(cloud, create(S3Bucket=bucket, S3Key="a/package.zip", S3ObjectVersion=first)) == "first"


def test_what_is_not_there_is_said_in_the_words_of_the_bucket(cloud, bucket, create):
    with refused("InvalidParameterValueException", "Error occurred while GetObject. S3 Error Code: NoSuchKey. S3 Error "
                 "Message: The specified key does not exist."):
        create(S3Bucket=bucket, S3Key="nothing.zip")
    with refused("InvalidParameterValueException", "Error occurred while GetObject. S3 Error Code: NoSuchBucket."):
        create(S3Bucket=unique("nothing"), S3Key="package.zip")


def test_an_object_that_is_no_package_is_refused(cloud, bucket, create):
    cloud.s3.put_object(Bucket=bucket, Key="text", Body=b"not a zip")
    with refused("InvalidParameterValueException"):
        create(S3Bucket=bucket, S3Key="text")


def test_code_has_one_source(create, bucket):
    with refused("InvalidParameterValueException", "Please provide a source for function code."):
        create(S3Bucket=bucket)
    with refused("InvalidParameterValueException",
                 "Please do not provide other FunctionCode parameters when providing a ZipFile."):
        create(ZipFile=package("both"), S3Bucket=bucket, S3Key="key")

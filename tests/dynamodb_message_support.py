"""What the tests of DynamoDB's messages share: raw requests and the words with which they are refused."""
import pytest

from harness import values

INVALID = "One or more parameter values were invalid: "
DETECTED = "1 validation error detected: "
DYNAMODB = "com.amazonaws.dynamodb.v20120810#"
OPERANDS = values(v="x", n=1, two=2, list=[1])
VALIDATION = "com.amazon.coral.validate#ValidationException"


@pytest.fixture(scope="module")
def simple(shared_cloud):
    name = shared_cloud.create_table()
    shared_cloud.put_item(name, id="subject", n=1, m={"a": 1}, l=[1], word="hello")
    return name


@pytest.fixture
def call(cloud):
    """call(operation, request): the message with which a raw request is refused."""
    def call(operation, request, kind=VALIDATION):
        status, answer = cloud.call_json("DynamoDB_20120810." + operation, request)
        assert status == 400, answer
        assert answer["__type"] == kind
        return answer.get("message") or answer.get("Message")
    return call

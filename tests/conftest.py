"""Fixtures: a server shared by most tests, others of a test's own, and what to talk to them with."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import awscli_support  # noqa: E402
from harness import Cloud, Server, StartFailed  # noqa: E402

AGAINST = os.environ.get("TIDEMILL_TEST_ENDPOINT")  # unset: start servers; "aws": AWS itself; else a URL


# Files that take a minute or more, begun first: of several processes none shall be left alone with one at the end.
LONGEST = ["test_terraform", "test_cdk_more", "test_mappings_queues", "test_example_aggregation",
           "test_example_callback_export", "test_cdk", "test_authorization_examples"]


def pytest_collection_modifyitems(items):
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda test: places.get(test.path.stem, len(LONGEST)))
    if AGAINST:
        for test in items:
            if "local" in test.keywords:
                test.add_marker(pytest.mark.skip(reason="needs a server of its own"))


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The server that tests share: real clock, default settings."""
    if AGAINST:
        yield None
        return
    directory = tmp_path_factory.mktemp("server")
    try:
        server = Server(directory / "data", log=directory / "log").start()
    except (OSError, StartFailed) as error:
        pytest.exit(f"the server does not start: {error}", 3)
    yield server
    assert server.running, f"the server ended during the tests; its log: {directory / 'log'}"
    code, _ = server.stop()
    assert code == 0


@pytest.fixture(scope="session")
def shared_cloud(server):
    cloud = Cloud(server.endpoint if server else (None if AGAINST == "aws" else AGAINST))
    with cloud.cleanup:
        yield cloud


@pytest.fixture
def cloud(shared_cloud):
    """The shared server's clients; what the test makes through it is removed at the test's end."""
    cloud = shared_cloud
    cloud.inbox_table()
    outer, cloud.cleanup = cloud.cleanup, type(cloud.cleanup)()
    try:
        with cloud.cleanup:
            yield cloud
    finally:
        cloud.cleanup = outer


@pytest.fixture
def dynamodb(cloud):
    return cloud.dynamodb


@pytest.fixture
def functions(cloud):
    return cloud.functions


@pytest.fixture
def sqs(cloud):
    return cloud.sqs


@pytest.fixture
def kinesis(cloud):
    return cloud.kinesis


@pytest.fixture
def create_queue(cloud):
    return cloud.create_queue


@pytest.fixture
def s3(cloud):
    return cloud.s3


@pytest.fixture
def bucket(cloud):
    return cloud.create_bucket()


@pytest.fixture
def versioned(cloud):
    return cloud.create_bucket(versioned=True)


@pytest.fixture(scope="module")
def virtual_server(tmp_path_factory):
    """A server whose clock stands still until a test turns it."""
    directory = tmp_path_factory.mktemp("virtual")
    server = Server(directory / "data", "--clock", "virtual", log=directory / "log").start()
    yield server
    server.stop()


@pytest.fixture
def virtual(virtual_server):
    cloud = Cloud(virtual_server.endpoint)
    with cloud.cleanup:
        yield cloud


@pytest.fixture(scope="session")
def aws_program(tmp_path_factory):
    """The path of an `aws` that starts quickly."""
    with awscli_support.forks(tmp_path_factory.mktemp("aws")) as program:
        yield program


@pytest.fixture
def start_server(tmp_path):
    """start_server(*flags, data=None): a server of the test's own; killed at the end if it still runs."""
    servers = []

    def start(*flags, data=None, **options):
        server = Server(data or tmp_path / "data", *flags, **options)
        servers.append(server)
        return server.start()

    yield start
    for server in servers:
        server.kill()

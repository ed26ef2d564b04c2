"""Stacks whose server is killed in the middle: it goes on where it was, or all is taken back."""
import random
import time

import pytest
from cloudformation_support import chain, create, queue_names, queue_state, settled, template
from harness import Cloud, unique

pytestmark = pytest.mark.local

KILLS = 4  # of one deployment
LONGEST_LIFE_SECONDS = 0.06  # about what the deployment takes


def go_on_through_kills(server, seed, begin):
    """begin(cfn) starts an operation; the server is killed at moments that the seed says, until nothing is in progress."""
    moments = random.Random(seed)
    for kill in range(KILLS):
        if kill == 0:
            begin(Cloud(server.endpoint).client("cloudformation"))
        time.sleep(moments.uniform(0, LONGEST_LIFE_SECONDS))  # the moment itself is the input; any will do
        server.kill()
        server.start()
    return Cloud(server.endpoint)


@pytest.mark.parametrize("seed", range(4))
def test_a_creation_goes_on(start_server, seed):
    server, name = start_server(), unique("stack")
    body = template(chain(12))
    cloud = go_on_through_kills(server, seed, lambda cfn: cfn.create_stack(StackName=name, TemplateBody=body))
    cfn = cloud.client("cloudformation")
    assert settled(cfn, name)["StackStatus"] == "CREATE_COMPLETE"
    state = queue_state(cloud, name, cfn)
    assert set(state) == set(chain(12))
    assert queue_names(cloud, name) == sorted(one[0] for one in state.values())  # and none was made twice


@pytest.mark.parametrize("seed", range(4))
def test_an_update_that_fails_is_taken_back_whole(start_server, seed):
    server, name = start_server(), unique("stack")
    cloud = Cloud(server.endpoint)
    create(cloud.client("cloudformation"), name, template(chain(8)))
    before = queue_state(cloud, name, cloud.client("cloudformation"))
    changed = chain(8)
    for one in changed.values():
        one["Properties"]["DelaySeconds"] = 7
    changed["Q2"]["Properties"]["FifoQueue"] = True
    changed["Q7"]["Properties"]["VisibilityTimeout"] = 99_999_999
    cloud = go_on_through_kills(server, seed, lambda cfn: cfn.update_stack(StackName=name, TemplateBody=template(changed)))
    cfn = cloud.client("cloudformation")
    assert settled(cfn, name)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert queue_state(cloud, name, cfn) == before
    assert queue_names(cloud, name) == sorted(one[0] for one in before.values())


@pytest.mark.parametrize("seed", range(2))
def test_a_deletion_that_comes_in_between_leaves_nothing(start_server, seed):
    server, name = start_server(), unique("stack")

    def begin(cfn):
        stack = cfn.create_stack(StackName=name, TemplateBody=template(chain(12)))["StackId"]
        cfn.delete_stack(StackName=stack)

    cloud = go_on_through_kills(server, seed, begin)
    cfn = cloud.client("cloudformation")
    stack = next(one for one in cfn.list_stacks()["StackSummaries"] if one["StackName"] == name)
    assert settled(cfn, stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    assert queue_names(cloud, name) == []

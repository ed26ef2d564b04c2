"""tidemill graph and tidemill executions: machines and executions drawn and listed."""
import json
import os
import shutil
import subprocess
import xml.etree.ElementTree

import pytest

from harness import SERVER, Cloud
from states_support import Execution, create_machine, run, sfn, task  # noqa: F401

pytestmark = pytest.mark.local
STATES = {"Weigh": {"Type": "Pass", "Next": "Heavy?"},
          "Heavy?": {"Type": "Choice", "Default": "Light",
                     "Choices": [{"Variable": "$.n", "NumericGreaterThan": 1, "Next": "Heavy"}]},
          "Light": {"Type": "Succeed"}, "Heavy": {"Type": "Fail", "Error": "TooHeavy"}}


def tidemill(cloud, *arguments, **more):
    return subprocess.run([SERVER, *arguments, "--endpoint", cloud.endpoint], capture_output=True, text=True,
                          timeout=60, **more)


def graph(cloud, *arguments, **more):
    return tidemill(cloud, "graph", *arguments, **more)


def test_a_machine_is_drawn_by_its_name_or_arn(cloud, create_machine):
    arn = create_machine(STATES)
    by_arn = graph(cloud, arn, "--dot")
    assert by_arn.returncode == 0, by_arn.stderr
    assert by_arn.stdout.startswith("digraph") and 'label="$.n NumericGreaterThan 1"' in by_arn.stdout
    assert graph(cloud, arn.rsplit(":", 1)[1], "--dot").stdout == by_arn.stdout


@pytest.mark.skipif(not shutil.which("dot"), reason="needs graphviz")
def test_an_executions_way_is_drawn(cloud, run, tmp_path):
    execution = run(STATES, {"n": 2})
    assert execution.error()[0] == "TooHeavy"
    drawn = graph(cloud, execution.arn, "--output", tmp_path / "way.svg")
    assert drawn.returncode == 0 and drawn.stdout == "", drawn.stderr
    svg = xml.etree.ElementTree.parse(tmp_path / "way.svg").getroot()
    texts = {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Weigh", "Heavy?", "Heavy", "Light"} <= texts and any("FAILED" in (text or "") for text in texts)
    on_stdout = graph(cloud, execution.arn)
    assert on_stdout.stdout == (tmp_path / "way.svg").read_text()


def test_what_is_missing_is_said_in_a_line(cloud, create_machine, tmp_path):
    missing = graph(cloud, "none-of-that-name")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr == "tidemill: there is no state machine none-of-that-name\n"
    without = graph(cloud, create_machine(STATES), env={**os.environ, "PATH": str(tmp_path)})
    assert without.returncode == 1
    assert "graphviz" in without.stderr and "--dot" in without.stderr and without.stderr.count("\n") == 1


def test_executions_that_run_are_listed(cloud, create_machine, sfn):
    machine = create_machine({"Wait": {"Type": "Wait", "Seconds": 3600, "End": True}})
    name = machine.rsplit(":", 1)[1]
    running, stopped = (Execution(sfn, machine, name=each) for each in ("runs", "stops"))
    sfn.stop_execution(executionArn=stopped.arn)
    listed = tidemill(cloud, "executions", name)
    assert listed.returncode == 0, listed.stderr
    [line] = listed.stdout.splitlines()
    assert "RUNNING" in line and line.endswith(f"{name}  runs")
    [line] = tidemill(cloud, "executions", machine, "--status", "ABORTED").stdout.splitlines()
    assert line.endswith(f"{name}  stops")
    assert tidemill(cloud, "executions", "none").stderr == "tidemill: there is no state machine none\n"


def test_executions_are_listed_in_the_order_in_which_they_began(start_server):
    cloud = Cloud(start_server("--clock", "virtual").endpoint)
    states = cloud.client("stepfunctions")
    definition = json.dumps({"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}})
    machine = states.create_state_machine(name="steep", definition=definition,
                                          roleArn="arn:aws:iam::000000000000:role/r")["stateMachineArn"]
    names = ["last-by-name", "first-by-name", "in-between"]
    for name in names:
        states.start_execution(stateMachineArn=machine, name=name)
        cloud.advance(60)
    listed = tidemill(cloud, "executions", "--status", "SUCCEEDED")
    assert [line.split()[-1] for line in listed.stdout.splitlines()] == names, listed


def test_executions_are_watched(cloud, create_machine, sfn):
    machine = create_machine({"Wait": {"Type": "Wait", "Seconds": 3600, "End": True}})
    watching = subprocess.Popen([SERVER, "executions", machine, "--watch", "--endpoint", cloud.endpoint], text=True,
                                stdout=subprocess.PIPE)
    try:
        execution = Execution(sfn, machine, name="watched")
        assert "RUNNING" in watching.stdout.readline()
        sfn.stop_execution(executionArn=execution.arn)
        line = watching.stdout.readline()
        assert "ABORTED" in line and line.endswith("  watched\n")
    finally:
        watching.kill()
        watching.wait()

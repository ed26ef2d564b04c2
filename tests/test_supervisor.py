"""What starts the processes of functions (runtimes/supervisor), by itself."""

import os
import socket
import subprocess

import pytest

from harness import SERVER


@pytest.mark.parametrize("policy, starts", [(os.SCHED_OTHER, False), (os.SCHED_BATCH, False), (os.SCHED_FIFO, True)])
def test_only_what_runs_in_real_time_may_be_held_by_nothing(policy, starts):
    """Where the kernel refuses to take a process into its group: as a file of its does that wants no "0"."""
    refuses = "/proc/self/clear_refs"
    ours, its = socket.socketpair()

    def choose():
        os.sched_setscheduler(0, policy, os.sched_param(1 if policy == os.SCHED_FIFO else 0))
    try:
        supervisor = subprocess.Popen([SERVER.parent / "supervisor", "1024", "0", "", "", refuses + "\n", "/bin/true"],
                                      stdin=its, stderr=subprocess.PIPE, text=True, preexec_fn=choose)
    except subprocess.SubprocessError:
        pytest.skip("no process may run in real time here")
    told = supervisor.communicate(timeout=30)[1]
    ours.close()
    assert (supervisor.returncode == 0) == starts
    assert (f"{refuses} takes no process of real time" in told) == starts

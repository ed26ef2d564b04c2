"""Functions in a sandbox: each promise of docs/security.md, and somebody who tries to break it, from Python, from Node.js
and from a program of the package's own. Processes and files are looked for here: these tests are for one machine."""
import base64
import errno
import os
import pathlib
import platform
import shutil
import socket
import subprocess
import time

import pytest

from harness import NODE_RUNTIME, SERVER, Cloud, Server, StartFailed, eventually, unique, zip_of

pytestmark = pytest.mark.local


def why_not():
    """Why this machine has no sandboxes; None: it has."""
    bubblewrap = shutil.which("bwrap")
    if not bubblewrap:
        return "bubblewrap is not installed"
    tried = subprocess.run([bubblewrap, "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"],
                           capture_output=True, text=True)
    return f"this machine forbids namespaces: {tried.stderr.strip()}" if tried.returncode else None


contained = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))

# What each does for whoever asks: "read PATH", "list PATH", "kill PID", "fill PATH MEGABYTES" (the bytes that there was
# room for), "run SCRIPT". The answer is its output, in base64; an error is a text that begins with "error".
PYTHON = '''
import base64, os, subprocess

def fill(path, megabytes):
    written = 0
    with open(path, "wb", buffering=0) as file:
        try:
            for _ in range(megabytes):
                written += file.write(bytes(1 << 20))
        except OSError:
            pass
    os.unlink(path)
    return str(written)

def do(what, argument):
    try:
        if what == "read":
            return open(argument, "rb").read()
        if what == "list":
            return "\\n".join(os.listdir(argument))
        if what == "kill":
            os.kill(int(argument), 9)
            return "killed"
        if what == "fill":
            path, megabytes = argument.split()
            return fill(path, int(megabytes))
        return subprocess.run(argument, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    except OSError as error:
        return "error " + str(error)

def handler(event, context):
    output = do(*event.split(" ", 1))
    return base64.b64encode(output if isinstance(output, bytes) else output.encode()).decode()
'''
NODE = '''
const fs = require("fs");
const { spawnSync } = require("child_process");

function fill(path, megabytes) {
  const file = fs.openSync(path, "w");
  let written = 0;
  try {
    for (let i = 0; i < megabytes; ++i) written += fs.writeSync(file, Buffer.alloc(1 << 20));
  } catch {}
  fs.closeSync(file);
  fs.unlinkSync(path);
  return String(written);
}

function run(what, argument) {
  if (what === "read") return fs.readFileSync(argument);
  if (what === "list") return fs.readdirSync(argument).join("\\n");
  if (what === "kill") return process.kill(Number(argument), "SIGKILL") && "killed";
  if (what === "fill") return fill(argument.split(" ")[0], Number(argument.split(" ")[1]));
  return spawnSync("/bin/sh", ["-c", `(${argument}\\n) 2>&1`]).stdout;
}

exports.handler = async (event) => {
  const blank = event.indexOf(" ");
  let output;
  try { output = run(event.slice(0, blank), event.slice(blank + 1)); } catch (error) { output = `error ${error.message}`; }
  return Buffer.from(output).toString("base64");
};
'''
NATIVE = r'''#!/bin/sh
api=http://$AWS_LAMBDA_RUNTIME_API/2018-06-01/runtime/invocation
fill() {
  dd if=/dev/zero of="$1" bs=1048576 count="$2" 2>/dev/null
  stat -c %s "$1"
  rm "$1"
}
run() {
  what=${1%% *} argument=${1#* }
  case $what in
    read) cat "$argument" || echo "error" ;;
    list) ls -A "$argument" || echo "error" ;;
    kill) kill -9 "$argument" && echo killed || echo "error" ;;
    fill) fill $argument ;;
    *) sh -c "$argument" ;;
  esac
}
while :; do
  event=$(curl -sS -D /tmp/head "$api/next") || exit 1
  id=$(sed -n 's/^lambda-runtime-aws-request-id: *\([^[:space:]]*\).*/\1/Ip' /tmp/head)
  event=${event#\"} event=${event%\"}
  output=$(run "$event" 2>&1 | base64 -w0)
  curl -sS -o /dev/null --data-binary "\"$output\"" "$api/$id/response" || exit 1
done
'''
KINDS = ["python", "node", "native"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    directory = tmp_path_factory.mktemp("sandbox")
    server = Server(directory / "data", "--sandbox", "on", log=directory / "log").start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def cloud(server):
    cloud = Cloud(server.endpoint)
    with cloud.cleanup:
        yield cloud


def make(cloud, kind, **more):
    more = {"MemorySize": 256, **more}
    if kind == "python":
        return cloud.create_function(PYTHON, **more)
    if kind == "node":
        return cloud.create_function(None, files={"index.js": NODE}, runtime=NODE_RUNTIME, handler="index.handler", **more)
    return cloud.create_function(None, files={"bootstrap": NATIVE}, runtime="provided.al2023", handler="any", **more)


@pytest.fixture(scope="module")
def intruders(cloud):
    """kind: what does something for whoever asks it."""
    functions = {kind: make(cloud, kind) for kind in KINDS}

    def ask(kind, text):
        answer, payload = cloud.invoke(functions[kind], text)
        assert "FunctionError" not in answer, payload
        return base64.b64decode(payload).decode(errors="replace")
    return ask


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_a_function_finds_itself_where_aws_has_it(intruders, kind):
    assert intruders(kind, "run pwd").strip() == "/var/task"
    assert intruders(kind, "run echo $LAMBDA_TASK_ROOT $TMPDIR").split() == ["/var/task", "/tmp"]
    assert intruders(kind, "run id -u").strip() == "993"


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_the_pond_cannot_be_read(intruders, server, kind):
    assert (server.data / "db/CURRENT").exists() or list(server.data.rglob("CURRENT"))
    [current, *_] = server.data.rglob("CURRENT")
    assert intruders(kind, f"read {current}").startswith(("error", "cat"))
    assert intruders(kind, f"list {server.data}").startswith(("error", "ls"))
    assert intruders(kind, f"run find / -name CURRENT -not -path '/proc/*' 2>/dev/null").strip() == ""


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_another_functions_code_cannot_be_read(cloud, intruders, server, kind):
    secret = unique("secret")
    victim = cloud.create_function(f"SECRET = '{secret}'\ndef handler(event, context):\n    return 1\n")
    assert cloud.invoke(victim)[1] == 1
    [code] = [path for path in server.data.rglob("app.py") if secret in path.read_text()]
    assert intruders(kind, f"read {code}").startswith(("error", "cat"))
    assert secret not in intruders(kind, "run grep -rlF %s /var /tmp /home /root /srv /mnt 2>/dev/null" % secret[:-1])


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_the_servers_memory_and_environment_cannot_be_read(intruders, server, kind):
    for name in ("environ", "maps", "mem", "cmdline"):
        assert intruders(kind, f"read /proc/{server.process.pid}/{name}").startswith(("error", "cat"))
    numbers = [name for name in intruders(kind, "list /proc").split() if name.isdigit()]
    assert str(server.process.pid) not in numbers and len(numbers) < 20
    assert not [name for name in numbers if "serve" in intruders(kind, f"read /proc/{name}/cmdline").split("\0")]


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_another_functions_credentials_and_processes_cannot_be_seen(cloud, intruders, kind):
    mark = unique("mark")
    victim = make(cloud, "python", Environment={"Variables": {"MARK": mark}})
    assert cloud.invoke(victim, "run echo")[1] is not None
    assert mark not in intruders(kind, "run cat /proc/[0-9]*/environ 2>/dev/null")


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_no_process_outside_gets_a_signal(intruders, server, kind):
    bystander = subprocess.Popen(["sleep", "100"])
    try:
        for process in (server.process.pid, bystander.pid):
            assert "killed" not in intruders(kind, f"kill {process}")
        assert server.running and bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_no_privileges_are_gained(intruders, kind):
    status = dict(line.split(":\t", 1) for line in intruders(kind, "read /proc/self/status").splitlines() if ":\t" in line)
    assert status["NoNewPrivs"] == "1"
    assert {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}
    for attempt in ("unshare -Ur true", "mount -t tmpfs none /tmp", "chroot / true", "su -c true", "mknod /tmp/d c 1 3"):
        assert intruders(kind, f"run {attempt} && echo done").splitlines()[-1:] != ["done"], attempt


# The numbers of shmget, semget, msgget, io_uring_setup, io_uring_enter, io_uring_register, add_key, request_key, keyctl,
# userfaultfd, perf_event_open and bpf.
REFUSED_CALLS = {"x86_64": [29, 64, 68, 425, 426, 427, 248, 249, 250, 323, 298, 321],
                 "aarch64": [194, 190, 186, 425, 426, 427, 217, 218, 219, 282, 241, 280]}[platform.machine()]


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_calls_that_no_function_needs_are_refused(intruders, kind):
    """As by a kernel that has none of them. getpid() shows that others are not, but for x32's (x86_64)."""
    script = ("import ctypes, os; c = ctypes.CDLL(None, use_errno=True); "
              "print([ctypes.get_errno() for n in (%s) if c.syscall(n, 0, 4096, 896) == -1], c.getpid() == os.getpid())")
    calls = REFUSED_CALLS + ([0x40000000 + 39] if platform.machine() == "x86_64" else [])
    answer = intruders(kind, f"run python3 -c '{script % ', '.join(map(str, calls))}'")
    assert answer.strip() == f"{[errno.ENOSYS] * len(calls)} True"


# Joins a session with a keyring that has a key, as a login's has, and becomes the server.
SESSION = f'''#!/usr/bin/env python3
import ctypes, os, sys
add_key, keyctl = {{"x86_64": (248, 250), "aarch64": (217, 219)}}[os.uname().machine]
system = ctypes.CDLL(None)
if system.syscall(keyctl, 1, None) < 0 or system.syscall(add_key, b"user", b"hostkey", b"HOSTSECRET", 10, -3) < 0:
    sys.exit("this system keeps no keys")
os.execv("{SERVER}", ["{SERVER}", *sys.argv[1:]])
'''
KEYS = '''
import ctypes, os

def handler(event, context):
    system = ctypes.CDLL(None, use_errno=True)
    keyctl = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
    try:
        names = open("/proc/keys").read()
    except OSError:
        names = ""
    key = system.syscall(keyctl, 10, ctypes.c_long(-3), b"user", b"hostkey", 0)
    read = ctypes.create_string_buffer(64)
    system.syscall(keyctl, 11, ctypes.c_long(key), read, 64)
    return {"knows": "hostkey" in names, "read": read.value.decode()}
'''


@contained
def test_keys_of_the_servers_session_cannot_be_read(tmp_path):
    program = tmp_path / "server"
    program.write_text(SESSION)
    program.chmod(0o755)
    try:
        server = Server(tmp_path / "data", "--sandbox", "on", program=program).start()
    except StartFailed as failed:
        if "keeps no keys" in failed.errors:
            pytest.skip(failed.errors)
        raise
    try:
        cloud = Cloud(server.endpoint)
        with cloud.cleanup:
            assert cloud.invoke(cloud.create_function(KEYS))[1] == {"knows": False, "read": ""}
    finally:
        server.kill()


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_can_be_written_but_what_is_its_own(intruders, kind):
    found = intruders(kind, "run find / -path /proc -prune -o -type d -writable -print 2>/dev/null").split()
    assert {path for path in found if not path.startswith("/tmp/")} <= {"/tmp", "/dev/shm", "/dev/pts"}
    # The kernel's settings: to it, what a superuser's server starts is that user.
    assert intruders(kind, "run find /proc/sys /proc/sysrq-trigger -type f -writable -print 2>/dev/null").split() == []
    # The value that it has, so that nothing would be changed.
    same = "f=/proc/sys/kernel/threads-max; cat $f > /tmp/v && cat /tmp/v > $f && echo done"
    assert intruders(kind, f"run {same}").splitlines()[-1:] != ["done"]
    for path in ("/new", "/var/task/new", "/var/runtime/new", "/usr/new", "/etc/new", "/dev/new", "/dev/pts/new", "/opt/new"):
        assert intruders(kind, f"run echo > {path} && echo done").splitlines()[-1:] != ["done"], path


def size_of(directory):
    return int(subprocess.run(["du", "-sk", directory], capture_output=True, text=True).stdout.split()[0]) << 10


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_the_disk_cannot_be_filled(intruders, server, kind):
    before = size_of(server.data)
    assert int(intruders(kind, "fill /tmp/large 600").split()[-1]) <= 512 << 20
    # Many files are no way around it.
    text = intruders(kind, "run for i in 1 2 3 4 5 6; do dd if=/dev/zero of=/tmp/f$i bs=1048576 count=100 2>/dev/null; done; "
                           "cat /tmp/f* | wc -c; rm /tmp/f*")
    assert int(text.split()[-1]) <= 512 << 20
    assert size_of(server.data) - before < 64 << 20


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_shared_memory_is_of_a_functions_own(cloud, kind):
    """It is full when its memory's size is reached, or the function ends for its memory before."""
    answer, payload = cloud.invoke(make(cloud, kind), "fill /dev/shm/large 300")
    assert "FunctionError" in answer or int(base64.b64decode(payload).split()[-1]) <= 256 << 20


def processes_with(mark):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


# Of a session of its own, whose parent is gone.
LEAVE = "run setsid sh -c 'sleep %s & sleep %s &' </dev/null >/dev/null 2>&1 & sleep 0.2"


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_function_leaves_ends_with_its_environment(cloud, kind):
    function = make(cloud, kind, Timeout=2)
    mark = f"9{time.time_ns() % 10**9}"
    cloud.invoke(function, LEAVE % (mark, mark))
    eventually(lambda: len(processes_with(mark)) == 2, "what it leaves is there")

    def environment_ends():
        # While the one that left them still asks for its next invocation another environment gets this one.
        assert "FunctionError" in cloud.invoke(function, "run sleep 30")[0]
        return not processes_with(mark)

    eventually(environment_ends, "what it left has ended")


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_function_leaves_ends_with_a_killed_server(tmp_path, kind):
    server = Server(tmp_path / "data", "--sandbox", "on").start()
    mark = f"9{time.time_ns() % 10**9}"
    cloud = Cloud(server.endpoint)
    cloud.invoke(make(cloud, kind), LEAVE % (mark, mark))
    eventually(lambda: len(processes_with(mark)) == 2, "what it leaves is there")
    server.kill()
    eventually(lambda: not processes_with(mark), "what it left has ended")


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_temporary_files_are_of_one_environment(cloud, intruders, kind):
    """What stands in /tmp is nobody else's."""
    assert intruders(kind, "run echo here > /tmp/mine; cat /tmp/mine").strip() == "here"
    other = make(cloud, kind)
    assert "here" not in base64.b64decode(cloud.invoke(other, "read /tmp/mine")[1]).decode()
    assert not pathlib.Path("/tmp/mine").exists()


@contained
def test_what_a_function_sets_is_not_obeyed_outside(cloud, tmp_path):
    """Variables that programs load libraries by: the sandbox's own program must not hear of them."""
    library = tmp_path / "loaded.so"
    source = tmp_path / "loaded.c"
    proof = tmp_path / "proof"
    source.write_text('#include <stdio.h>\n__attribute__((constructor)) static void run(void) '
                      '{ fclose(fopen("%s", "w")); }\n' % proof)
    compiler = shutil.which("cc") or shutil.which("clang-19")
    if not compiler:
        pytest.skip("no compiler")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    subprocess.run(["true"], env={**os.environ, "LD_PRELOAD": str(library)}, check=True)
    assert proof.exists(), "the library is loaded where it is seen"
    proof.unlink()
    function = make(cloud, "python", Environment={"Variables": {"LD_PRELOAD": str(library)}})
    assert base64.b64decode(cloud.invoke(function, "run echo $LD_PRELOAD")[1]).decode().split()[-1] == str(library)
    assert not proof.exists()


@contained
def test_an_error_of_a_start_is_told_as_without(cloud):
    no_program = cloud.create_function(None, files={"bootstrap": "#!/none\n"}, runtime="provided.al2023", handler="any")
    answer, error = cloud.invoke(no_program, 1)
    assert answer["FunctionError"] and error["errorType"] == "Runtime.InvalidEntrypoint", error
    crash = cloud.create_function("import os, signal\ndef handler(event, context):\n    os.kill(os.getpid(), signal.SIGSEGV)\n")
    assert "segmentation fault" in cloud.invoke(crash)[1]["errorMessage"]
    leave = cloud.create_function("import os\ndef handler(event, context):\n    os._exit(3)\n")
    assert "exit status 3" in cloud.invoke(leave)[1]["errorMessage"]


@contained
def test_too_much_memory_ends_a_function(cloud):
    function = cloud.create_function("def handler(event, context):\n    return len(bytearray(400 << 20))\n", MemorySize=128)
    answer, error = cloud.invoke(function)
    assert answer["FunctionError"] and error["errorType"] == "Runtime.OutOfMemory", error


@contained
@pytest.mark.parametrize("directory", ["/tmp", "/dev/shm"])
def test_files_without_content_count_as_memory(cloud, directory):
    function = cloud.create_function(f"""
import time
def handler(event, context):
    for i in range(event):
        open(f"{directory}/{{i:0200}}", "w").close()
    time.sleep(0 if event < 1000 else 60)
    return event
""", MemorySize=128, Timeout=60)
    assert cloud.invoke(function, 900)[1] == 900
    answer, error = cloud.invoke(function, 200_000)
    assert answer["FunctionError"] and error["errorType"] == "Runtime.OutOfMemory", error


@contained
def test_the_sdk_reaches_the_server_from_inside(cloud):
    name = unique("queue")
    cloud.create_queue(name)
    python = cloud.create_function("""
import boto3
def handler(event, context):
    return len(boto3.client("sqs").list_queues(QueueNamePrefix=event)["QueueUrls"])
""")
    assert cloud.invoke(python, name)[1] == 1


@contained
def test_a_layer_stands_in_opt(cloud):
    layer = cloud.functions.publish_layer_version(
        LayerName=unique("layer"), Content={"ZipFile": zip_of({
            "python/of_layer.py": "WORD = 'layered'\n", "bin/tell": "#!/var/lang/bin/python\nprint('told')\n"})})
    function = cloud.create_function(
        "import of_layer, subprocess\ndef handler(event, context):\n"
        "    return [of_layer.WORD, of_layer.__file__, subprocess.check_output('tell', text=True)]\n",
        Layers=[layer["LayerVersionArn"]])
    assert cloud.invoke(function)[1] == ["layered", "/opt/python/of_layer.py", "told\n"]


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """The clients of a server whose functions have no network."""
    directory = tmp_path_factory.mktemp("closed")
    server = Server(directory / "data", "--sandbox", "on", "--function-network", "none", log=directory / "log").start()
    cloud = Cloud(server.endpoint)
    cloud.supervisor = str(directory / "data/runtimes/supervisor").encode()
    with cloud.cleanup:
        yield cloud
    server.kill()


@contained
@pytest.mark.parametrize("kind", KINDS)
def test_without_a_network_there_is_the_server_alone(closed, kind):
    """A listener on the host's loopback, and an address elsewhere."""
    function = make(closed, kind)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"

        def ask(what):
            return base64.b64decode(closed.invoke(function, f"run {what}")[1]).decode()
        assert "failed to connect" in ask(f"curl -sS --max-time 5 {address}").lower()
        assert ask("curl -sS --max-time 5 http://192.0.2.7/ && echo done").splitlines()[-1:] != ["done"]
        assert ask("curl -sS --max-time 20 -o /dev/null -w %{http_code} $AWS_ENDPOINT_URL/_tidemill/clock") == "200"
        assert ask("cat /proc/net/dev | grep -c :").strip() == "1"  # loopback alone
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()


def supervisors_of(closed):
    """How many processes are called as the server's supervisor is: its forks, which carry connections, among them."""
    count = 0
    for entry in pathlib.Path("/proc").iterdir():
        try:
            count += entry.name.isdigit() and closed.supervisor in (entry / "cmdline").read_bytes()
        except OSError:
            pass  # it has ended
    return count


@contained
def test_connections_without_a_network_make_a_bounded_number_of_processes(closed):
    """Two for each that is carried, of 64 at most. What is carried ends with its connection, and makes room."""
    function = closed.create_function("""
import os, socket
address = os.environ["AWS_ENDPOINT_URL"].split("//")[1].split(":")
held = []
def handler(event, context):
    for one in held:
        one.close()
    held.clear()
    for _ in range(event):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex((address[0], int(address[1])))
        held.append(one)
    return len(held)
""")
    assert closed.invoke(function, 0)[1] == 0
    before = supervisors_of(closed)
    assert before > 0
    assert closed.invoke(function, 500)[1] == 500
    eventually(lambda: supervisors_of(closed) - before >= 60, "connections that are carried")
    assert supervisors_of(closed) - before <= 2 * 64
    assert closed.invoke(function, 0)[1] == 0
    eventually(lambda: supervisors_of(closed) - before <= 2, "the end of what was carried")


@contained
def test_without_a_network_the_sdk_reaches_the_server(closed):
    """Much both ways at once, and many connections."""
    function = closed.create_function("""
import boto3, concurrent.futures, os
def handler(event, context):
    table = boto3.client("dynamodb")
    def put(number):
        table.put_item(TableName=event, Item={"id": {"S": str(number)}, "text": {"S": "x" * 300000}})
        return len(table.get_item(TableName=event, Key={"id": {"S": str(number)}})["Item"]["text"]["S"])
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return sum(pool.map(put, range(40)))
""", MemorySize=512)
    assert closed.invoke(function, closed.create_table())[1] == 40 * 300_000


@contained
def test_a_large_payload_comes_and_goes_without_a_network(closed):
    function = closed.create_function("def handler(event, context):\n    return event\n")
    text = "x" * 5_000_000
    assert closed.invoke(function, text)[1] == text


def without_bubblewrap(tmp_path):
    """A program that is the server where there is no bubblewrap."""
    program = tmp_path / "server"
    program.write_text(f"#!/bin/sh\nexec {shutil.which('bwrap')} --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap "
                       f'--die-with-parent -- {SERVER} "$@"\n')
    program.chmod(0o755)
    return program


@contained
def test_a_start_without_bubblewrap_is_refused_where_a_sandbox_is_asked_for(tmp_path):
    with pytest.raises(StartFailed) as caught:
        Server(tmp_path / "data", "--sandbox", "on", program=without_bubblewrap(tmp_path)).start()
    assert "--sandbox on: bubblewrap (bwrap) is not installed" in caught.value.errors


@contained
def test_a_start_without_bubblewrap_says_what_is_not_contained(tmp_path):
    server = Server(tmp_path / "data", "--auth", "signed", "--behind-proxy", program=without_bubblewrap(tmp_path)).start()
    assert "functions are not contained" in server.log() and "the data directory" in server.log()
    server.kill()


def test_a_loopback_server_has_none_unless_it_is_asked_for(tmp_path):
    server = Server(tmp_path / "data").start()
    cloud = Cloud(server.endpoint)
    function = cloud.create_function("import os\ndef handler(event, context):\n    return os.environ['LAMBDA_TASK_ROOT']\n")
    assert cloud.invoke(function)[1] != "/var/task"
    server.kill()


def groups_of(server):
    """The directories of the control groups that the server has made; skips where the system gives none."""
    told = eventually(lambda: [line for line in server.log_lines if "control groups hold functions" in line], "the log tells")
    if "no control groups" in told[0]:
        pytest.skip(f"no control groups here: {told[0].split('reason=', 1)[-1].strip()}")
    found = [path for path in pathlib.Path("/sys/fs/cgroup").rglob(f"tidemill-{server.process.pid}") if path.is_dir()]
    assert found
    return found


@contained
def test_the_system_holds_a_functions_memory_and_processors(tmp_path):
    server = Server(tmp_path / "data", "--sandbox", "on", log=tmp_path / "log").start()
    try:
        bases = groups_of(server)
        cloud = Cloud(server.endpoint)
        function = cloud.create_function("""
import os, time
def handler(event, context):
    if os.fork() == 0:  # two that want all of two processors, for longer than the period in which they may have one
        while True: pass
    until = time.monotonic() + 1
    while time.monotonic() < until: pass
    return "done"
""", MemorySize=256, Timeout=30)
        began = time.monotonic()
        assert cloud.invoke(function)[1] == "done"
        groups = [group for base in bases for group in base.iterdir() if group.is_dir()]
        assert len({group.name for group in groups}) == 1
        # All of its processes are in it, and the server in none.
        held = {int(pid) for group in groups for pid in (group / "cgroup.procs").read_text().split()}
        assert len(held) >= 3 and server.process.pid not in held

        def value(name):
            return (groups[0] / name).read_text().split()
        assert value("memory.max") == [str((256 + 512 + 32) << 20)]
        assert value("cpu.max")[0] == "100000"
        # However busy the machine is, they have never had more than one; where it has two free ones they would have had both.
        stat = dict(zip(*[iter(value("cpu.stat"))] * 2))
        periods = 2 * 0.1  # one that had begun before, and one that has not ended
        assert int(stat["usage_usec"]) / 1e6 <= time.monotonic() - began + periods

        cloud.functions.delete_function(FunctionName=function)
        eventually(lambda: not any(pathlib.Path(f"/proc/{pid}").exists() for pid in held), "its processes end")
        # Groups whose processes took longer go when the next is made.
        cloud.invoke(cloud.create_function("def handler(event, context):\n    return 1\n", Timeout=30))
        assert not any(group.exists() for group in groups)
    finally:
        server.kill()
    # What a killed server leaves the next one removes.
    server = Server(tmp_path / "data", "--sandbox", "on", log=tmp_path / "log").start()
    server.kill()
    assert not any(base.exists() for base in bases)

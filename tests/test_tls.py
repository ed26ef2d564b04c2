"""A server that speaks TLS: with a certificate of a file, and with one of an authority of its own."""
import json
import os
import shutil
import socket
import ssl
import subprocess
import time

import pytest

from harness import ROOT, Cloud, Server, StartFailed, eventually, unique

pytestmark = pytest.mark.local

NODE_MODULES = ROOT / "runtimes/nodejs/node_modules"


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    """A server with --tls-self-signed."""
    directory = tmp_path_factory.mktemp("tls")
    server = Server(directory / "data", "--tls-self-signed", log=directory / "log").start()
    yield server
    server.kill()


def authority_of(server):
    return str(server.data / "tls/authority.pem")


def make_certificate(directory, name="made", *more):
    """(certificate, key): files that the server takes."""
    certificate, key = directory / f"{name}.pem", directory / f"{name}-key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2",
                    "-keyout", key, "-out", certificate, *more], check=True, capture_output=True)
    key.chmod(0o600)
    return certificate, key


def curl(*arguments):
    return subprocess.run(["curl", "-sS", "--max-time", "20", *map(str, arguments)], capture_output=True, text=True)


def test_the_ready_line_says_https(secure):
    assert secure.ready_line.startswith("tidemill ready https://127.0.0.1:")


def test_boto3_speaks_tls(secure):
    cloud = Cloud(secure.endpoint, verify=authority_of(secure))
    with cloud.cleanup:
        table = cloud.create_table()
        cloud.put_item(table, id="a", text="x" * 200_000)
        assert len(cloud.dynamodb.get_item(TableName=table, Key={"id": {"S": "a"}})["Item"]["text"]["S"]) == 200_000
        url = cloud.create_queue()
        assert url.startswith(secure.endpoint)
        cloud.sqs.send_message(QueueUrl=url, MessageBody="here")
        assert cloud.sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] == "here"
        bucket = unique("bucket")
        cloud.s3.create_bucket(Bucket=bucket)
        body = os.urandom(12 << 20)
        cloud.s3.put_object(Bucket=bucket, Key="large", Body=body)
        assert cloud.s3.get_object(Bucket=bucket, Key="large")["Body"].read() == body
        assert cloud.s3.head_object(Bucket=bucket, Key="large")["ContentLength"] == len(body)


@pytest.mark.parametrize("version, said", [("--http2", "2"), ("--http1.1", "1.1")])
def test_curl_speaks_both_versions_of_http(secure, version, said):
    answer = curl(version, "--cacert", authority_of(secure), "-o", "/dev/null", "-w", "%{http_version} %{response_code}",
                  secure.endpoint + "/_tidemill/clock")
    assert answer.stdout == f"{said} 200", answer.stderr


def test_who_does_not_know_the_authority_does_not_trust_the_server(secure):
    answer = curl(secure.endpoint + "/_tidemill/clock")
    assert answer.returncode == 60 and "certificate" in answer.stderr


def test_the_authority_stays_over_a_restart(tmp_path):
    server = Server(tmp_path / "data", "--tls-self-signed").start()
    before = open(authority_of(server)).read()
    server.kill()
    server.start()
    assert open(authority_of(server)).read() == before
    assert curl("--cacert", authority_of(server), server.endpoint + "/_tidemill/clock").returncode == 0
    assert (server.data / "tls/authority-key.pem").stat().st_mode & 0o777 == 0o600
    server.kill()


@pytest.mark.skipif(not NODE_MODULES.exists(), reason="scripts/dependencies --run has not installed the AWS SDK")
def test_the_sdk_for_javascript_speaks_tls(secure, tmp_path):
    program = tmp_path / "list.cjs"
    program.write_text("""
const { DynamoDBClient, ListTablesCommand } = require("@aws-sdk/client-dynamodb");
const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const client = new DynamoDBClient({ region: "us-east-1", endpoint: process.argv[2], credentials, maxAttempts: 1 });
client.send(new ListTablesCommand({})).then((answer) => console.log(JSON.stringify(answer.TableNames)));
""")
    environment = {**os.environ, "NODE_PATH": str(NODE_MODULES), "NODE_EXTRA_CA_CERTS": authority_of(secure)}
    answer = subprocess.run(["node", program, secure.endpoint], env=environment, capture_output=True, text=True, timeout=60)
    assert isinstance(json.loads(answer.stdout or "null"), list), answer.stderr


def test_a_certificate_of_a_file(tmp_path):
    certificate, key = make_certificate(tmp_path)
    server = Server(tmp_path / "data", "--tls-cert", certificate, "--tls-key", key).start()
    assert curl("--cacert", certificate, server.endpoint + "/_tidemill/clock").returncode == 0
    assert curl("--cacert", certificate, server.endpoint.replace("127.0.0.1", "localhost") + "/_tidemill/clock").returncode == 0
    code, _ = server.stop()
    assert code == 0


def refused(tmp_path, *flags):
    with pytest.raises(StartFailed) as caught:
        Server(tmp_path / "data", *flags).start()
    line = caught.value.errors.strip().splitlines()[-1]
    assert caught.value.code != 0 and line.startswith("tidemill: ")
    return line


def test_files_that_cannot_be_used_are_refused_in_one_line(tmp_path):
    certificate, key = make_certificate(tmp_path)
    _, other = make_certificate(tmp_path, "other")
    flags = lambda chain, secret: ("--tls-cert", chain, "--tls-key", secret)  # noqa: E731
    assert "No such file" in refused(tmp_path, *flags(tmp_path / "none.pem", key))
    assert "is no file" in refused(tmp_path, *flags(certificate, tmp_path))
    assert str(other) in refused(tmp_path, *flags(certificate, other))
    assert "certificate" in refused(tmp_path, *flags(key, key))
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("-----BEGIN PRIVATE KEY-----\nnone\n-----END PRIVATE KEY-----\n")
    garbage.chmod(0o600)
    assert "key" in refused(tmp_path, *flags(certificate, garbage))
    sealed = tmp_path / "sealed.pem"
    subprocess.run(["openssl", "ec", "-in", key, "-aes256", "-passout", "pass:x", "-out", sealed], check=True,
                   capture_output=True)
    sealed.chmod(0o600)
    assert "passphrase" in refused(tmp_path, *flags(certificate, sealed))
    key.chmod(0o640)
    assert "chmod 600" in refused(tmp_path, *flags(certificate, key))


def test_a_fifo_in_place_of_a_key_keeps_no_start_waiting(tmp_path):
    certificate, _ = make_certificate(tmp_path)
    os.mkfifo(tmp_path / "fifo", 0o600)
    assert "is no file" in refused(tmp_path, "--tls-cert", certificate, "--tls-key", tmp_path / "fifo")


def test_a_network_needs_a_signature_and_tls(tmp_path):
    assert "authentication" in refused(tmp_path, "--bind", "0.0.0.0", "--tls-self-signed")
    assert "--tls-cert" in refused(tmp_path, "--bind", "0.0.0.0", "--auth", "signed")
    server = Server(tmp_path / "data", "--bind", "0.0.0.0", "--auth", "signed", "--tls-self-signed").start()
    answer = curl("--cacert", authority_of(server), server.endpoint + "/_tidemill/clock")
    assert answer.returncode == 0, answer.stderr
    server.kill()


def other_address():
    """One of this machine's that is not loopback's."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))
        except OSError:
            return None
        return probe.getsockname()[0]


def test_plain_http_is_for_this_machine_alone(secure):
    port = int(secure.endpoint.rsplit(":", 1)[1])
    ask = b"GET /_tidemill/clock HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    def answer(source):
        with socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(source, 0)) as connection:
            connection.sendall(ask)
            return connection.makefile("rb").read()
    assert b" 200 " in answer("127.0.0.1").splitlines()[0]
    address = other_address()
    if not address or address.startswith("127."):
        pytest.skip("this machine has no address but loopback's")
    refusal = answer(address)
    assert b" 400 " in refusal.splitlines()[0] and b"https" in refusal


def test_half_handshakes_keep_nobody_waiting(secure):
    port = int(secure.endpoint.rsplit(":", 1)[1])
    halves = []
    for number in range(700):
        half = socket.create_connection(("127.0.0.1", port), timeout=60)
        half.sendall(b"\x16\x03\x01\x02\x00\x01"[:1 + number % 6])
        halves.append(half)
    begun = time.monotonic()
    assert curl("--cacert", authority_of(secure), secure.endpoint + "/_tidemill/clock").returncode == 0
    assert time.monotonic() - begun < 5

    # Of 700 those above 512 are gone at once, and all of them after ten seconds.
    def is_gone(half):
        half.setblocking(False)
        try:
            return half.recv(1) == b""
        except BlockingIOError:
            return False
        except ConnectionResetError:
            return True
    gone = eventually(lambda: sum(map(is_gone, halves)) >= 188, "the oldest handshakes are ended", 5)
    assert gone
    eventually(lambda: all(map(is_gone, halves)), "all handshakes are ended")
    for half in halves:
        half.close()


def test_a_slow_handshake_is_served(secure):
    """One byte at a time."""
    port = int(secure.endpoint.rsplit(":", 1)[1])
    context = ssl.create_default_context(cafile=authority_of(secure))
    inward, outward = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(inward, outward, server_hostname="localhost")
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def until_done(step):
            while True:
                try:
                    result = step()
                except ssl.SSLWantReadError:
                    result = None
                for byte in outward.read():
                    connection.sendall(bytes([byte]))
                if result is not None:
                    return result
                inward.write(connection.recv(65536))
        until_done(lambda: client.do_handshake() or True)
        client.write(b"GET /_tidemill/clock HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 200 " in until_done(lambda: client.read(4096)).splitlines()[0]


def test_functions_use_the_server_that_speaks_tls(secure):
    cloud = Cloud(secure.endpoint, verify=authority_of(secure))
    with cloud.cleanup:
        queue = unique("queue")
        cloud.create_queue(queue)
        function = cloud.create_function("""
import boto3
def handler(event, context):
    return len(boto3.client("sqs").list_queues(QueueNamePrefix=event["prefix"])["QueueUrls"])
""")
        assert cloud.invoke(function, {"prefix": queue})[1] == 1


def test_commands_speak_tls(secure):
    program = shutil.which(str(secure.program)) or str(secure.program)
    environment = {**os.environ, "SSL_CERT_FILE": authority_of(secure)}
    answer = subprocess.run([program, "clock", "show", "--endpoint", secure.endpoint], env=environment,
                            capture_output=True, text=True, timeout=30)
    assert answer.returncode == 0, answer.stderr
    untrusting = subprocess.run([program, "clock", "show", "--endpoint", secure.endpoint], capture_output=True, text=True,
                                timeout=30)
    assert untrusting.returncode != 0 and "TLS" in untrusting.stderr


TELL = {"python": ("""
import os, urllib.request
def handler(event, context):
    return urllib.request.urlopen(event + "/_tidemill/clock").status
""", "python3.12", "app.handler"), "node": ("""
exports.handler = (event) => new Promise((done, failed) => {
  require("https").get(event + "/_tidemill/clock", (answer) => done(answer.statusCode)).on("error", failed);
});
""", "nodejs20.x", "index.handler")}


@pytest.mark.parametrize("language", TELL)
def test_functions_trust_the_servers_certificate(secure, language):
    source, runtime, handler = TELL[language]
    cloud = Cloud(secure.endpoint, verify=authority_of(secure))
    with cloud.cleanup:
        function = cloud.create_function(None, files={"app.py" if language == "python" else "index.js": source},
                                         runtime=runtime, handler=handler)
        assert cloud.invoke(function, secure.endpoint)[1] == 200


# As AWS's own module asks: by https, whatever the address says.
CUSTOM = """
exports.handler = (event, context, callback) => {
  const body = JSON.stringify({ Status: "SUCCESS", PhysicalResourceId: "it", StackId: event.StackId, RequestId: event.RequestId,
                                LogicalResourceId: event.LogicalResourceId, Data: { Address: event.ResponseURL } });
  const url = new URL(event.ResponseURL);
  const options = { hostname: url.hostname, port: url.port || 443, path: url.pathname + url.search, method: "PUT",
                    headers: { "content-type": "", "content-length": Buffer.byteLength(body) } };
  const request = require("https").request(options, (answer) => { answer.resume(); callback(null, answer.statusCode); });
  request.on("error", callback);
  request.end(body);
};
"""


def test_custom_resources_answer_by_https(secure):
    cloud = Cloud(secure.endpoint, verify=authority_of(secure))
    with cloud.cleanup:
        function = cloud.create_function(None, files={"index.js": CUSTOM}, runtime="nodejs20.x", handler="index.handler")
        arn = cloud.functions.get_function(FunctionName=function)["Configuration"]["FunctionArn"]
        body = {"Resources": {"It": {"Type": "Custom::It", "Properties": {"ServiceToken": arn}}},
                "Outputs": {"Address": {"Value": {"Fn::GetAtt": "It.Address"}}}}
        stacks = cloud.client("cloudformation")
        name = unique("stack")
        stacks.create_stack(StackName=name, TemplateBody=json.dumps(body))

        def outputs():
            stack = stacks.describe_stacks(StackName=name)["Stacks"][0]
            assert "FAILED" not in stack["StackStatus"] and "ROLLBACK" not in stack["StackStatus"], stack
            return stack.get("Outputs")
        [output] = eventually(outputs, "the stack is there")
        assert output["OutputValue"].startswith("https://cloudformation-custom-resource-response-useast1.s3.")
        stacks.delete_stack(StackName=name)

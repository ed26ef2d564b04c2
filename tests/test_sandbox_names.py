"""Functions that know no AWS_ENDPOINT_URL, as older SDKs do: in a sandbox AWS's own host names lead to the server."""
import base64
import shutil
import socket
import subprocess

import pytest

from harness import NODE_RUNTIME, Cloud, Server, eventually, free_port, unique
from test_sandbox import contained

pytestmark = pytest.mark.local


def why_not():
    """Why nothing can answer on the system's ports here; None: something can."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as names:
            names.bind(("127.77.0.1", 53))
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as encrypted:
            encrypted.bind(("127.77.0.1", 443))
    except OSError as error:
        return f"the system's ports may not be had here: {error}"
    return None


answered = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


@pytest.fixture(scope="module", params=["open", "signed"])
def cloud(tmp_path_factory, request):
    directory = tmp_path_factory.mktemp("names")
    server = Server(directory / "data", "--sandbox", "on", "--auth", request.param, log=directory / "log").start()
    key = server.root_key if request.param == "signed" else None
    keys = {"access_key": key["AWS_ACCESS_KEY_ID"], "secret_key": key["AWS_SECRET_ACCESS_KEY"]} if key else {}
    cloud = Cloud(server.endpoint, **keys)
    with cloud.cleanup:
        yield cloud
    server.kill()


@pytest.fixture(scope="module")
def found(cloud):
    """(table, bucket, a presigned address of its object "key" by AWS's name) that functions are to reach."""
    bucket = unique("bucket")
    objects = cloud.client("s3")
    objects.create_bucket(Bucket=bucket)
    objects.put_object(Bucket=bucket, Key="key", Body=b"flour")
    return cloud.create_table(), bucket


def presigned(cloud, found):
    """The address of the object by AWS's name."""
    signing = Cloud("https://s3.us-west-2.amazonaws.com", access_key=cloud.access_key, secret_key=cloud.secret_key)
    address = signing.client("s3", signature_version="s3v4").generate_presigned_url("get_object", Params={"Bucket": found[1], "Key": "key"})
    assert "amazonaws.com" in address
    return address


PYTHON = """
import os
for name in [name for name in os.environ if name.startswith("AWS_ENDPOINT_URL")]:
    del os.environ[name]
import boto3, botocore, socket, urllib.request

V4 = botocore.config.Config(signature_version="s3v4")  # older clients make version 2 of addresses

def handler(event, context):
    table, bucket = event
    tables, objects, queues = boto3.client("dynamodb"), boto3.client("s3", config=V4), boto3.client("sqs")
    url = queues.create_queue(QueueName=table)["QueueUrl"]
    queues.send_message(QueueUrl=url, MessageBody="x")
    address = objects.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "key"})
    return {"endpoints": [each.meta.endpoint_url for each in (tables, objects, queues)],
            "tables": tables.list_tables()["TableNames"],
            "object": objects.get_object(Bucket=bucket, Key="key")["Body"].read().decode(),
            "signed": address.split("?")[0], "fetched": urllib.request.urlopen(address).read().decode(),
            "url": url, "address": socket.gethostbyname("sqs.eu-west-1.amazonaws.com")}
"""


@contained
@answered
def test_a_function_in_python_reaches_the_server_by_awss_names(cloud, found):
    table, bucket = found
    function = cloud.create_function(PYTHON, Timeout=60)
    _, told = cloud.invoke(function, [table, bucket])
    assert told["endpoints"][0] == "https://dynamodb.us-east-1.amazonaws.com"
    assert table in told["tables"] and told["object"] == told["fetched"] == "flour"
    assert told["signed"] == f"https://{bucket}.s3.amazonaws.com/key"
    assert told["url"].startswith("https://sqs.us-east-1.amazonaws.com/")
    assert told["address"].startswith("127.77.")


# Signs by itself, as what is tried is the way: Node.js has no SDK of its own.
NODE = """
const https = require("https"), dns = require("dns"), fs = require("fs");
const crypto = require("crypto");

const hmac = (key, text) => crypto.createHmac("sha256", key).update(text).digest();
const hash = (text) => crypto.createHash("sha256").update(text).digest("hex");

function call(host, target, body) {
  const e = process.env, time = new Date().toISOString().replace(/[-:]|\\.\\d+/g, ""), day = time.slice(0, 8);
  const headers = { host, "x-amz-date": time, "x-amz-security-token": e.AWS_SESSION_TOKEN, "x-amz-target": target };
  const names = Object.keys(headers).sort();
  const canonical = ["POST", "/", "", ...names.map((n) => `${n}:${headers[n]}`), "", names.join(";"), hash(body)].join("\\n");
  const scope = `${day}/us-east-1/dynamodb/aws4_request`;
  const key = ["us-east-1", "dynamodb", "aws4_request"].reduce(hmac, hmac("AWS4" + e.AWS_SECRET_ACCESS_KEY, day));
  const signature = hmac(key, ["AWS4-HMAC-SHA256", time, scope, hash(canonical)].join("\\n")).toString("hex");
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${e.AWS_ACCESS_KEY_ID}/${scope}, ` +
    `SignedHeaders=${names.join(";")}, Signature=${signature}`;
  headers["content-type"] = "application/x-amz-json-1.0";
  return new Promise((resolve, reject) => {
    const request = https.request({ host, method: "POST", headers }, (answer) => {
      let text = "";
      answer.on("data", (piece) => (text += piece)).on("end", () => resolve(JSON.parse(text)));
    });
    request.on("error", reject).end(body);
  });
}

exports.handler = async () => ({
  tables: (await call("dynamodb.us-east-1.amazonaws.com", "DynamoDB_20120810.ListTables", "{}")).TableNames,
  streams: (await call("streams.dynamodb.us-east-1.amazonaws.com", "DynamoDBStreams_20120810.ListStreams", "{}")).Streams,
  address: (await dns.promises.lookup("bucket.s3.us-west-2.amazonaws.com")).address,
});
"""


@contained
@answered
def test_a_function_in_nodejs_reaches_the_server_by_awss_names(cloud, found):
    function = cloud.create_function(None, files={"index.js": NODE}, runtime=NODE_RUNTIME, handler="index.handler", Timeout=60)
    _, told = cloud.invoke(function, None)
    assert found[0] in told["tables"] and told["streams"] == []
    assert told["address"].startswith("127.77.")


# By each way that Node.js has; a function's own choice of authorities stands.
NODE_TRUST = """
const https = require("https"), tls = require("tls"), { execFile } = require("child_process"), { Worker } = require("worker_threads");
const got = (address, options = {}) => new Promise((resolve) => https.get(address, options, (answer) => {
  let text = "";
  answer.on("data", (piece) => (text += piece)).on("end", () => resolve(text)).on("error", (error) => resolve(error.code));
}).on("error", (error) => resolve(error.code)));
const FETCH = "fetch(process.env.ADDRESS).then((answer) => answer.text())";

const ways = {
  https: (address) => got(address),
  fetch: (address) => fetch(address).then((answer) => answer.text()),
  worker: () => new Promise((resolve, reject) => {
    const worker = new Worker(`${FETCH}.then((text) => require("worker_threads").parentPort.postMessage(text))`, { eval: true });
    worker.on("message", resolve).on("error", reject).on("exit", (code) => reject(new Error(`it ended with ${code}, and told nothing`)));
  }),
  child: () => new Promise((resolve, reject) => execFile(process.execPath, ["-e", `${FETCH}.then(console.log)`],
    (error, out) => error ? reject(error) : resolve(out.trim()))),
  chosen: (address) => got(address, { ca: tls.rootCertificates[0] }),
};
exports.handler = ({ way, address }) => {
  process.env.ADDRESS = address;
  return ways[way](address);
};
"""


@contained
@answered
def test_nodejs_trusts_the_server_in_workers_and_children_too(cloud, found):
    function = cloud.create_function(None, files={"index.js": NODE_TRUST}, runtime=NODE_RUNTIME, handler="index.handler", Timeout=60,
                                     MemorySize=512)

    def told(way):
        answer, text = cloud.invoke(function, {"way": way, "address": presigned(cloud, found)})
        assert text and "FunctionError" not in answer, (way, text, answer)
        return text
    assert [told(way) for way in ("https", "fetch", "worker", "child")] == ["flour"] * 4
    assert told("chosen") in ("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY")


JAVA = """
package shop;

import java.net.URL;
import java.util.Map;

public class Reader {
    public String read(Map<String, String> event) throws Exception {
        try (var stream = new URL(event.get("address")).openStream()) {
            return new String(stream.readAllBytes());
        } catch (java.io.IOException error) {
            return error.getClass().getSimpleName();
        }
    }
}
"""


@contained
@answered
@pytest.mark.skipif(shutil.which("javac") is None, reason="no Java here")
def test_a_function_in_java_reaches_the_server_by_awss_names(cloud, found, tmp_path):
    source = tmp_path / "shop/Reader.java"
    source.parent.mkdir()
    source.write_text(JAVA)
    subprocess.run(["javac", "--release", "11", "-d", tmp_path / "classes", source], check=True)
    files = {"shop/Reader.class": (tmp_path / "classes/shop/Reader.class").read_bytes()}
    function = cloud.create_function(None, files=files, runtime="java17", handler="shop.Reader::read", Timeout=60, MemorySize=512)
    event = {"address": presigned(cloud, found)}
    assert cloud.invoke(function, event)[1] == "flour"
    # What a function says itself stands: an empty file knows nobody.
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"):
        cloud.functions.update_function_configuration(FunctionName=function, Environment={"Variables": {
            name: "-Djavax.net.ssl.trustStore=/dev/null"}})
        cloud.functions.get_waiter("function_updated_v2").wait(FunctionName=function, WaiterConfig={"Delay": 1})
        assert cloud.invoke(function, event)[1] in ("SSLException", "SSLHandshakeException", "SocketException"), name


NATIVE = r"""#!/bin/sh
api=http://$AWS_LAMBDA_RUNTIME_API/2018-06-01/runtime/invocation
while :; do
  event=$(curl -sS -D /tmp/head "$api/next") || exit 1
  id=$(sed -n 's/^lambda-runtime-aws-request-id: *\([^[:space:]]*\).*/\1/Ip' /tmp/head)
  address=${event#\"} address=${address%\"}
  # Without the variables, too: the system's own list of authorities knows the server's.
  output=$( (curl -sS "$address"; echo; env -u SSL_CERT_FILE -u AWS_CA_BUNDLE -u REQUESTS_CA_BUNDLE curl -sS "$address") 2>&1 |
            base64 -w0)
  curl -sS -o /dev/null --data-binary "\"$output\"" "$api/$id/response" || exit 1
done
"""


@contained
@answered
def test_a_native_function_reaches_the_server_by_awss_names(cloud, found):
    function = cloud.create_function(None, files={"bootstrap": NATIVE}, runtime="provided.al2023", handler="any", Timeout=60)
    _, told = cloud.invoke(function, presigned(cloud, found))
    assert base64.b64decode(told).decode().split("\n") == ["flour", "flour"]


@contained
@answered
def test_other_names_are_looked_up_as_the_host_does(cloud):
    function = cloud.create_function("""
import socket
def handler(event, context):
    lines = open("/etc/resolv.conf").read().splitlines()
    asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asked.settimeout(20)
    own = lines[0].split()[1]
    asked.sendto(bytes.fromhex("123401000001000000000000") + b"\\x07example\\x03com\\x00\\x00\\x01\\x00\\x01", (own, 53))
    return {"lines": lines, "refused": asked.recv(512)[3] & 15, "localhost": socket.gethostbyname("localhost")}
""", Timeout=60)
    _, told = cloud.invoke(function, None)
    with open("/etc/resolv.conf") as of_host:
        assert told["lines"][1:] == of_host.read().splitlines()
    assert told["refused"] == 5  # so that clients ask the next
    assert told["localhost"] == "127.0.0.1"


@contained
@answered
def test_where_the_ports_are_taken_functions_still_run(tmp_path):
    port = free_port()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind((f"127.77.{port >> 8}.{port & 255}", 53))
        server = Server(tmp_path / "data", "--sandbox", "on", port=port, log=tmp_path / "log").start()
    try:
        eventually(lambda: any("AWS's own host names lead to AWS" in line for line in server.log_lines), "the log tells it")
        cloud = Cloud(server.endpoint)
        function = cloud.create_function("""
import boto3
def handler(event, context):
    return boto3.client("dynamodb").list_tables()["TableNames"]
""", Timeout=60)
        assert cloud.invoke(function, None)[1] == []
    finally:
        server.kill()

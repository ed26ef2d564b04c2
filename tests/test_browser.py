"""Pages in a real browser, Debian's Chromium: a hostile one and allowed ones. What exactly a browser sends for them is the
browser's business; what must hold is that the hostile page changes and reads nothing and that the others work."""
import contextlib
import http.server
import json
import re
import shutil
import subprocess
import threading

import pytest

from harness import Cloud, unique

CHROMIUM = shutil.which("chromium")
pytestmark = [pytest.mark.local,
              pytest.mark.skipif(not CHROMIUM, reason="needs chromium (scripts/dependencies --test)")]

DEADLINE_SECONDS = 120

# Runs attempts one after the other and writes what each found into the document. One is "refused" if fetch() fails, as it
# does if the answer does not allow the page to read it.
SCRIPT = """
<title>page</title><pre id="found"></pre>
<script>
const server = %(server)s;
const target = name => ({"X-Amz-Target": "DynamoDB_20120810." + name, "Content-Type": "application/x-amz-json-1.0"});
const image = url => new Promise(done => {
  const shown = new Image();
  shown.onload = () => done("shown");
  shown.onerror = () => done("refused");
  shown.src = url;
});
const read = async (url, options) => {
  try {
    const answer = await fetch(url, options);
    return answer.type === "opaque" ? "opaque" : answer.status + " " + await answer.text();
  } catch (error) {
    return "refused";
  }
};
(async () => {
  const found = {};
  const attempts = {%(attempts)s};
  for (const [name, attempt] of Object.entries(attempts)) found[name] = await attempt();
  document.getElementById("found").textContent = JSON.stringify(found);
})();
</script>
"""

ONE_PIXEL = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")


@contextlib.contextmanager
def pages(documents):
    """A web server on this machine, the site of the pages: its port. They are looked up as they are asked for."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = documents.get(self.path, "").encode()
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield site.server_port
    finally:
        site.shutdown()
        site.server_close()


def visit(url, profile, *flags):
    """What the page at `url` found, once its script is done."""
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", "--disable-sync",
               f"--user-data-dir={profile}", "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP rebound.example 127.0.0.1",
               "--virtual-time-budget=30000", "--dump-dom", *flags, url]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_SECONDS)
    found = re.search(r'<pre id="found">(.+?)</pre>', shown.stdout, re.DOTALL)
    assert found, f"the page found nothing\n{shown.stdout[-2000:]}\n{shown.stderr[-2000:]}"
    return json.loads(found.group(1).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"'))


def page(server, **attempts):
    lines = ",\n".join(f"{name}: () => {attempt}" for name, attempt in attempts.items())
    return SCRIPT % {"server": json.dumps(server.endpoint), "attempts": lines}


def test_a_hostile_page_changes_and_reads_nothing(cloud, server, tmp_path):
    name = unique("hostile")
    port = server.endpoint.rsplit(":", 1)[1]
    function = json.dumps({"FunctionName": name, "Runtime": "python3.12", "Handler": "a.b", "Code": {"ZipFile": "UEsFBg=="},
                           "Role": "arn:aws:iam::000000000000:role/r"})
    open_bucket = cloud.create_bucket()
    rule = {"AllowedMethods": ["GET", "PUT", "POST"], "AllowedOrigins": ["*"], "AllowedHeaders": ["*"]}
    cloud.s3.put_bucket_cors(Bucket=open_bucket, CORSConfiguration={"CORSRules": [rule]})
    action = f"Action=CreateQueue&QueueName={name}"
    hostile = page(
        server,
        simple_post=f"read(server + '/2015-03-31/functions', {{method: 'POST', mode: 'no-cors', body: {json.dumps(function)}}})",
        image=f"image(server + '/?{action}')",
        form=f"read(server + '/', {{method: 'POST', mode: 'no-cors', body: new URLSearchParams('{action}')}})",
        tables="read(server + '/', {method: 'POST', headers: target('ListTables'), body: '{}'})",
        through_open_bucket=f"read(server + '/{open_bucket}/k', "
                            "{method: 'POST', headers: target('ListTables'), body: '{}'})",
        metrics="read(server + '/metrics')",
        # Its own origin, under a name that leads here.
        rebound=f"read('http://rebound.example:{port}/metrics')",
        open_bucket=f"read(server + '/{open_bucket}/k', {{method: 'PUT', body: 'text'}})",
    )
    with pages({"/": hostile}) as site:
        found = visit(f"http://evil.example:{site}/", tmp_path)
    assert found["image"] == found["tables"] == found["through_open_bucket"] == found["metrics"] == "refused"
    assert found["rebound"] == "refused"
    assert found["open_bucket"] == "200 "  # its rules say so
    assert name not in [each["FunctionName"] for each in cloud.functions.list_functions()["Functions"]]
    assert "QueueUrls" not in cloud.sqs.list_queues(QueueNamePrefix=name)


def test_under_a_rebound_name_a_page_is_no_page_of_the_server(server, tmp_path):
    port = server.endpoint.rsplit(":", 1)[1]
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", "--disable-sync",
               f"--user-data-dir={tmp_path}", "--host-resolver-rules=MAP rebound.example 127.0.0.1", "--dump-dom",
               f"http://rebound.example:{port}/metrics"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_SECONDS).stdout
    assert "--host rebound.example" in shown
    assert "tidemill_requests_total" not in shown


def allowed_page(server):
    return page(
        server,
        tables="read(server + '/', {method: 'POST', headers: target('ListTables'), body: '{}'})",
        error="read(server + '/', {method: 'POST', headers: target('NoSuchThing'), body: '{}'})",
        queues="read(server + '/?Action=ListQueues')",
        functions="read(server + '/2015-03-31/functions/')",
        put="read(server + '/pictures/two', {method: 'PUT', body: 'text', headers: {'x-amz-meta-colour': 'blue'}})",
        get="read(server + '/pictures/two')",
        image="image(server + '/pictures/one')",
    )


@pytest.mark.parametrize("how", ["on this machine", "given by its origin"])
def test_an_allowed_page_uses_every_service(start_server, tmp_path, how):
    documents = {}
    with pages(documents) as site:
        origin = f"http://localhost:{site}" if how == "on this machine" else f"http://evil.example:{site}"
        server = start_server(*([] if how == "on this machine" else ["--allow-origin", origin]))
        s3 = Cloud(server.endpoint).s3
        s3.create_bucket(Bucket="pictures")
        s3.put_object(Bucket="pictures", Key="one", Body=ONE_PIXEL, ContentType="image/gif")
        documents["/"] = allowed_page(server)
        found = visit(origin + "/", tmp_path / "profile")
    assert found["tables"] == '200 {"TableNames":[]}'
    assert found["error"].startswith("400 ") and "UnknownOperationException" in found["error"]
    assert found["queues"].startswith("200 ") and found["functions"].startswith("200 ")
    assert (found["put"], found["get"], found["image"]) == ("200 ", "200 text", "shown")

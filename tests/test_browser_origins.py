"""A web page must not drive the server: under which names it answers, and for which pages. Raw requests as browsers send
them; in a browser itself: test_browser.py."""
import http.client
import json
import urllib.parse

import pytest

from harness import Cloud, unique

pytestmark = pytest.mark.local

JSON = "application/x-amz-json-1.0"
LIST_TABLES = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": JSON}
EVIL = "https://evil.example"
LOCAL = "http://localhost:3000"


class Raw:
    """Requests to a server with exactly these headers."""

    def __init__(self, endpoint):
        self.address = urllib.parse.urlsplit(endpoint)

    def __call__(self, method, path, headers=None, body=None):
        """(status, headers, text)"""
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            fields = {"Host": self.address.netloc, **(headers or {})}
            if body is not None:
                fields["Content-Length"] = str(len(body))
            for name, value in fields.items():
                connection.putheader(name, value)
            connection.endheaders(body.encode() if body is not None else None)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def list_tables(self, **headers):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self("POST", "/", {**LIST_TABLES, **names}, "{}")

    def preflight(self, path, origin, method="POST", headers="content-type,x-amz-target,authorization"):
        return self("OPTIONS", path, {"Origin": origin, "Access-Control-Request-Method": method,
                                      "Access-Control-Request-Headers": headers})


@pytest.fixture
def raw(server):
    return Raw(server.endpoint)


@pytest.fixture
def open_bucket(cloud):
    """A bucket whose rules let every origin do everything."""
    bucket = cloud.create_bucket()
    rule = {"AllowedMethods": ["GET", "PUT", "POST", "DELETE", "HEAD"], "AllowedOrigins": ["*"], "AllowedHeaders": ["*"]}
    cloud.s3.put_bucket_cors(Bucket=bucket, CORSConfiguration={"CORSRules": [rule]})
    return bucket


def queues(cloud, prefix):
    return cloud.sqs.list_queues(QueueNamePrefix=prefix).get("QueueUrls", [])


# --- names ---

PATHS = [("GET", "/metrics"), ("GET", "/_tidemill/health"), ("GET", "/_tidemill/clock"), ("GET", "/"), ("GET", "/bucket/key"),
         ("GET", "/2015-03-31/functions/"), ("GET", "/?Action=ListQueues"), ("OPTIONS", "/"), ("PATCH", "/nothing")]


@pytest.mark.parametrize("method,path", PATHS)
def test_under_a_name_that_is_not_its_own_the_server_answers_nothing(raw, method, path):
    status, _, text = raw(method, path, {"Host": "evil.example:4566"})
    assert status == 403
    assert "--host evil.example" in text
    assert len(text.removeprefix('<?xml version="1.0" encoding="UTF-8"?>\n').strip().splitlines()) == 1


def test_dns_rebinding_reads_no_table(raw):
    status, _, text = raw.list_tables(Host="evil.example")
    assert status == 403
    assert json.loads(text)["message"].endswith("--host evil.example")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:4566", "[::1]:4566", "x.localhost",
                                  "dynamodb.us-east-1.amazonaws.com", "dynamodb.cn-north-1.amazonaws.com.cn:443"])
def test_loopback_and_awss_own_names_are_the_servers(raw, host):
    assert raw.list_tables(Host=host)[0] == 200


@pytest.mark.parametrize("host", ["localhost.evil.example", "127.0.0.1.evil.example", "evil-amazonaws.com", "0.0.0.0:4566",
                                  "localhost:4566@evil.example", "10.0.0.1"])
def test_names_that_only_look_alike_are_not(raw, host):
    assert raw.list_tables(Host=host)[0] == 403


def test_the_host_of_an_absolute_target_counts(raw):
    status, _, _ = raw("POST", "http://evil.example/", {**LIST_TABLES, "Host": "localhost"}, "{}")
    assert status == 403


def test_names_that_are_given_are_the_servers_with_all_below_them(start_server):
    server = start_server("--host", "mill.example", "--host", "10.1.2.3",
                          environment={"TIDEMILL_HOST": "other.example, third.example"})
    raw = Raw(server.endpoint)
    for host in ("mill.example", "Mill.Example:80", "b.s3.mill.example", "10.1.2.3:1", "other.example", "third.example"):
        assert raw.list_tables(Host=host)[0] == 200, host
    assert raw.list_tables(Host="windmill.example")[0] == 403
    Cloud(server.endpoint).s3.create_bucket(Bucket="photos")
    assert raw("PUT", "/key", {"Host": "photos.mill.example"}, "text")[0] == 200
    assert raw("GET", "/photos/key")[2] == "text"


# --- pages of other sites ---

FOREIGN = [{"Origin": EVIL}, {"Origin": "null"}, {"Origin": "http://localhost.evil.example"}, {"Sec-Fetch-Site": "cross-site"},
           {"Sec-Fetch-Site": "cross-site", "Referer": EVIL + "/page", "Sec-Fetch-Dest": "image"},
           {"Origin": EVIL, "Sec-Fetch-Site": "same-origin"}]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
@pytest.mark.parametrize("method,path", PATHS[:-2])
def test_a_page_of_another_site_gets_nothing(raw, headers, method, path):
    status, answered, _ = raw(method, path, headers)
    assert status == 403
    assert "Access-Control-Allow-Origin" not in answered


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_page_of_another_site_creates_no_function(cloud, raw, headers):
    name = unique("function")
    body = json.dumps({"FunctionName": name, "Runtime": "python3.12", "Handler": "a.b", "Code": {"ZipFile": ""},
                       "Role": "arn:aws:iam::000000000000:role/r"})
    status, _, text = raw("POST", "/2015-03-31/functions", {**headers, "Content-Type": "text/plain"}, body)
    assert status == 403
    assert "--allow-origin" in text
    assert name not in [each["FunctionName"] for each in cloud.functions.list_functions()["Functions"]]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_an_image_or_a_form_makes_no_queue(cloud, raw, headers):
    name = unique("queue")
    form = f"Action=CreateQueue&QueueName={name}"
    assert raw("GET", f"/?{form}", headers)[0] == 403
    assert raw("POST", "/", {**headers, "Content-Type": "application/x-www-form-urlencoded"}, form)[0] == 403
    assert queues(cloud, name) == []


# An image from a name that is no loopback one comes without Origin and Sec-Fetch-Site, which browsers keep for servers that
# they deem safe to reach.
def test_a_browser_that_says_nothing_runs_no_unsigned_action_by_address(cloud, raw):
    name = unique("queue")
    assert raw("GET", f"/?Action=CreateQueue&QueueName={name}", {"User-Agent": "Mozilla/5.0 (X11; Linux)"})[0] == 403
    assert queues(cloud, name) == []


def test_a_page_of_another_site_is_refused_in_the_form_of_the_service(raw):
    status, headers, text = raw.list_tables(Origin=EVIL)
    assert (status, headers["Content-Type"]) == (403, JSON)
    assert json.loads(text)["__type"] == "com.amazon.coral.service#AccessDeniedException"
    assert "<Code>AccessDenied</Code>" in raw("GET", "/?Action=ListQueues", {"Origin": EVIL})[2]
    assert raw("GET", "/2015-03-31/functions/", {"Origin": EVIL})[1]["x-amzn-ErrorType"] == "AccessDeniedException"


def test_refusals_are_counted(raw):
    raw.list_tables(Origin=EVIL)
    raw.list_tables(Host="evil.example")
    metrics = raw("GET", "/metrics")[2]
    for reason in ("host", "page"):
        assert f'tidemill_foreign_requests_total{{reason="{reason}"}} ' in metrics


# --- programs and people ---

@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Mode": "cors", "User-Agent": "node"}, {"Sec-Fetch-Site": "none"},
                                     {"Sec-Fetch-Site": "same-origin"}, {"User-Agent": "Mozilla/5.0"}], ids=str)
def test_programs_and_typed_addresses_are_served(raw, headers):
    assert raw("GET", "/_tidemill/health", headers)[0] == 200
    assert raw("POST", "/", {**LIST_TABLES, **headers}, "{}")[0] == 200


# --- pages that are allowed ---

@pytest.mark.parametrize("origin", [LOCAL, "https://localhost", "http://127.0.0.1:5173", "http://[::1]:8080",
                                    "http://app.localhost:3000"])
def test_a_page_on_this_machine_uses_every_service(raw, origin):
    status, headers, _ = raw.preflight("/", origin)
    assert status == 200
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert headers["Access-Control-Allow-Methods"] == "POST"
    assert headers["Access-Control-Allow-Headers"] == "content-type,x-amz-target,authorization"
    assert headers["Access-Control-Max-Age"] == "172800"
    status, headers, _ = raw.list_tables(Origin=origin, Sec_Fetch_Site="cross-site")
    assert status == 200
    assert headers["Access-Control-Allow-Origin"] == "*"
    for path in ("/2015-03-31/functions/", "/?Action=ListQueues", "/?Action=ListTopics", "/", "/metrics"):
        status, headers, _ = raw("GET", path, {"Origin": origin})
        assert (status, headers["Access-Control-Allow-Origin"]) == (200, "*"), path


def test_a_page_reads_errors_as_well(raw):
    status, headers, _ = raw("POST", "/", {**LIST_TABLES, "Origin": LOCAL}, "{")
    assert (status, headers["Access-Control-Allow-Origin"]) == (400, "*")


def test_a_page_on_this_machine_shows_images(cloud, raw):
    bucket = cloud.create_bucket()
    cloud.s3.put_object(Bucket=bucket, Key="picture", Body=b"picture")
    shown = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image", "Referer": LOCAL + "/"}
    assert raw("GET", f"/{bucket}/picture", shown)[2] == "picture"


def test_an_origin_that_is_given_is_allowed_and_no_other(start_server):
    server = start_server("--allow-origin", "https://app.example", "--allow-origin=http://two.example:8080",
                          environment={"TIDEMILL_ALLOW_ORIGIN": "https://three.example"})
    raw = Raw(server.endpoint)
    for origin in ("https://app.example", "http://two.example:8080", "https://three.example"):
        assert raw.preflight("/", origin)[0] == 200
        assert raw.list_tables(Origin=origin)[1]["Access-Control-Allow-Origin"] == "*"
    for origin in ("http://app.example", "https://app.example:8443", "https://sub.app.example", "null"):
        assert raw.preflight("/", origin)[0] == 403
        assert raw.list_tables(Origin=origin)[0] == 403


# --- buckets ---

def test_a_bucket_open_to_every_origin_is_open(cloud, raw, open_bucket):
    status, headers, _ = raw.preflight(f"/{open_bucket}/key", EVIL, "PUT", "content-type")
    assert (status, headers["Access-Control-Allow-Origin"]) == (200, "*")
    status, headers, _ = raw("PUT", f"/{open_bucket}/key", {"Origin": EVIL}, "text")
    assert (status, headers["Access-Control-Allow-Origin"]) == (200, "*")
    assert cloud.s3.get_object(Bucket=open_bucket, Key="key")["Body"].read() == b"text"


def test_a_bucket_open_to_every_origin_opens_no_other_service(cloud, raw, open_bucket):
    name = unique("queue")
    assert raw.preflight(f"/{open_bucket}/key", EVIL)[0] == 403
    assert raw("POST", f"/{open_bucket}/key", {**LIST_TABLES, "Origin": EVIL}, "{}")[0] == 403
    assert raw("POST", f"/{open_bucket}", {**LIST_TABLES, "Origin": EVIL, "Content-Type": "text/plain"}, "{}")[0] == 403
    form = f"Action=CreateQueue&QueueName={name}"
    assert raw("GET", f"/{open_bucket}?{form}", {"Origin": EVIL})[0] == 403
    assert raw("POST", f"/{open_bucket}", {"Origin": EVIL, "Content-Type": "application/x-www-form-urlencoded"}, form)[0] == 403
    assert raw("GET", "/2015-03-31/functions/", {"Origin": EVIL})[0] == 403
    assert queues(cloud, name) == []


def test_a_bucket_without_rules_is_closed_to_other_sites(cloud, raw):
    bucket = cloud.create_bucket()
    status, _, text = raw.preflight(f"/{bucket}/key", EVIL, "PUT", "content-type")
    assert (status, "CORS is not enabled for this bucket" in text) == (403, True)
    assert raw("PUT", f"/{bucket}/key", {"Origin": EVIL}, "text")[0] == 403
    assert "Contents" not in cloud.s3.list_objects_v2(Bucket=bucket)


def test_another_site_shows_an_object_by_an_address_that_is_signed(cloud, raw):
    bucket = cloud.create_bucket()
    cloud.s3.put_object(Bucket=bucket, Key="picture", Body=b"picture")
    url = cloud.s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "picture"})
    path = url[url.index("/", len("http://")):]
    shown = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image", "Referer": EVIL + "/"}
    status, headers, text = raw("GET", path, shown)
    assert (status, text, headers["Content-Security-Policy"]) == (200, "picture", "sandbox")
    assert raw("GET", path, {**shown, "Sec-Fetch-Dest": "script"})[0] == 403
    assert raw("GET", path, {**shown, "Origin": EVIL})[0] == 403
    assert raw("GET", f"/{bucket}/picture", shown)[0] == 403
    put = cloud.s3.generate_presigned_url("put_object", {"Bucket": bucket, "Key": "other"})
    assert raw("PUT", put[put.index("/", len("http://")):], shown, "x")[0] == 403

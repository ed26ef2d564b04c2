"""With a clock that can be turned, functions see the platform's time; and what clients sign by theirs stays good
(docs/clock.md)."""
import time
import urllib.error
import urllib.request

import pytest
from botocore.config import Config

import boto3
from harness import NODE_RUNTIME, Cloud, eventually

pytestmark = pytest.mark.local

PYTHON = """
import datetime, time, logging
from datetime import datetime as imported, date, timezone
at_start = time.time()

class Own(datetime.datetime):
    pass

def handler(event, context):
    now = datetime.datetime.now()
    utc = datetime.datetime.now(timezone.utc)
    begin = time.time()
    time.sleep(event.get("sleep", 0))
    return {
        "start": at_start, "time": time.time(), "time_ns": time.time_ns() / 1e9, "elapsed": time.time() - begin,
        "now": now.timestamp(), "utcnow": imported.utcnow().replace(tzinfo=timezone.utc).timestamp(),
        "aware": utc.timestamp(), "today": date.today().isoformat(), "gmtime": time.strftime("%Y-%m-%d", time.gmtime()),
        "strftime": time.strftime("%Y-%m-%d"), "own": Own.now().timestamp(), "clock": time.clock_gettime(time.CLOCK_REALTIME),
        "kinds": [isinstance(now, datetime.datetime), isinstance(now, datetime.date), isinstance(now.date(), date),
                  isinstance(datetime.datetime.min, imported), not isinstance(now, Own), isinstance(Own.now(), imported),
                  issubclass(Own, datetime.date), type(now + datetime.timedelta(1)) is imported,
                  imported.fromisoformat(now.isoformat()) == now, now.year == utc.year],
        "remaining": context.get_remaining_time_in_millis(),
    }
"""

NODE = """
const atStart = Date.now();
class Own extends Date {}
exports.handler = async (event, context) => {
  const now = new Date();
  return {
    start: atStart / 1000, time: Date.now() / 1000, now: now.getTime() / 1000, today: now.toISOString().slice(0, 10),
    own: new Own().getTime() / 1000, text: Date.parse(Date()) / 1000,
    kinds: [now instanceof Date, now.constructor === Date, new Own() instanceof Own, new Own() instanceof Date,
            new Date(0).getTime() === 0, new Date(2026, 0, 1).getFullYear() === 2026, Date.UTC(1970, 0) === 0,
            Object.prototype.toString.call(now) === "[object Date]"],
    remaining: context.getRemainingTimeInMillis(),
  };
};
"""

DAY = 24 * 3600


def near(seconds, expected):
    return expected <= seconds < expected + 20


@pytest.mark.parametrize("mode", ["virtual", "auto"])
def test_python_sees_the_platforms_time(start_server, mode):
    cloud = Cloud(start_server("--clock", mode).endpoint)
    cloud.advance(400 * DAY)
    name = cloud.create_function(PYTHON, Timeout=30)
    for days in (0, 3):
        cloud.advance(days * DAY)
        now = cloud.now()
        _, seen = cloud.invoke(name, {"sleep": 0.2})
        for clock in ("time", "time_ns", "now", "utcnow", "aware", "own", "clock"):
            assert near(seen[clock], now), clock
        assert 0.2 <= seen["elapsed"] < 10  # it goes on
        day = time.strftime("%Y-%m-%d", time.gmtime(now))
        if near(now % DAY, 0) or now % DAY > DAY - 60:
            continue  # the day may change meanwhile
        assert seen["today"] == seen["gmtime"] == seen["strftime"] == day
        assert all(seen["kinds"]), seen["kinds"]
        assert 20_000 < seen["remaining"] <= 30_000
    assert near(seen["start"], now - 3 * DAY)


def test_node_sees_the_platforms_time(start_server):
    cloud = Cloud(start_server("--clock", "virtual").endpoint)
    cloud.advance(400 * DAY)
    name = cloud.create_function("", runtime=NODE_RUNTIME, handler="index.handler", files={"index.js": NODE}, Timeout=30)
    for days in (0, 3):
        cloud.advance(days * DAY)
        now = cloud.now()
        _, seen = cloud.invoke(name, {})
        for clock in ("time", "now", "own"):
            assert near(seen[clock], int(now)), clock
        assert near(seen["text"], int(now))
        assert all(seen["kinds"]), seen["kinds"]
        assert 20_000 < seen["remaining"] <= 30_000
    assert near(seen["start"], int(now) - 3 * DAY)


def test_ruby_sees_the_platforms_time(start_server):
    cloud = Cloud(start_server("--clock", "virtual").endpoint)
    cloud.advance(400 * DAY)
    source = ("AT_START = Time.now.to_f\ndef handler(event:, context:)\n  now = Time.now\n"
              "  { start: AT_START, time: now.to_f, utc: Time.now(in: 'UTC').to_f, kind: now.is_a?(Time),\n"
              "    remaining: context.get_remaining_time_in_millis }\nend\n")
    name = cloud.create_function("", runtime="ruby3.3", files={"app.rb": source}, Timeout=30)
    for days in (0, 3):
        cloud.advance(days * DAY)
        now = cloud.now()
        _, seen = cloud.invoke(name, {})
        assert near(seen["time"], int(now)) and near(seen["utc"], int(now)) and seen["kind"]
        assert 20_000 < seen["remaining"] <= 30_000
    assert near(seen["start"], int(now) - 3 * DAY)


def test_with_the_real_clock_nothing_is_replaced(cloud):
    name = cloud.create_function("import datetime, os, time\n"
                                 "def handler(event, context):\n"
                                 "    return [type(time.time).__name__, datetime.datetime.__mro__[1].__name__,\n"
                                 "            [name for name in os.environ if 'TIDEMILL_TIME' in name]]\n")
    assert cloud.invoke(name, {})[1] == ["builtin_function_or_method", "date", []]


def presigned(endpoint, key, version, seconds):
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="test",
                          aws_secret_access_key="test",
                          config=Config(signature_version=version, s3={"addressing_style": "path"}))
    return client.generate_presigned_url("get_object", Params={"Bucket": "bucket", "Key": key}, ExpiresIn=seconds)


@pytest.mark.parametrize("version", ["s3v4", "s3"])
def test_a_url_that_was_signed_outside_is_good_by_the_machines_clock(start_server, version):
    server = start_server("--clock", "virtual")
    cloud = Cloud(server.endpoint)
    cloud.s3.create_bucket(Bucket="bucket")
    cloud.s3.put_object(Bucket="bucket", Key="k", Body=b"text")
    cloud.advance(30 * DAY)
    url = presigned(server.endpoint, "k", version, 60)
    assert urllib.request.urlopen(url, timeout=60).read() == b"text"
    eventually(lambda: "a presigned URL has expired by the platform's clock" in server.log(), "the log says so")
    late = presigned(server.endpoint, "k", version, 1)
    eventually(lambda: refused(late), "the URL expires")


def refused(url):
    try:
        urllib.request.urlopen(url, timeout=60).read()
    except urllib.error.HTTPError as error:
        assert b"Request has expired" in error.read()
        return True
    return False


# By the platform's: a function's URL expires as the clock is turned.
def test_a_url_that_a_function_signed_is_good_by_the_platforms_clock(start_server):
    cloud = Cloud(start_server("--clock", "virtual").endpoint)
    cloud.s3.create_bucket(Bucket="bucket")
    cloud.s3.put_object(Bucket="bucket", Key="k", Body=b"text")
    cloud.advance(30 * DAY)
    name = cloud.create_function(
        "import boto3\nfrom botocore.config import Config\n"
        "client = boto3.client('s3', config=Config(signature_version='s3v4', s3={'addressing_style': 'path'}))\n"
        "def handler(event, context):\n"
        "    return client.generate_presigned_url('get_object', Params={'Bucket': 'bucket', 'Key': 'k'}, ExpiresIn=600)\n",
        Timeout=60)
    url = cloud.invoke(name, {})[1]
    cloud.advance(500)
    assert not refused(url)
    cloud.advance(200)
    assert refused(url)

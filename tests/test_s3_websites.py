"""Static websites of buckets, as browsers see them."""
import json
import urllib.error
import urllib.request

import pytest
from botocore.exceptions import ClientError

from harness import Cloud, Server


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def refusal(call, **arguments):
    with pytest.raises(ClientError) as refused:
        call(**arguments)
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


def visit(endpoint, bucket, path="/", method="GET", **headers):
    """(status, headers, body) of what a browser gets."""
    request = urllib.request.Request(endpoint + path, method=method, headers={
        "Host": f"{bucket}.s3-website.localhost", **{name.replace("_", "-"): value for name, value in headers.items()}})
    try:
        with OPENER.open(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


@pytest.fixture
def site(s3, cloud, bucket):
    """site(path, ...): what a browser gets of the bucket's website."""
    for key, body in [("index.html", b"home"), ("sub/index.html", b"sub"), ("missing.html", b"nothing here"), ("page", b"page")]:
        s3.put_object(Bucket=bucket, Key=key, Body=body, ContentType="text/html")
    put(s3, bucket, ErrorDocument={"Key": "missing.html"})
    return lambda path="/", method="GET", **headers: visit(cloud.endpoint, bucket, path, method, **headers)


def put(s3, bucket, **more):
    s3.put_bucket_website(Bucket=bucket, WebsiteConfiguration={"IndexDocument": {"Suffix": "index.html"}, **more})


def test_a_website_is_kept_shown_and_dropped(s3, bucket):
    assert refusal(s3.get_bucket_website, Bucket=bucket)[0] == "NoSuchWebsiteConfiguration"
    rules = [{"Condition": {"KeyPrefixEquals": "old/"}, "Redirect": {"ReplaceKeyPrefixWith": "new/", "HttpRedirectCode": "302"}}]
    put(s3, bucket, ErrorDocument={"Key": "error.html"}, RoutingRules=rules)
    kept = s3.get_bucket_website(Bucket=bucket)
    assert (kept["IndexDocument"], kept["ErrorDocument"], kept["RoutingRules"]) == (
        {"Suffix": "index.html"}, {"Key": "error.html"}, rules)
    s3.delete_bucket_website(Bucket=bucket)
    assert refusal(s3.get_bucket_website, Bucket=bucket)[0] == "NoSuchWebsiteConfiguration"


def test_what_is_wrong_with_websites(s3, bucket):
    def wrong(**configuration):
        return refusal(s3.put_bucket_website, Bucket=bucket, WebsiteConfiguration=configuration)
    index = {"IndexDocument": {"Suffix": "index.html"}}
    assert wrong() == ("InvalidArgument",
                       "A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty")
    assert wrong(IndexDocument={"Suffix": "/index.html"}) == ("InvalidArgument", "The IndexDocument Suffix is not well formed")
    assert wrong(**index, RedirectAllRequestsTo={"HostName": "other.example"}) == (
        "InvalidArgument", "RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.")
    assert wrong(**index, RoutingRules=[{"Condition": {}, "Redirect": {"HostName": "x"}}])[0] == "InvalidRequest"
    assert wrong(**index, RoutingRules=[{"Redirect": {"HttpRedirectCode": "200"}}])[0] == "InvalidRequest"
    assert wrong(**index, RoutingRules=[{"Redirect": {"ReplaceKeyWith": "a", "ReplaceKeyPrefixWith": "b"}}]) == (
        "InvalidRequest", "You can only define ReplaceKeyPrefix or ReplaceKey but not both.")


@pytest.mark.local
def test_folders_have_index_documents(site):
    for path, body in [("/", b"home"), ("/sub/", b"sub"), ("/page", b"page"), ("/page?x=1", b"page")]:
        status, headers, got = site(path)
        assert (status, got, headers["Content-Type"]) == (200, body, "text/html")
    status, headers, _ = site("/sub")
    assert (status, headers["Location"]) == (302, "/sub/")
    status, headers, body = site("/page", method="HEAD")
    assert (status, headers["Content-Length"], body) == (200, "4", b"")
    etag = site("/page")[1]["ETag"]
    assert site("/page", If_None_Match=etag)[0::2] == (304, b"")
    assert site("/page", Range="bytes=1-2")[0::2] == (206, b"ag")


@pytest.mark.local
def test_what_is_not_there_has_a_page_too(s3, cloud, bucket, site):
    assert site("/none")[0::2] == (404, b"nothing here")
    put(s3, bucket)
    status, headers, body = site("/none%3Cb%3E")
    assert status == 404 and headers["Content-Type"].startswith("text/html") and b"NoSuchKey" in body
    assert b"none&lt;b&gt;" in body and b"none<b>" not in body
    assert site("/page", method="POST")[0] == 405
    s3.delete_bucket_website(Bucket=bucket)
    status, _, body = site("/")
    assert status == 404 and b"NoSuchWebsiteConfiguration" in body
    status, _, body = visit(cloud.endpoint, "no-such-bucket-at-all")
    assert status == 404 and b"NoSuchBucket" in body


@pytest.mark.local
def test_requests_are_led_elsewhere(s3, bucket, site):
    put(s3, bucket, RoutingRules=[
        {"Condition": {"KeyPrefixEquals": "old/"}, "Redirect": {"ReplaceKeyPrefixWith": "sub/", "HttpRedirectCode": "307"}},
        {"Condition": {"HttpErrorCodeReturnedEquals": "404", "KeyPrefixEquals": "app/"}, "Redirect": {"ReplaceKeyWith": "index.html"}},
        {"Condition": {"KeyPrefixEquals": "out"}, "Redirect": {"HostName": "other.example", "Protocol": "https"}}])
    here = f"http://{bucket}.s3-website.localhost/"
    for path, status, location in [("/old/a b".replace(" ", "%20"), 307, here + "sub/a%20b"), ("/app/x", 301, here + "index.html"),
                                   ("/out/x", 301, "https://other.example/out/x")]:
        got = site(path)
        assert (got[0], got[1]["Location"]) == (status, location)
    s3.put_object(Bucket=bucket, Key="moved", Body=b"", WebsiteRedirectLocation="/page")
    assert s3.head_object(Bucket=bucket, Key="moved")["WebsiteRedirectLocation"] == "/page"
    status, headers, _ = site("/moved")
    assert (status, headers["Location"]) == (301, "/page")
    assert refusal(s3.put_object, Bucket=bucket, Key="x", Body=b"", WebsiteRedirectLocation="page")[0] == "InvalidRedirectLocation"
    s3.put_bucket_website(Bucket=bucket, WebsiteConfiguration={"RedirectAllRequestsTo": {"HostName": "all.example", "Protocol": "https"}})
    status, headers, _ = site("/a/b")
    assert (status, headers["Location"]) == (301, "https://all.example/a/b")


@pytest.mark.local
def test_where_rights_are_judged_only_what_everybody_may_read_is_given(tmp_path):
    server = Server(tmp_path / "data", "--auth", "iam", log=tmp_path / "log").start()
    try:
        s3 = Cloud(server.endpoint, access_key=server.root_key["AWS_ACCESS_KEY_ID"],
                   secret_key=server.root_key["AWS_SECRET_ACCESS_KEY"]).s3
        s3.create_bucket(Bucket="pages")
        for key in ("index.html", "secret"):
            s3.put_object(Bucket="pages", Key=key, Body=key.encode())
        put(s3, "pages")
        assert visit(server.endpoint, "pages")[0] == 403
        s3.delete_public_access_block(Bucket="pages")
        s3.put_bucket_policy(Bucket="pages", Policy=json.dumps({"Version": "2012-10-17", "Statement": {
            "Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::pages/*.html"}}))
        assert visit(server.endpoint, "pages")[0::2] == (200, b"index.html")
        assert visit(server.endpoint, "pages", "/secret")[0] == 403
    finally:
        server.kill()


@pytest.mark.local
def test_where_only_signatures_are_checked_nobody_is_given_pages(tmp_path):
    server = Server(tmp_path / "data", "--auth", "signed", log=tmp_path / "log").start()
    try:
        s3 = Cloud(server.endpoint, access_key=server.root_key["AWS_ACCESS_KEY_ID"],
                   secret_key=server.root_key["AWS_SECRET_ACCESS_KEY"]).s3
        s3.create_bucket(Bucket="pages")
        s3.put_object(Bucket="pages", Key="index.html", Body=b"x")
        put(s3, "pages")
        assert visit(server.endpoint, "pages")[0] == 403
    finally:
        server.kill()

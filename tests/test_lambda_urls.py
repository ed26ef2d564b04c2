"""URLs of functions: what they are told, what they may answer, and who may ask."""
import base64
import json

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import pytest

from harness import Cloud, eventually, refused, unique
from url_support import ALLOW, ask, open_url

ECHO = """
    def handler(event, context):
        return event
"""
# Answers what the body of the request says, as it is.
SAY = """
    import base64, json
    def handler(event, context):
        body = event.get("body", "null")
        return json.loads(base64.b64decode(body) if event["isBase64Encoded"] else body)
"""
JSON = {"Content-Type": "application/json"}


def said(cloud, url, answer):
    return ask(cloud, url, method="POST", body=json.dumps(answer), headers=JSON)


def test_the_configuration_of_a_url_is_shown_as_it_was_given(cloud, functions):
    function = cloud.create_function(ECHO)
    cors = {"AllowOrigins": ["https://app.example"], "AllowMethods": ["GET", "POST"], "AllowHeaders": ["x-a"],
            "ExposeHeaders": ["x-b"], "AllowCredentials": True, "MaxAge": 60}
    made = functions.create_function_url_config(FunctionName=function, AuthType="NONE", Cors=cors)
    assert made["ResponseMetadata"]["HTTPStatusCode"] == 201
    assert made["AuthType"] == "NONE" and made["Cors"] == cors and made["FunctionArn"].endswith(":" + function)
    shown = functions.get_function_url_config(FunctionName=function)
    assert {name: shown[name] for name in ("FunctionUrl", "FunctionArn", "AuthType", "Cors", "CreationTime")} == \
        {name: made[name] for name in ("FunctionUrl", "FunctionArn", "AuthType", "Cors", "CreationTime")}
    assert shown["LastModifiedTime"] >= shown["CreationTime"]
    changed = functions.update_function_url_config(FunctionName=function, AuthType="AWS_IAM")
    assert changed["AuthType"] == "AWS_IAM" and changed["Cors"] == cors and changed["FunctionUrl"] == made["FunctionUrl"]
    assert "Cors" not in functions.update_function_url_config(FunctionName=function, Cors={})
    assert [each["FunctionUrl"] for each in functions.list_function_url_configs(FunctionName=function)[
        "FunctionUrlConfigs"]] == [made["FunctionUrl"]]
    functions.delete_function_url_config(FunctionName=function)
    assert functions.list_function_url_configs(FunctionName=function)["FunctionUrlConfigs"] == []
    with refused("ResourceNotFoundException", "The resource you requested does not exist."):
        functions.get_function_url_config(FunctionName=function)
    with refused("ResourceNotFoundException", "The resource you requested does not exist."):
        functions.delete_function_url_config(FunctionName=function)


def test_what_cannot_have_a_url_is_refused(cloud, functions):
    function = cloud.create_function(ECHO)
    with refused("ResourceNotFoundException", "Function does not exist"):
        functions.create_function_url_config(FunctionName=unique("nothing"), AuthType="NONE")
    with refused("ResourceNotFoundException", "Function does not exist"):
        functions.create_function_url_config(FunctionName=function, AuthType="NONE", Qualifier="nothing")
    for qualifier in ("1", "$LATEST"):
        with refused("ValidationException", "at 'qualifier' failed to satisfy constraint"):
            functions.create_function_url_config(FunctionName=function, AuthType="NONE", Qualifier=qualifier)
    arn = functions.create_function_url_config(FunctionName=function, AuthType="NONE")["FunctionArn"]
    with refused("ResourceConflictException", f"Failed to create function url config for [functionArn = {arn}]. Error "
                                              "message:  FunctionUrlConfig exists for this Lambda function"):
        functions.create_function_url_config(FunctionName=function, AuthType="NONE")


def test_a_function_sees_the_request_as_an_event(cloud):
    function = cloud.create_function(ECHO)
    url = open_url(cloud, function)
    status, headers, body = ask(cloud, url, "/a%20b/c?x=1&x=2&y=%41", "POST", "{\"a\":1}", {
        **JSON, "Cookie": "one=1; two=2", "X-Many": "v", "User-Agent": "me"})
    event = json.loads(body)
    assert (status, headers["content-type"]) == (200, "application/json")
    assert event["version"] == "2.0" and event["routeKey"] == "$default"
    assert event["rawPath"] == "/a%20b/c" and event["rawQueryString"] == "x=1&x=2&y=%41"
    assert event["queryStringParameters"] == {"x": "1,2", "y": "A"}
    assert event["cookies"] == ["one=1", "two=2"] and event["headers"]["x-many"] == "v"
    assert event["body"] == "{\"a\":1}" and event["isBase64Encoded"] is False
    context = event["requestContext"]
    assert context["accountId"] == "anonymous" and context["apiId"] == context["domainPrefix"] == url.split("/")[2].split(".")[0]
    assert context["http"]["method"] == "POST" and context["http"]["userAgent"] == "me" and context["stage"] == "$default"
    assert event["headers"]["x-forwarded-for"] and event["headers"]["x-amzn-trace-id"].startswith("Root=1-")
    assert headers["x-amzn-requestid"] == context["requestId"]
    event = json.loads(ask(cloud, url)[2])
    assert event["rawPath"] == "/" and event["isBase64Encoded"] is False
    assert not {"body", "cookies", "queryStringParameters"} & event.keys()


@pytest.mark.parametrize("content_type, is_text", [
    ("text/plain; charset=utf-8", True), ("application/xml", True), ("application/javascript", True),
    ("application/octet-stream", False), ("multipart/form-data; boundary=x", False)])
def test_a_body_that_is_no_text_comes_in_base64(cloud, content_type, is_text):
    url = open_url(cloud, cloud.create_function(ECHO))
    event = json.loads(ask(cloud, url, "/", "POST", "bytes", {"Content-Type": content_type})[2])
    assert event["isBase64Encoded"] is not is_text
    assert event["body"] == ("bytes" if is_text else base64.b64encode(b"bytes").decode())


def test_an_answer_with_a_status_is_taken_at_its_word(cloud):
    url = open_url(cloud, cloud.create_function(SAY))
    status, headers, body = said(cloud, url, {
        "statusCode": 201, "headers": {"Content-Type": "text/html", "X-Number": 5}, "cookies": ["a=1; Secure", "b=2"],
        "body": base64.b64encode(b"\x00\xff").decode(), "isBase64Encoded": True})
    assert (status, body) == (201, b"\x00\xff")
    assert headers["content-type"] == "text/html" and headers["x-number"] == "5"
    assert headers["set-cookie"] == "a=1; Secure\nb=2"
    status, headers, body = said(cloud, url, {"statusCode": "404"})
    assert (status, body, headers["content-type"]) == (404, b"", "application/json")
    assert said(cloud, url, {"statusCode": 200, "body": "x"})[2] == b"x"


def test_an_answer_without_a_status_is_the_body(cloud):
    url = open_url(cloud, cloud.create_function(SAY))
    for answer, expected in (({"hello": "world"}, b'{"hello":"world"}'), ("plain", b"plain"), (5, b"5"), ([1, 2], b"[1,2]")):
        status, headers, body = said(cloud, url, answer)
        assert (status, headers["content-type"], body) == (200, "application/json", expected)


def test_a_function_that_fails_is_a_bad_gateway(cloud):
    url = open_url(cloud, cloud.create_function("def handler(event, context):\n    raise ValueError('no')\n"))
    assert ask(cloud, url)[::2] == (502, b"Internal Server Error")
    url = open_url(cloud, cloud.create_function(SAY))
    assert said(cloud, url, {"statusCode": "many"})[0] == 502
    assert said(cloud, url, {"statusCode": 200, "body": "!", "isBase64Encoded": True})[0] == 502


def test_what_is_throttled_is_answered_429(cloud, functions):
    function = cloud.create_function(ECHO)
    url = open_url(cloud, function)
    functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=0)
    assert eventually(lambda: ask(cloud, url)[0] == 429, "throttled")


def test_nobody_may_ask_unless_the_policy_says_so(cloud, functions):
    function = cloud.create_function(ECHO)
    url = functions.create_function_url_config(FunctionName=function, AuthType="NONE")["FunctionUrl"]
    status, headers, body = ask(cloud, url)
    assert status == 403 and headers["x-amzn-errortype"] == "AccessDeniedException"
    assert json.loads(body)["Message"].startswith("Forbidden. For troubleshooting Function URL authorization issues, see: ")
    # Another account's permission is nobody's.
    functions.add_permission(FunctionName=function, StatementId="other", **{**ALLOW, "Principal": "111122223333"})
    assert ask(cloud, url)[0] == 403
    functions.add_permission(FunctionName=function, StatementId="all", **ALLOW)
    assert eventually(lambda: ask(cloud, url)[0] == 200, "allowed")
    functions.remove_permission(FunctionName=function, StatementId="all")
    assert eventually(lambda: ask(cloud, url)[0] == 403, "refused again")


def test_a_url_that_asks_for_signatures_takes_signed_requests_only(cloud):
    function = cloud.create_function(ECHO)
    url = open_url(cloud, function, auth="AWS_IAM")
    assert ask(cloud, url)[0] == 403

    def signed(service):
        request = botocore.awsrequest.AWSRequest("GET", url)
        frozen = cloud.functions._request_signer._credentials
        botocore.auth.SigV4Auth(frozen, service, cloud.region).add_auth(request)
        return ask(cloud, url, headers=dict(request.headers))
    status, _, body = signed("lambda")
    context = json.loads(body)["requestContext"]
    assert status == 200 and context["authorizer"]["iam"]["accountId"] == context["accountId"] != "anonymous"
    assert context["authorizer"]["iam"]["accessKey"]
    assert signed("s3")[0] == 403


def test_an_alias_has_a_url_of_its_own_and_takes_it_along(cloud, functions):
    function = cloud.create_function("""
        def handler(event, context):
            return context.function_version
    """)
    version = functions.publish_version(FunctionName=function)["Version"]
    functions.create_alias(FunctionName=function, Name="live", FunctionVersion=version)
    own = open_url(cloud, function)
    url = open_url(cloud, function, Qualifier="live")
    assert ask(cloud, own)[2] == b"$LATEST" and ask(cloud, url)[2] == version.encode()
    assert len(functions.list_function_url_configs(FunctionName=function)["FunctionUrlConfigs"]) == 2
    functions.delete_alias(FunctionName=function, Name="live")
    assert eventually(lambda: ask(cloud, url)[0] == 403, "the URL of a deleted alias is refused")
    assert ask(cloud, own)[0] == 200


def test_the_rules_for_pages_answer_preflights_and_take_the_place_of_the_functions_headers(cloud):
    function = cloud.create_function("""
        def handler(event, context):
            return {"statusCode": 200, "headers": {"Access-Control-Allow-Origin": "https://own.example"}, "body": "ran"}
    """)
    url = open_url(cloud, function, Cors={"AllowOrigins": ["https://app.example"], "AllowMethods": ["PUT"],
                                          "AllowHeaders": ["x-a"], "ExposeHeaders": ["x-b"], "MaxAge": 7})
    page = {"Origin": "https://app.example"}
    status, headers, body = ask(cloud, url, "/", "OPTIONS", headers={**page, "Access-Control-Request-Method": "PUT"})
    assert (status, body) == (200, b"")
    assert headers["access-control-allow-origin"] == "https://app.example"
    assert headers["access-control-allow-methods"] == "PUT" and headers["access-control-max-age"] == "7"
    assert headers["access-control-allow-headers"] == "x-a"
    for other in ({"Origin": "https://bad.example", "Access-Control-Request-Method": "PUT"},
                  {**page, "Access-Control-Request-Method": "DELETE"}):
        assert "access-control-allow-origin" not in ask(cloud, url, "/", "OPTIONS", headers=other)[1]
    status, headers, body = ask(cloud, url, "/", "PUT", "x", page)
    assert (status, body, headers["access-control-allow-origin"]) == (200, b"ran", "https://app.example")
    assert headers["access-control-expose-headers"] == "x-b"
    # A page that may not is kept from the answer, which the function has made all the same.
    status, headers, body = ask(cloud, url, "/", "PUT", "x", {"Origin": "https://bad.example"})
    assert (status, body) == (200, b"ran") and "access-control-allow-origin" not in headers


def test_a_url_without_rules_leaves_pages_to_the_function(cloud):
    url = open_url(cloud, cloud.create_function("""
        def handler(event, context):
            return {"statusCode": 204, "headers": {"Access-Control-Allow-Origin": "*", "X-Method": event["requestContext"]["http"]["method"]}}
    """))
    _, headers, _ = ask(cloud, url, "/", "OPTIONS", headers={
        "Origin": "https://app.example", "Access-Control-Request-Method": "PUT", "Sec-Fetch-Site": "cross-site"})
    assert headers["access-control-allow-origin"] == "*" and headers["x-method"] == "OPTIONS"


def test_requests_and_answers_have_limits(cloud):
    url = open_url(cloud, cloud.create_function("""
        def handler(event, context):
            return "x" * int(event["queryStringParameters"]["size"])
    """, MemorySize=512))
    assert ask(cloud, url, "/?size=10", "POST", b"x" * (6 << 20), {"Content-Type": "text/plain"})[0] == 413
    status, _, body = ask(cloud, url, f"/?size={5 << 20}")
    assert (status, len(body)) == (200, 5 << 20)
    assert ask(cloud, url, f"/?size={7 << 20}")[0] == 502


@pytest.mark.local
def test_a_url_is_called_by_aws_name_and_by_path_too(cloud):
    url = open_url(cloud, cloud.create_function(ECHO))
    name = url.split("/")[2].split(".")[0]
    assert url.startswith(f"http://{name}.lambda-url.us-east-1.localhost:")
    event = json.loads(ask(cloud, url, "/x", headers={"Host": f"{name}.lambda-url.us-east-1.on.aws"})[2])
    assert event["rawPath"] == "/x" and event["requestContext"]["domainName"] == f"{name}.lambda-url.us-east-1.on.aws"
    status, headers, body = ask(cloud, cloud.endpoint, f"/_tidemill/lambda-url/{name}/x/y?z=1")
    event = json.loads(body)
    assert event["rawPath"] == "/x/y" and event["queryStringParameters"] == {"z": "1"}
    # It would be a page of the server otherwise, which may do everything there.
    assert "sandbox" in headers["content-security-policy"]
    assert ask(cloud, cloud.endpoint, "/_tidemill/lambda-url/" + "a" * 32 + "/")[0] == 403


def test_a_deleted_functions_url_is_nobodys(cloud, functions):
    function = cloud.create_function(ECHO)
    url = open_url(cloud, function)
    functions.delete_function(FunctionName=function)
    assert eventually(lambda: ask(cloud, url)[0] == 403, "refused")
    cloud.create_function(ECHO, name=function)
    assert functions.list_function_url_configs(FunctionName=function)["FunctionUrlConfigs"] == []


@pytest.mark.local
def test_a_function_behind_a_proxy_sees_how_its_client_speaks(start_server, tmp_path):
    spoken = [{}, {"X-Forwarded-Proto": "http"}, {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}]
    for options, protocols in ([], ["http"] * 3), (["--behind-proxy"], ["http", "http", "https"]):
        cloud = Cloud(start_server("--sandbox", "off", *options, data=tmp_path / f"data{len(options)}").endpoint)
        url = open_url(cloud, cloud.create_function(ECHO))
        events = [json.loads(ask(cloud, url, headers=headers)[2]) for headers in spoken]
        assert [event["headers"]["x-forwarded-proto"] for event in events] == protocols

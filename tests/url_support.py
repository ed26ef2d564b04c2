"""Requests to the URLs of functions, by the name in them and without asking DNS for it."""
import http.client
import urllib.parse

ALLOW = {"Action": "lambda:InvokeFunctionUrl", "Principal": "*", "FunctionUrlAuthType": "NONE"}


def open_url(cloud, function, auth="NONE", **more):
    """The URL of the function (or of an alias, by Qualifier), which anybody may call if `auth` is NONE."""
    qualifier = {name: value for name, value in more.items() if name == "Qualifier"}
    made = cloud.functions.create_function_url_config(FunctionName=function, AuthType=auth, **more)
    if auth == "NONE":
        cloud.functions.add_permission(FunctionName=function, StatementId="url", **ALLOW, **qualifier)
    return made["FunctionUrl"]


def connect(cloud, url):
    """A connection to the host of the URL, and what the Host header must say."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https":
        return http.client.HTTPSConnection(parts.hostname, timeout=60), parts.netloc
    server = urllib.parse.urlsplit(cloud.endpoint)
    return http.client.HTTPConnection(server.hostname, server.port, timeout=60), parts.netloc


def ask(cloud, url, path="/", method="GET", body=None, headers=None):
    """(status, headers, body) of the answer; headers in lower case, several of a name joined by a line feed."""
    connection, host = connect(cloud, url)
    try:
        connection.request(method, path, body, {"Host": host, **(headers or {})})
        answer = connection.getresponse()
        found = {}
        for name, value in answer.getheaders():
            name = name.lower()
            found[name] = found[name] + "\n" + value if name in found else value
        return answer.status, found, answer.read()
    finally:
        connection.close()

"""Runs one Python function: asks the Lambda Runtime API for invocations and calls the handler with each.

Started by the server as `python3 -S bootstrap.py` with the environment that AWS documents for a Lambda runtime
(AWS_LAMBDA_RUNTIME_API, _HANDLER, LAMBDA_TASK_ROOT, ...). One connection is kept for the life of the process; a reply and
the request for the next invocation leave together, so that a warm invocation costs one round trip.
"""

import importlib
import importlib.abc
import importlib.machinery
import json
import logging
import os
import site
import socket
import sys
import time
import traceback

API = "/2018-06-01/runtime"
LOGS_JSON = os.environ.get("AWS_LAMBDA_LOG_FORMAT", "").upper() == "JSON"

machine_time = time.time


class RuntimeClient:
    """The Runtime API over one kept-alive connection. Bodies of answers always carry their length."""

    def __init__(self, address):
        self.host = address
        name, _, port = address.rpartition(":")
        self.socket = socket.create_connection((name, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        version = ".".join(map(str, sys.version_info[:3]))
        self.next_request = (f"GET {API}/invocation/next HTTP/1.1\r\nHost: {address}\r\n"
                             f"User-Agent: tidemill-python/{version}\r\n\r\n").encode()

    def next(self):
        """Waits for an invocation: (header fields by lower-case name, payload)."""
        self.socket.sendall(self.next_request)
        return self._invocation()

    def reply_and_next(self, request_id, body, error_type=None):
        """Reports how an invocation ended and waits for the next one. An error's type may be empty; None: it succeeded."""
        path = f"{API}/invocation/{request_id}/{'response' if error_type is None else 'error'}"
        self.socket.sendall(self._post(path, body, error_type) + self.next_request)
        self._answer()  # a refused reply (too large) is the server's to report
        return self._invocation()

    def init_error(self, body, error_type):
        self.socket.sendall(self._post(f"{API}/init/error", body, error_type))
        self._answer()

    def _post(self, path, body, error_type):
        error = "" if error_type is None else f"Lambda-Runtime-Function-Error-Type: {plain(error_type) or 'Exception'}\r\n"
        head = (f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\n{error}"
                f"Content-Length: {len(body)}\r\n\r\n")
        return head.encode() + body

    def _invocation(self):
        status, fields, body = self._answer()
        if status != 200:
            raise RuntimeError(f"the runtime API answered {status}: {body[:200]!r}")
        return fields, body

    def _answer(self):
        while (end := self.buffer.find(b"\r\n\r\n")) < 0:
            self._receive(65536)
        lines = self.buffer[:end].decode("latin-1").split("\r\n")
        fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        size = int(fields.get("content-length", "0"))
        begin = end + 4
        if len(self.buffer) - begin < size:
            parts = [self.buffer[begin:]]
            missing = size - len(parts[0])
            while missing > 0:
                part = self.socket.recv(min(missing, 1 << 20))
                if not part:
                    sys.exit(0)
                parts.append(part)
                missing -= len(part)
            body, self.buffer = b"".join(parts), b""
        else:
            body, self.buffer = self.buffer[begin:begin + size], self.buffer[begin + size:]
        return int(lines[0].split(" ", 2)[1]), fields, body

    def _receive(self, size):
        part = self.socket.recv(size)
        if not part:  # the server is gone, and this process with it
            sys.exit(0)
        self.buffer += part


def plain(text):
    """What can stand in a header: a class may have any name."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)


class ClientContext:
    """What a mobile SDK sends along; custom and env are plain dictionaries."""

    def __init__(self, data):
        self.custom = data.get("custom")
        self.env = data.get("env")
        client = data.get("client")
        self.client = type("Client", (), client)() if isinstance(client, dict) else None


class Identity:
    cognito_identity_id = None
    cognito_identity_pool_id = None


class LambdaContext:
    """The handler's second argument, with AWS's members."""

    def __init__(self, fields):
        environment = os.environ
        self.aws_request_id = fields["lambda-runtime-aws-request-id"]
        self.invoked_function_arn = fields.get("lambda-runtime-invoked-function-arn", "")
        self.function_name = environment.get("AWS_LAMBDA_FUNCTION_NAME")
        self.function_version = environment.get("AWS_LAMBDA_FUNCTION_VERSION")
        self.memory_limit_in_mb = environment.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE")
        self.log_group_name = environment.get("AWS_LAMBDA_LOG_GROUP_NAME")
        self.log_stream_name = environment.get("AWS_LAMBDA_LOG_STREAM_NAME")
        self.identity = Identity()
        context = fields.get("lambda-runtime-client-context")
        self.client_context = ClientContext(json.loads(context)) if context else None
        self.tenant_id = None
        self._deadline_ms = int(fields.get("lambda-runtime-deadline-ms", "0"))

    def get_remaining_time_in_millis(self):
        return max(0, self._deadline_ms - int(machine_time() * 1000))

    def log(self, message):
        sys.stdout.write(str(message))

    def __repr__(self):
        return f"LambdaContext({', '.join(f'{k}={v!r}' for k, v in vars(self).items() if not k.startswith('_'))})"


# ---- Errors ----------------------------------------------------------------------------------------------------------

class InitFailed(Exception):
    """The function cannot be loaded; carries AWS's error type, a message and the frames of the user's code."""

    def __init__(self, error_type, message, frames=()):
        super().__init__(message)
        self.error_type = error_type
        self.frames = list(frames)


def other_python():
    """What the user is told of a version that this host lacks, where that may be the reason."""
    wanted = os.environ.get("AWS_EXECUTION_ENV", "").rpartition("_python")[2]
    present = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if not wanted or wanted == present:
        return ""
    return f" (this host has no Python {wanted}: the function runs on Python {present})"


OTHER_PYTHON = other_python()


def frames_of(error):
    """The stack of an exception without this file's own frames."""
    return traceback.format_list(
        [frame for frame in traceback.extract_tb(error.__traceback__)
         if frame.filename != __file__ and not frame.filename.startswith("<frozen importlib")])


def error_document(error_type, message, frames, request_id):
    return {"errorMessage": message, "errorType": error_type, "requestId": request_id, "stackTrace": frames}


def log_error(document):
    if LOGS_JSON:
        record = {"timestamp": utc_text(time.time()), "log_level": "ERROR", **document}
        sys.stdout.write(json.dumps(record) + "\n")
        return
    text = f"[ERROR] {document['errorType']}: {document['errorMessage']}\n"
    if document["stackTrace"]:
        text += "Traceback (most recent call last):\n" + "".join(document["stackTrace"])
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode())


def message_of(error):
    """What an exception says; its own __str__ may fail as well."""
    try:
        return str(error)
    except Exception as failure:
        return f"<{type(error).__name__} whose __str__ raised {type(failure).__name__}>"


def load_handler(name):
    module_name, dot, function_name = name.rpartition(".")
    if not dot:
        raise InitFailed("Runtime.MalformedHandlerName",
                         f"Bad handler '{name}': not enough values to unpack (expected 2, got 1)")
    try:
        module = importlib.import_module(module_name.replace("/", "."))
    except ImportError as error:
        raise InitFailed("Runtime.ImportModuleError", f"Unable to import module '{module_name}': {error}{OTHER_PYTHON}",
                         frames_of(error)) from error
    except SyntaxError as error:
        trace = [f'  File "{error.filename}" Line {error.lineno}\n    {(error.text or "").strip()}\n']
        raise InitFailed("Runtime.UserCodeSyntaxError", f"Syntax error in module '{module_name}': {error}{OTHER_PYTHON}",
                         trace) from error
    except Exception as error:
        raise InitFailed(type(error).__name__, message_of(error), frames_of(error)) from error
    try:
        return getattr(module, function_name)
    except AttributeError:
        raise InitFailed("Runtime.HandlerNotFound",
                         f"Handler '{function_name}' missing on module '{module_name}'") from None


def to_json(value, errors="strict"):
    def other(unknown):
        if type(unknown).__name__ == "Decimal":
            return int(unknown) if unknown == unknown.to_integral_value() else float(unknown)
        raise TypeError(f"Object of type {type(unknown).__name__} is not JSON serializable")
    return json.dumps(value, ensure_ascii=False, default=other).encode("utf-8", errors)


def run_handler(handler, fields, payload):
    """One invocation: (answer, error type or None)."""
    request_id = fields["lambda-runtime-aws-request-id"]
    try:
        event = json.loads(payload) if payload else {}
    except ValueError as error:
        return fault("Runtime.UnmarshalError", f"Unable to unmarshal input: {error}", [], request_id)
    try:
        result = handler(event, LambdaContext(fields))
    except Exception as error:
        return fault(type(error).__name__, message_of(error), frames_of(error), request_id)
    try:
        return to_json(result), None
    except (TypeError, ValueError) as error:
        return fault("Runtime.MarshalError", f"Unable to marshal response: {error}", [], request_id)


def fault(error_type, message, frames, request_id):
    document = error_document(error_type, message, frames, request_id)
    log_error(document)
    return to_json(document, "backslashreplace"), error_type


# ---- What a function finds in its process ----------------------------------------------------------------------------

def utc_text(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON, with the members that AWS's runtime gives it: what the caller added by `extra` among
    them."""

    STANDARD = set(vars(logging.LogRecord("", 0, "", 0, "", (), None))) | {"message", "asctime", "aws_request_id",
                                                                         "taskName"}

    def format(self, record):
        line = {"timestamp": utc_text(record.created), "level": record.levelname, "message": record.getMessage(),
                "logger": record.name}
        if record.exc_info and record.exc_info[0]:
            kind, error, trace = record.exc_info
            line["stackTrace"] = traceback.format_list(traceback.extract_tb(trace))
            line["errorType"], line["errorMessage"] = kind.__name__, message_of(error)
            line["location"] = f"{record.pathname}:{record.funcName}:{record.lineno}"
        if getattr(record, "aws_request_id", ""):
            line["requestId"] = record.aws_request_id
        line.update((name, value) for name, value in vars(record).items()
                    if name not in self.STANDARD and name not in line)
        return json.dumps(line, default=message_of)


class LogHandler(logging.Handler):
    """The root logger's handler, in the format of AWS's."""

    request_id = ""

    def emit(self, record):
        record.aws_request_id = self.request_id
        sys.stdout.write(self.format(record) + "\n")


def install_logging():
    handler = LogHandler()
    formatter = logging.Formatter("[%(levelname)s]\t%(asctime)s.%(msecs)03dZ\t%(aws_request_id)s\t%(message)s",
                                  "%Y-%m-%dT%H:%M:%S")
    formatter.converter = time.gmtime
    handler.setFormatter(JsonFormatter() if LOGS_JSON else formatter)
    logging.getLogger().addHandler(handler)
    if LOGS_JSON:
        levels = {"TRACE": logging.NOTSET + 1, "DEBUG": logging.DEBUG, "INFO": logging.INFO, "WARN": logging.WARNING,
                  "ERROR": logging.ERROR, "FATAL": logging.CRITICAL}
        logging.getLogger().setLevel(levels.get(os.environ.get("AWS_LAMBDA_LOG_LEVEL", "INFO").upper(), logging.INFO))
    return handler


class PlatformTime:
    """Shows the function the platform's time where that is not the machine's (--clock virtual, auto): begin() with each
    invocation, and from there on as much more as has really passed. What measures durations (monotonic, perf_counter) and
    what waits (sleep) stay as they are."""

    def __init__(self, now_us):
        self.begin(now_us)
        self.replace_time()
        self.replace_datetime()

    def begin(self, now_us):
        self.offset_ns = int(now_us) * 1000 - time.monotonic_ns()

    def now_ns(self):
        return time.monotonic_ns() + self.offset_ns

    def now(self):
        return self.now_ns() / 1e9

    def replace_time(self):
        time.time, time.time_ns = self.now, self.now_ns
        here = {name: getattr(time, name) for name in ("gmtime", "localtime", "ctime", "asctime", "strftime",
                                                       "clock_gettime", "clock_gettime_ns")}

        def of_seconds(name):
            return lambda seconds=None: here[name](self.now() if seconds is None else seconds)
        time.gmtime, time.localtime, time.ctime = map(of_seconds, ("gmtime", "localtime", "ctime"))
        time.asctime = lambda moment=None: here["asctime"](time.localtime() if moment is None else moment)
        time.strftime = lambda form, moment=None: here["strftime"](form, time.localtime() if moment is None else moment)
        time.clock_gettime = lambda clock: self.now() if clock == time.CLOCK_REALTIME else here["clock_gettime"](clock)
        time.clock_gettime_ns = lambda clock: (self.now_ns() if clock == time.CLOCK_REALTIME
                                               else here["clock_gettime_ns"](clock))

    def replace_datetime(self):
        import datetime
        real_date, real_datetime = datetime.date, datetime.datetime

        # What was made before, or by C code, is an instance as well.
        def kind_of(real):
            class Kind(type(real)):
                def __instancecheck__(cls, value):
                    return isinstance(value, real) if cls.__bases__ == (real,) else type.__instancecheck__(cls, value)

                def __subclasscheck__(cls, other):
                    return issubclass(other, real) if cls.__bases__ == (real,) else type.__subclasscheck__(cls, other)
            return Kind

        def utc():
            return real_datetime(1970, 1, 1) + datetime.timedelta(microseconds=self.now_ns() // 1000)

        class PlatformDate(real_date, metaclass=kind_of(real_date)):
            @classmethod
            def today(cls):
                return cls.fromtimestamp(time.time())

        class PlatformDatetime(real_datetime, metaclass=kind_of(real_datetime)):
            @classmethod
            def now(cls, tz=None):
                moment = utc().replace(tzinfo=datetime.timezone.utc).astimezone(tz)
                return cls.combine(moment.date(), moment.timetz() if tz else moment.time())

            @classmethod
            def utcnow(cls):
                moment = utc()
                return cls.combine(moment.date(), moment.time())

            @classmethod
            def today(cls):
                return cls.now()

        for name, kind in (("date", PlatformDate), ("datetime", PlatformDatetime)):
            kind.__name__ = kind.__qualname__ = name
            kind.__module__ = "datetime"
            setattr(datetime, name, kind)


class ImportHook(importlib.abc.MetaPathFinder):
    """Changes a module as it is imported for the first time."""

    def __init__(self, name, change):
        self.name, self.change = name, change

    def find_spec(self, name, path, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.change(module)
        spec.loader.exec_module = exec_module
        return spec


def read_endpoint(botocore_session):
    """Lets a botocore that does not read AWS_ENDPOINT_URL (before 1.31) do so: clients without an endpoint get it."""
    import botocore.configprovider
    if hasattr(botocore.configprovider, "ConfiguredEndpointProvider"):
        return  # this version reads the variable itself
    session = botocore_session.Session
    create_client = session.create_client

    def create_client_here(self, service_name, *arguments, **named):
        if named.get("endpoint_url") is None and len(arguments) < 5:
            own = "AWS_ENDPOINT_URL_" + service_name.upper().replace("-", "_").replace(" ", "_")
            named["endpoint_url"] = os.environ.get(own) or os.environ.get("AWS_ENDPOINT_URL")
        return create_client(self, service_name, *arguments, **named)
    session.create_client = create_client_here


def lead_prefixed(server):
    """SDKs put "sync-" (StartSyncExecution, TestState) or "streaming-" (StartLiveTail) before the endpoint's host.

    server: "http://127.0.0.1:4566"
    """
    own = server.partition("://")[2].rpartition(":")[0]
    names = ("sync-" + own, "streaming-" + own)
    look_up = socket.getaddrinfo

    def getaddrinfo(host, port, *arguments, **named):
        return look_up(own if host in names else host, port, *arguments, **named)

    socket.getaddrinfo = getaddrinfo


def is_of_answers(host):
    """Whether CloudFormation's custom resources are answered there, by AWS's name."""
    if isinstance(host, (bytes, bytearray)):
        host = host.decode("latin-1")
    return (isinstance(host, str) and host.startswith("cloudformation-custom-resource-response-")
            and host.endswith(".amazonaws.com"))


class Unencrypted:
    """What those ask of a connection with encryption who have been given one without."""

    server_side = False

    def __init__(self, host):
        self.server_hostname = host

    def getpeercert(self, binary_form=False):
        return b"" if binary_form else {"subjectAltName": (("DNS", self.server_hostname),)}

    def version(self):
        return "TLSv1.3"

    def cipher(self):
        return None

    def compression(self):
        return None

    def pending(self):
        return 0

    def selected_alpn_protocol(self):
        return None

    def do_handshake(self):
        pass

    def unwrap(self):
        return self


class AnswerSocket(Unencrypted, socket.socket):
    """A connection to the server, for what SSLContext.wrap_socket() makes."""

    def __init__(self, plain, host):
        socket.socket.__init__(self, plain.family, plain.type, plain.proto, fileno=plain.fileno())
        Unencrypted.__init__(self, host)
        self.settimeout(plain.gettimeout())
        plain.detach()


class AnswerObject(Unencrypted):
    """Passes on what comes and goes as it is, for what SSLContext.wrap_bio() makes."""

    def __init__(self, ssl, incoming, outgoing, host):
        super().__init__(host)
        self.ssl, self.incoming, self.outgoing = ssl, incoming, outgoing

    def pending(self):
        return self.incoming.pending

    def read(self, len=1024, buffer=None):
        data = self.incoming.read(len if buffer is None else min(len, memoryview(buffer).nbytes))
        if not data and not self.incoming.eof:
            raise self.ssl.SSLWantReadError(self.ssl.SSL_ERROR_WANT_READ, "nothing has come yet")
        if buffer is None:
            return data
        count = memoryview(data).nbytes
        buffer[:count] = data
        return count

    def write(self, data):
        return self.outgoing.write(data)


def lead_answers(ssl, server):
    """Leads connections to where custom resources are answered, by AWS's name and with encryption, to the server, which
    is reached without: http.client, urllib3, asyncio and all that stands on SSLContext.wrap_socket() or wrap_bio().

    server: "http://127.0.0.1:4566"
    """
    host, _, port = server.partition("://")[2].rpartition(":")
    address = host.strip("[]"), int(port)
    look_up, wrap, wrap_memory = socket.getaddrinfo, ssl.SSLContext.wrap_socket, ssl.SSLContext.wrap_bio

    def getaddrinfo(host, port, *arguments, **named):
        return look_up(*(address if is_of_answers(host) else (host, port)), *arguments, **named)

    def wrap_socket(self, sock, server_side=False, do_handshake_on_connect=True, suppress_ragged_eofs=True,
                    server_hostname=None, session=None):
        if is_of_answers(server_hostname):
            return AnswerSocket(sock, server_hostname)
        return wrap(self, sock, server_side, do_handshake_on_connect, suppress_ragged_eofs, server_hostname, session)

    def wrap_bio(self, incoming, outgoing, server_side=False, server_hostname=None, session=None):
        if is_of_answers(server_hostname):
            return AnswerObject(ssl, incoming, outgoing, server_hostname)
        return wrap_memory(self, incoming, outgoing, server_side, server_hostname, session)

    socket.getaddrinfo = getaddrinfo
    ssl.SSLContext.wrap_socket, ssl.SSLContext.wrap_bio = wrap_socket, wrap_bio


class RuntimeModules(importlib.abc.MetaPathFinder):
    """What AWS's runtime has besides the standard library: boto3 and what that needs, from where the host has it. Asked
    after the function's own code and layers. Nothing else that the host has installed for itself is found."""

    NAMES = {"boto3", "botocore", "s3transfer", "jmespath", "dateutil", "six", "urllib3"}
    # What Debian's botocore imports in place of copies of its own: for the modules above alone, as far as they come first.
    THEIRS = {"requests", "certifi", "chardet", "charset_normalizer", "idna"}

    def __init__(self):
        self.folders = [folder for folder in site.getsitepackages() if os.path.isdir(folder)]

    def find_spec(self, name, path, target=None):
        if path is not None or name not in self.NAMES and not (name in self.THEIRS and self.is_for_them()):
            return None
        return importlib.machinery.PathFinder.find_spec(name, self.folders, target)


    def is_for_them(self):
        """Whether the import that is under way stands in one of these modules."""
        frame = sys._getframe()
        while frame and frame.f_globals.get("__name__", "").partition(".")[0] in (__name__, "importlib"):
            frame = frame.f_back
        return frame and frame.f_globals.get("__name__", "").partition(".")[0] in self.NAMES | self.THEIRS


def install_modules():
    """The process begins with the standard library alone (-S); adds what functions find."""
    site.setquit()  # exit() and quit(), which programs have
    server = os.environ.pop("_TIDEMILL_ENDPOINT", None)
    sys.meta_path.insert(0, ImportHook("botocore.session", read_endpoint))
    if server:
        lead_prefixed(server)
        sys.meta_path.insert(0, ImportHook("ssl", lambda ssl: lead_answers(ssl, server)))
    sys.meta_path.append(RuntimeModules())
    opt = os.environ.pop("_TIDEMILL_OPT", "/opt")
    # This file's own folder stands first on the path; the function's takes its place.
    sys.path[:1] = [os.environ["LAMBDA_TASK_ROOT"],
                    f"{opt}/python/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages", f"{opt}/python"]


def main():
    client = RuntimeClient(os.environ["AWS_LAMBDA_RUNTIME_API"])
    install_modules()
    now_us = os.environ.pop("_TIDEMILL_TIME_US", None)
    platform_time = PlatformTime(now_us) if now_us else None
    sys.stdout.reconfigure(line_buffering=True)  # what is printed before a crash or a timeout is not lost
    log_handler = install_logging()
    try:
        handler = load_handler(os.environ["_HANDLER"])
    except InitFailed as failure:
        document = error_document(failure.error_type, str(failure), failure.frames, "")
        log_error(document)
        sys.stdout.flush()
        client.init_error(to_json(document, "backslashreplace"), failure.error_type)
        sys.exit(1)
    sys.stdout.flush()
    fields, payload = client.next()
    while True:
        log_handler.request_id = fields["lambda-runtime-aws-request-id"]
        if platform_time:
            platform_time.begin(fields["tidemill-time-us"])
        trace = fields.get("lambda-runtime-trace-id")
        if trace:
            os.environ["_X_AMZN_TRACE_ID"] = trace
        body, error_type = run_handler(handler, fields, payload)
        sys.stdout.flush()
        sys.stderr.flush()
        fields, payload = client.reply_and_next(fields["lambda-runtime-aws-request-id"], body, error_type)


if __name__ == "__main__":
    main()

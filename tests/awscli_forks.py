"""The AWS CLI as Debian ships it, each command in a process of its own that begins with everything imported: a fork of this
one. Its start is most of what a command costs otherwise, and the code that runs is the same from its main() on. Started as

    /usr/bin/python3 awscli_forks.py SOCKET

it takes commands from awscli_client.py at the socket until its standard input ends."""
import gc
import marshal
import os
import select
import signal
import socket
import sys
import threading

import awscli.clidriver
import botocore.exceptions
import botocore.loaders
import botocore.session

MODELS = ["service-2", "paginators-1", "waiters-2", "endpoint-rule-set-1"]
MODEL_NAMES = {"s3api": "s3", "ddb": "dynamodb"}  # where a command is not called like its service
LENGTH_BYTES = 4


def main(path):
    # What the CLI imports when it is made is what it needs later, and its data is read once: forks find it in memory.
    awscli.clidriver.create_clidriver()
    loader = botocore.loaders.create_loader(os.environ["AWS_DATA_PATH"])  # which the import has set
    services = set(loader.list_available_services(type_name="service-2"))
    for name in ("endpoints", "partitions", "cli"):
        loader.load_data(name)
    botocore.session.create_loader = lambda search_path=None: loader

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    print("ready", flush=True)
    while listener in select.select([listener, 0], [], [])[0]:
        connection = listener.accept()[0]
        streams, request = received(connection)
        if request:
            arguments, environment, folder = marshal.loads(request)
            arguments = [os.fsdecode(argument) for argument in arguments]
            load_models(loader, services, arguments)
            gc.freeze()  # or collections of forks would copy all of it
            if os.fork() == 0:
                listener.close()
                environment[b"AWS_DATA_PATH"] = os.environb[b"AWS_DATA_PATH"]
                serve(connection, streams, arguments, environment, folder)
        for stream in streams:
            os.close(stream)
        connection.close()
        reap()


def reap():
    """What has ended of the forks, which tell their exit code themselves."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def received(connection):
    """(standard streams of the client, its request); ([], b""): the client is gone."""
    begin, streams, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    request, rest = begin[LENGTH_BYTES:], int.from_bytes(begin[:LENGTH_BYTES], "little")
    while len(streams) == 3 and len(request) < rest:
        more = connection.recv(rest - len(request))
        if not more:
            return streams, b""
        request += more
    return streams, request


def load_models(loader, services, arguments):
    for service in {MODEL_NAMES.get(word, word) for word in arguments} & services:
        for model in MODELS:
            try:
                loader.load_service_model(service, model)
            except botocore.exceptions.DataNotFoundError:  # not every service has all of them
                pass


def serve(connection, streams, arguments, environment, folder):
    """Runs the command as if this process had been started for it, tells its exit code, and ends."""
    code = 255
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.environ.clear()
        os.environb.update(environment)
        os.chdir(folder)
        sys.argv = ["aws", *arguments]
        threading.Thread(target=end_with, args=(connection,), daemon=True).start()
        code = awscli.clidriver.main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
            connection.sendall(bytes([(code or 0) & 255]))
        finally:
            os._exit(0)


def end_with(connection):
    """A client that is killed takes its command with it."""
    connection.recv(1)
    os.kill(os.getpid(), signal.SIGKILL)


main(sys.argv[1])

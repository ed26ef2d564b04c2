"""A large object passes through the server without staying in its memory."""
import hashlib
import http.client
import pathlib
import urllib.parse

import pytest

pytestmark = pytest.mark.local

MIB = 1 << 20
SIZE_MIB = 1024
GROWTH_MAX_MIB = 64


def peak_mib(process, reset=False):
    """The most memory that the process has had since the last reset."""
    if reset:
        pathlib.Path(f"/proc/{process.pid}/clear_refs").write_text("5")
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024


def test_a_gibibyte_up_and_down(start_server):
    server = start_server()
    block = bytes(range(256)) * (MIB // 256)
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(server.endpoint).netloc, timeout=120)

    def ask(method, path, body=None, headers=None):
        connection.request(method, path, body, headers or {})
        return connection.getresponse()
    assert ask("PUT", "/large-bucket").read() == b""
    before = peak_mib(server.process, reset=True)
    answer = ask("PUT", "/large-bucket/key", (block for _ in range(SIZE_MIB)), {"Content-Length": str(SIZE_MIB * MIB)})
    assert (answer.status, answer.read()) == (200, b"")
    assert peak_mib(server.process) - before < GROWTH_MAX_MIB

    before = peak_mib(server.process, reset=True)
    answer = ask("GET", "/large-bucket/key")
    digest, size = hashlib.sha1(), 0
    while piece := answer.read(MIB):
        digest.update(piece)
        size += len(piece)
    expected = hashlib.sha1()
    for _ in range(SIZE_MIB):
        expected.update(block)
    assert (size, digest.digest()) == (SIZE_MIB * MIB, expected.digest())
    assert peak_mib(server.process) - before < GROWTH_MAX_MIB

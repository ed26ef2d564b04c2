"""HTTP/2 frame by frame, as far as tests need it (RFC 9113), for peers that no client library would be: that say how much
they take, that ask hundreds of things at once, that take nothing.
"""
import socket
import struct

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW_SIZE = 4
FRAME_BYTES_MAX = 16_384
WINDOW = 65_535  # before anybody says otherwise
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

INDEXED_STATUS = {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}  # RFC 7541, appendix A
# Appendix B: the digits.
HUFFMAN = {"00000": "0", "00001": "1", "00010": "2", "011001": "3", "011010": "4", "011011": "5", "011100": "6", "011101": "7",
           "011110": "8", "011111": "9"}


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def integer(number, prefix_bits):
    """RFC 7541, 5.1, with the bits before it zero."""
    most = (1 << prefix_bits) - 1
    if number < most:
        return bytes([number])
    encoded, number = [most], number - most
    while number >= 128:
        encoded.append(number % 128 + 128)
        number //= 128
    return bytes(encoded + [number])


def field(name, value):
    """A literal field without indexing (RFC 7541, 6.2.2)."""
    def text(string):
        return integer(len(string.encode()), 7) + string.encode()
    return b"\0" + text(name) + text(value)


def head_of(method, path, headers):
    """The block of a request's fields."""
    return b"".join(field(name, value) for name, value in [
        (":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost"),
        *((name.lower(), value) for name, value in headers.items())])


def status_of(block):
    """Of an answer's block of fields, whose first is its status."""
    while block[0] & 0xe0 == 0x20:  # a size of the table
        block = block[1:]
    if block[0] & 0x80:
        return INDEXED_STATUS[block[0] & 0x7f]
    assert block[0] in (0x08, 0x18, 0x48), block[:8]
    size, text = block[1] & 0x7f, block[2:2 + (block[1] & 0x7f)]
    if not block[1] & 0x80:
        return int(text)
    digits, code = "", ""
    for bit in "".join(f"{byte:08b}" for byte in text[:size]):
        code += bit
        if code in HUFFMAN:
            digits, code = digits + HUFFMAN[code], ""
    return int(digits)


class Answer:
    def __init__(self, room):
        self.status, self.body, self.ended, self.room = None, bytearray(), False, room


class Connection:
    """`window`: what the peer lets the server send of an answer before it has taken some of it."""

    def __init__(self, endpoint, window=WINDOW):
        host, port = endpoint[len("http://"):].split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        self.window, self.room, self.stream_room, self.next = window, WINDOW, WINDOW, 1
        self.answers = {}
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, window)) +
                            frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", (1 << 30) - WINDOW)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def ask(self, method, path, headers, body=b""):
        """(status, body) of one request."""
        answer = self.begin(method, path, {**headers, "content-length": str(len(body))}, bool(body))
        stream, sent = self.next - 2, 0
        while sent < len(body) and not answer.ended:
            size = min(len(body) - sent, self.room, answer.room, FRAME_BYTES_MAX)
            if size <= 0:
                self.receive()
                continue
            self.room -= size
            answer.room -= size
            self.socket.sendall(frame(DATA, END_STREAM if sent + size == len(body) else 0, stream, body[sent:sent + size]))
            sent += size
        return self.finish(answer)

    def ask_all(self, requests):
        """The answers to small requests that are all sent before any is looked at."""
        frames, answers = [], []
        for method, path, headers, body in requests:
            stream = self.next
            self.next += 2
            answers.append(self.answers.setdefault(stream, Answer(self.stream_room)))
            frames += [frame(HEADERS, END_HEADERS, stream, head_of(method, path, headers)), frame(DATA, END_STREAM, stream, body)]
        self.socket.sendall(b"".join(frames))
        return [self.finish(answer) for answer in answers]

    def begin(self, method, path, headers, has_body):
        stream = self.next
        self.next += 2
        self.answers[stream] = Answer(self.stream_room)
        self.socket.sendall(frame(HEADERS, END_HEADERS | (0 if has_body else END_STREAM), stream, head_of(method, path, headers)))
        return self.answers[stream]

    def finish(self, answer):
        while not answer.ended:
            self.receive()
        return answer.status, bytes(answer.body)

    def receive(self):
        """Takes one frame from the server."""
        head = self.file.read(9)
        assert len(head) == 9, "the server closed the connection"
        size, kind, flags, stream = int.from_bytes(head[:3], "big"), head[3], head[4], int.from_bytes(head[5:], "big")
        payload = self.file.read(size)
        answer = self.answers.get(stream)
        if kind == SETTINGS and not flags & ACK:
            self._take_settings(payload)
        elif kind == PING and not flags & ACK:
            self.socket.sendall(frame(PING, ACK, 0, payload))
        elif kind == GOAWAY:
            raise AssertionError(f"the server goes away: {payload[4:]!r}")
        elif kind == WINDOW_UPDATE:
            more = int.from_bytes(payload, "big")
            if stream == 0:
                self.room += more
            elif answer:
                answer.room += more
        elif answer and kind == HEADERS:
            answer.status = status_of(payload)
        elif answer and kind == DATA:
            answer.body += payload
            if payload and not flags & END_STREAM:
                self.socket.sendall(b"".join(frame(WINDOW_UPDATE, 0, at, struct.pack(">I", size)) for at in (0, stream)))
        if answer and (kind == RST_STREAM or kind in (DATA, HEADERS) and flags & END_STREAM):
            answer.ended = True

    def _take_settings(self, payload):
        for at in range(0, len(payload), 6):
            name, value = struct.unpack(">HI", payload[at:at + 6])
            if name != INITIAL_WINDOW_SIZE:
                continue
            for answer in self.answers.values():
                answer.room += value - self.stream_room
            self.stream_room = value
        self.socket.sendall(frame(SETTINGS, ACK, 0, b""))

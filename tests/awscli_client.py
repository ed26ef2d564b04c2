#!/usr/bin/python3 -IS
"""`aws` without its start: hands its arguments, environment, folder and standard streams to awscli_forks.py, whose socket is
beside the link that this is called by, and ends with the exit code that comes back. It imports only what is in Python
itself, to be quick."""
import _socket
import marshal
import posix
import sys

RIGHTS = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))

server = _socket.socket(_socket.AF_UNIX)
server.connect(sys.argv[0].rpartition("/")[0] + "/socket")
arguments = [argument.encode(sys.getfilesystemencoding(), "surrogateescape") for argument in sys.argv[1:]]
request = marshal.dumps((arguments, posix.environ, posix.getcwdb()))
server.sendmsg([len(request).to_bytes(4, "little")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, RIGHTS)])
server.sendall(request)
code = server.recv(1)
posix._exit(code[0] if code else 255)

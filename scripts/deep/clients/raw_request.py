"""Requests by the byte."""

import socket


def head(method, path, project, headers=(), token=None):
    """A request's head. `token` is the project's first if none is given; without a project there is none."""
    lines = [f"{method} {path} HTTP/1.1", "Host: a", *headers]
    if project:
        lines.append(f"Authorization: Bearer {token or project.token}")
    return "".join(line + "\r\n" for line in lines).encode() + b"\r\n"


def stalled_stream(server, token=None):
    """A socket on which a stream of the whole project was asked for, and that nobody reads."""
    stream = socket.socket()
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stream.connect(("127.0.0.1", server.port))
    stream.sendall(head("GET", server.project.path + "?since=0&stream=true", server.project, token=token))
    return stream


def streams_cut_off(server):
    """How many streams the server cut off, by its log."""
    return server.log.read_text().count("stream cut off")

"""Many connections of clients that are slow on purpose, in a process of their own."""

import multiprocessing
import socket


class SlowClients:
    """Connections that send a greeting each, then drip and read `sip` bytes once a second, as long as it is entered.

    `habits` are pairs of what is sent first and what drips; connections take them in turn. Entering returns when all
    are connected. One that the server closed is done. The source addresses differ, since one address has too few
    ports.
    """

    def __init__(self, port, count, habits=((b"", b""),), sip=4096, window=None):
        mine, self._pipe = multiprocessing.Pipe()
        self._work = multiprocessing.get_context("fork").Process(
            target=_run, args=(mine, port, count, habits, sip, window), daemon=True)

    def __enter__(self):
        self._work.start()
        failure = self._pipe.recv()
        if failure:
            raise RuntimeError(failure)
        return self

    def __exit__(self, *_):
        self._work.kill()
        self._work.join()

    def answers(self):
        """How many got which status; None for those that were told nothing."""
        self._pipe.send(None)
        return self._pipe.recv()


def held(port):
    """How many connections of slow clients the server keeps, and to how many of them it can't send on."""
    accepted = stalled = 0
    with open("/proc/net/tcp") as table:
        next(table)
        for line in table:
            _, local, remote, state, queues, _, _, _, _, inode, *_ = line.split()
            # 127.0.1.x, backwards. State 01 is established; the kernel alone has those without an inode.
            if local.endswith(f":{port:04X}") and remote[2:8] == "01007F" and state == "01" and inode != "0":
                accepted += 1
                stalled += int(queues.split(":")[0], 16) > 0
    return accepted, stalled


def _run(pipe, port, count, habits, sip, window):
    try:
        peers = [Peer(port, number, *habits[number % len(habits)], window) for number in range(count)]
    except OSError as failure:
        return pipe.send(f"no connection: {failure}")
    pipe.send(None)
    while not pipe.poll(1):
        for peer in peers:
            peer.move(sip)
    statuses = [peer.status() for peer in peers]
    pipe.send({status: statuses.count(status) for status in set(statuses)})
    pipe.recv()  # Waits to be killed: this side must not hang up.


class Peer:
    def __init__(self, port, number, greeting, drip, window):
        self._socket, self._drip = socket.socket(), drip
        if window:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        self._socket.bind((f"127.0.1.{1 + number % 200}", 0))
        self._socket.connect(("127.0.0.1", port))
        self._socket.setblocking(False)
        self._heard, self._is_open = b"", True
        if greeting:
            self._socket.send(greeting)

    def move(self, sip):
        if not self._is_open:
            return
        try:
            # By the byte, the status would take longer than the server waits.
            self._heard = self._heard or self._socket.recv(16, socket.MSG_PEEK)
            self._is_open = bool(self._socket.recv(sip))
        except BlockingIOError:
            pass
        except OSError:
            self._is_open = False
        try:
            if self._is_open and self._drip:
                self._socket.send(self._drip)
        except BlockingIOError:
            pass
        except OSError:
            self._is_open = False

    def status(self):
        words = self._heard.split()
        return int(words[1]) if len(words) > 1 and len(words[1]) == 3 else None

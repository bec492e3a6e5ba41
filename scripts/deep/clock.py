"""The wall clock a day back and a year forward, under a running server and between two."""

import datetime
import random
import socket
import time
import uuid

import account
import hostile
import tidemark
from account import Account, request
from ledger import Ledger, Writer, drain, require_equal, require_sound
from phone import Phone
from skip import require_command
from vitals import processor_seconds, require_calm_log, wait_until
from wall_clock import WallClock

DAY, YEAR, WRITERS, ROWS, LOAD_SECONDS = 86_400, 365 * 86_400, 3, 20_000, 20
STALL, IDLE = 4, 8
SETTINGS = {"TIDEMARK_HTTP_IDLE_SECONDS": IDLE, "TIDEMARK_HTTP_STALL_SECONDS": STALL,
            "TIDEMARK_SYNC_STREAM_STALL_SECONDS": STALL}


def check(part, chance):
    require_command("gcc")
    project, ledger, clock = tidemark.Project(ROWS, WRITERS + 1), Ledger(), WallClock()
    account.add(project, "alice")
    server = clock.server(project, SETTINGS)
    here, address = [server], lambda: here[0].port
    writers = [
        Writer(ledger, project, random.Random(chance.random()), address, token, pause=0.05)
        for token in project.tokens[:WRITERS]
    ]
    phone, away = (Phone(project, address, project.tokens[WRITERS]) for _ in range(2))
    for client in [*writers, phone, away]:
        client.start()
    wait_until(lambda: ledger.batches > 100, 60, "no batch was taken")
    away.end()
    seconds = max(2, LOAD_SECONDS // part)
    jumps = ("a day back", -DAY), ("a year forward", YEAR)
    seen = [Jump(server, clock).run(name, shift, seconds) for name, shift in jumps]
    for shift in (YEAR, 0):
        clock.shift(shift)
        time.sleep(0.5)  # So that no batch is sent again under another clock, which is another story.
        here[0].stop()
        here[0] = clock.server(project, SETTINGS)
        require_purged(here[0])
        time.sleep(2)
    for client in [*writers, phone]:
        client.end()
    back = Phone(project, address, project.tokens[WRITERS], away)
    back.start()
    back.end()
    rows = drain(here[0])
    require_equal(ledger.snapshot(), rows)
    ledger.require_no_fault()
    for each, told in ((phone, 0), (back, 1)):
        if each.rows != rows or each.told.get("since_expired", 0) != told:
            raise RuntimeError(f"a phone holds {len(each.rows)} of {len(rows)} rows, and was told {each.told}")
    require_sound(project.database)
    return (
        f"{'; '.join(seen)}; {ledger.batches:,} batches, none lost and none out of order; a phone that was away was "
        f"sent back to 0, one that was not was not, both hold what is there")


def require_purged(server):
    """The purge at a start a year ahead takes tombstones, and who has not heard of them is told."""
    path, token = f"{server.project.path}?since=1&page_size=1", server.project.token
    wait_until(
        lambda: request(server, "GET", path, token=token)[0] == 410, 30, "a watermark from before the purge is served")


class Jump:
    """One jump under a running server, and back."""

    def __init__(self, server, clock):
        self._server, self._clock, self._token = server, clock, server.project.token
        self._alice = Account(server, "alice")

    def run(self, name, shift, seconds):
        require(self._alice.log_in(), 200, "a login")
        require(self._alice.me(), 200, "an access token")
        batch = {"client_batch_id": str(uuid.uuid4()), "changes": {"tasks": {"created": []}}}
        require(self._upload(batch)[0], 200, "a batch")
        before = self._load(seconds)
        stalled, idle = self._stall(), socket.create_connection(("127.0.0.1", self._server.port))
        self._exhaust()
        self._clock.shift(shift)
        self._require_deadlines(stalled, idle)
        self._require_limits()
        self._require_shifted(shift)
        self._require_tokens(shift)
        status, _, headers = self._upload(batch)
        replayed = "true" if shift < 0 else None
        require((status, headers["Idempotent-Replayed"]), (200, replayed), f"a batch again, {name}")
        during = self._load(seconds)
        self._clock.shift(0)
        require(self._alice.me(), 401, f"an access token of {name}")
        require(self._refresh(), 200, f"a refresh token of {name}")
        require(self._alice.me(), 200, "the access token for it")
        if during > 2 * before + 0.1:
            raise RuntimeError(f"{name} the server takes {during:.2f} processors, before {before:.2f}")
        require_calm_log(self._server)
        return f"{name}: {before:.2f} processors before, {during:.2f} behind it"

    def _upload(self, batch):
        return request(self._server, "POST", self._server.project.path, batch, self._token)

    def _load(self, seconds):
        """Processors that the server takes."""
        begun = processor_seconds(self._server)
        time.sleep(seconds)
        return (processor_seconds(self._server) - begun) / seconds

    def _stall(self):
        """A stream that nobody reads."""
        stalled = socket.socket()
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.connect(("127.0.0.1", self._server.port))
        stalled.sendall(hostile.head("GET", self._server.project.path + "?since=0&stream=true", self._server.project))
        time.sleep(0.5)
        return stalled

    def _require_deadlines(self, stalled, idle):
        """They are kept, and none is over at once."""
        begun, cuts = time.monotonic(), self._cuts()
        idle.settimeout(3 * IDLE)
        wait_until(lambda: self._cuts() > cuts, 3 * STALL, "a stalled stream is not cut off")
        cut = time.monotonic() - begun
        if idle.recv(1) != b"" or min(cut, time.monotonic() - begun - STALL) < 1:
            raise RuntimeError("a deadline was over at once")
        stalled.close()
        idle.close()

    def _cuts(self):
        return self._server.log.read_text().count("stream cut off")

    def _exhaust(self):
        """Refreshes until there are no more."""
        while self._junk()[0] != 429:
            pass

    def _junk(self):
        return request(self._server, "POST", "/api/v1/auth/token/refresh/", {"refresh": "tmr_junk"})

    def _require_limits(self):
        self._exhaust()
        wait = int(self._junk()[2]["Retry-After"])
        if wait > 2:
            raise RuntimeError(f"a limit of 60 a minute locks out for {wait} s")
        time.sleep(wait)
        require(self._junk()[0], 401, "a refresh behind the wait")

    def _refresh(self):
        """A clock that goes back forgets what a bucket was due, so that a second may have to pass."""
        status = self._alice.refresh()
        if status == 429:
            time.sleep(1.1)
            status = self._alice.refresh()
        return status

    def _require_shifted(self, shift):
        status, token, _ = request(self._server, "POST", "/api/v1/auth/tokens/", {"name": "clock"}, self._token)
        made = datetime.datetime.fromisoformat(token["created_at"].replace("Z", "+00:00")).timestamp()
        if status != 201 or abs(made - time.time() - shift) > 5:
            raise RuntimeError("the server's clock does not jump: the check sees nothing")

    def _require_tokens(self, shift):
        """An access token asks to be refreshed, whichever way the clock went. A year ends the session as well."""
        require(self._alice.me(), 401, "an access token of another time")
        require(self._refresh(), 200 if shift < 0 else 401, "a refresh token of another time")
        if shift > 0:
            require(self._alice.log_in(), 200, "a login")
        require(self._alice.me(), 200, "the next access token")


def require(seen, right, what):
    if seen != right:
        raise RuntimeError(f"{what}: {seen}, should be {right}")

"""The wall clock a day back and a year forward, under a running server and between two."""

import datetime
import random
import socket
import time
import uuid

from deep.clients import account
from deep.clients.account import Account
from deep.clients.ledger import Ledger, live_tasks, require_equal
from deep.clients.phone import Phone
from deep.clients.raw_request import stalled_stream, streams_cut_off
from deep.clients.writer import Writer
from harness.faults.wall_clock import WallClock
from harness.process_stats import processor_seconds
from harness.requirements import require_command
from harness.sample import SampleProject
from harness.tidemark import require_sound
from harness.waiting import wait_until

DAY, YEAR, WRITERS, ROWS, LOAD_SECONDS = 86_400, 365 * 86_400, 3, 20_000, 20
STALL, IDLE = 4, 8
SETTINGS = {"TIDEMARK_HTTP_IDLE_SECONDS": IDLE, "TIDEMARK_HTTP_STALL_SECONDS": STALL,
            "TIDEMARK_SYNC_STREAM_STALL_SECONDS": STALL}


def check(part, chance):
    require_command("gcc")
    project, ledger, clock = SampleProject(ROWS, WRITERS + 1), Ledger(), WallClock()
    account.add(project, "alice")
    with clock.server(project, SETTINGS) as server:
        seen = run(server, clock, ledger, part, chance)
    require_sound(project.database)
    return (
        f"{'; '.join(seen)}; {ledger.batches:,} batches, none lost and none out of order; a phone that was away was "
        f"sent back to 0, one that was not was not, both hold what is there")


def run(server, clock, ledger, part, chance):
    tokens = server.project.tokens
    writers = [
        Writer(server, token, ledger, random.Random(chance.random()), pause=0.05) for token in tokens[:WRITERS]]
    phone, away = (Phone(server, tokens[WRITERS]) for _ in range(2))
    for client in [*writers, phone, away]:
        client.start()
    wait_until(lambda: ledger.batches > 100, 60, "no batch was taken")
    away.end()
    seconds = max(2, LOAD_SECONDS // part)
    jumps = ("a day back", -DAY), ("a year forward", YEAR)
    seen = [Jump(server, clock).run(name, shift, seconds) for name, shift in jumps]
    for shift in (YEAR, 0):
        clock.shift(shift)
        time.sleep(0.5)  # Or a batch could be sent again under another clock, which is another story.
        server.stop()
        server.start()
        require_purged(server)
        time.sleep(2)
    for client in [*writers, phone]:
        client.end()
    back = Phone(server, tokens[WRITERS], away)
    back.start()
    back.end()
    rows = live_tasks(server)
    require_equal(ledger.snapshot(), rows)
    ledger.require_no_fault()
    for each, told in ((phone, 0), (back, 1)):
        if each.rows != rows or each.told.get("since_expired", 0) != told:
            raise RuntimeError(f"a phone holds {len(each.rows)} of {len(rows)} rows, and was told {each.told}")
    return seen


def require_purged(server):
    """The purge at a start a year ahead removes tombstones. A client that has not heard of them is told."""
    client = server.connect()
    wait_until(
        lambda: client.pull("since=1&page_size=1").status == 410, 30, "a watermark from before the purge is served")


class Jump:
    """One jump under a running server, and back."""

    def __init__(self, server, clock):
        self._server, self._clock = server, clock
        self._alice = Account(server, "alice")

    def run(self, name, shift, seconds):
        require(self._alice.log_in(), 200, "a login")
        require(self._alice.me(), 200, "an access token")
        batch = {"client_batch_id": str(uuid.uuid4()), "changes": {"tasks": {"created": []}}}
        require(self._upload(batch).status, 200, "a batch")
        before = self._load(seconds)
        stalled = stalled_stream(self._server)
        time.sleep(0.5)
        idle = socket.create_connection(("127.0.0.1", self._server.port))
        self._exhaust()
        self._clock.shift(shift)
        self._require_deadlines(stalled, idle)
        self._require_limits()
        self._require_shifted(shift)
        self._require_tokens(shift)
        again = self._upload(batch)
        replayed = "true" if shift < 0 else None
        require((again.status, again.headers["Idempotent-Replayed"]), (200, replayed), f"a batch again, {name}")
        during = self._load(seconds)
        self._clock.shift(0)
        require(self._alice.me(), 401, f"an access token of {name}")
        require(self._refresh(), 200, f"a refresh token of {name}")
        require(self._alice.me(), 200, "the access token for it")
        if during > 2 * before + 0.1:
            raise RuntimeError(f"{name} the server takes {during:.2f} processors, before {before:.2f}")
        self._server.require_calm_log()
        return f"{name}: {before:.2f} processors before, {during:.2f} after it"

    def _upload(self, batch):
        return self._server.connect().request("POST", "", batch)

    def _load(self, seconds):
        """Processors that the server takes."""
        begun = processor_seconds(self._server)
        time.sleep(seconds)
        return (processor_seconds(self._server) - begun) / seconds

    def _require_deadlines(self, stalled, idle):
        """They are kept, and none is over at once."""
        begun, cuts = time.monotonic(), streams_cut_off(self._server)
        idle.settimeout(3 * IDLE)
        wait_until(lambda: streams_cut_off(self._server) > cuts, 3 * STALL, "a stalled stream is not cut off")
        cut = time.monotonic() - begun
        if idle.recv(1) != b"" or min(cut, time.monotonic() - begun - STALL) < 1:
            raise RuntimeError("a deadline was over at once")
        stalled.close()
        idle.close()

    def _exhaust(self):
        """Refreshes until there are no more."""
        while self._junk().status != 429:
            pass

    def _junk(self):
        return self._server.request("POST", "/api/v1/auth/token/refresh/", body={"refresh": "tmr_junk"})

    def _require_limits(self):
        self._exhaust()
        wait = int(self._junk().headers["Retry-After"])
        if wait > 2:
            raise RuntimeError(f"a limit of 60 a minute locks out for {wait} s")
        time.sleep(wait)
        require(self._junk().status, 401, "a refresh after the wait")

    def _refresh(self):
        """A clock that goes back forgets what a bucket was due. A second may have to pass."""
        status = self._alice.refresh()
        if status == 429:
            time.sleep(1.1)
            status = self._alice.refresh()
        return status

    def _require_shifted(self, shift):
        answer = self._server.request("POST", "/api/v1/auth/tokens/", self._server.project.token, {"name": "clock"})
        made = datetime.datetime.fromisoformat(answer.json["created_at"].replace("Z", "+00:00")).timestamp()
        if answer.status != 201 or abs(made - time.time() - shift) > 5:
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

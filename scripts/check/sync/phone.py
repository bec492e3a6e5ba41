"""A phone that keeps all projects of its user in one copy, by `GET /sync/`."""

import urllib.parse


class Phone:
    """Applies drains as docs/protocol.md asks a client to. `problems` lists the promises that were broken."""

    def __init__(self, server, token, encoding="json", page_size=1000, keeps_pages=False):
        """Without a `page_size` it streams. A phone that `keeps_pages` stores each page as it comes; any other applies
        a drain as a whole. With the encoding `watermelondb` it looks at nothing but the three buckets."""
        self.server, self.token, self.encoding = server, token, encoding
        self.page_size, self.keeps_pages = page_size, keeps_pages
        self.rows, self.since, self.problems, self.resyncs = {}, 0, [], 0
        # The projects of which it had rows when it adopted `since`.
        self._held = set()

    def __repr__(self):
        form = f"pages of {self.page_size}" if self.page_size else "streams"
        return f"{self.encoding}, {form}, {'page by page' if self.keeps_pages else 'as a whole'}"

    def sync(self, between=None):
        """One drain. `between` is called before each page but the first."""
        for _ in range(200):
            if self._drain(between):
                return
            # Another restart must come from something that happened; it can't come from nothing.
            between = None
        self.problems.append("the drain does not end")

    def _drain(self, between):
        """Returns whether the drain came to its end."""
        drain, cursor = _Drain(), None
        while True:
            if cursor and between:
                between()
            answer = self._ask(cursor)
            if answer.status != 200:
                return self._refused(answer, cursor)
            page = answer.json
            self._take(page, drain)
            cursor = page["next_cursor"]
            if not cursor:
                return self._finish(page, drain)

    def _ask(self, cursor):
        query = {"since": self.since, "encoding": self.encoding}
        query |= {"page_size": self.page_size} if self.page_size else {"stream": "true"}
        query |= {"cursor": cursor} if cursor else {}
        return self.server.get("/api/v1/sync/?" + urllib.parse.urlencode(query), self.token)

    def _refused(self, answer, cursor):
        code = answer.json["code"]
        if code == "invalid_cursor" and cursor:
            if self.keeps_pages and self.since:
                self.rows = {key: row for key, row in self.rows.items() if row["project_id"] in self._held}
        elif code in ("since_ahead", "since_expired") and self.since:
            self.since, self._held = 0, set()
            self.resyncs += 1
        else:
            raise RuntimeError(f"a pull: {answer}")
        return False

    def _take(self, page, drain):
        if drain.timestamp not in (None, page["timestamp"]) or page["timestamp"] < self.since:
            self.problems.append(f"timestamp {page['timestamp']} after {drain.timestamp}, since {self.since}")
        drain.timestamp = page["timestamp"]
        drain.left |= {entry["project_id"] for entry in page.get("left_projects", ())}
        drain.replaced |= set(page.get("replaced", ()))
        for name, buckets in page["changes"].items():
            for row in buckets["created"] + buckets["updated"]:
                self._see(drain, (name, row["id"]))
                (self.rows if self.keeps_pages else drain.live)[name, row["id"]] = row
            for id in buckets["deleted"]:
                self._see(drain, (name, id))
                self._drop((name, id), drain)

    def _see(self, drain, key):
        if key in drain.seen:
            self.problems.append(f"{key} comes twice in one drain")
        drain.seen.add(key)

    def _drop(self, key, drain):
        # If the drain has to begin again, the user may be a member again. Then only changes come.
        if self.keeps_pages and self.rows.get(key, {}).get("project_id") not in drain.left:
            self.rows.pop(key, None)
        else:
            drain.gone.add(key)

    def _finish(self, page, drain):
        self.rows |= drain.live
        for key in drain.gone:
            self.rows.pop(key, None)
        dropped = drain.replaced | drain.left if self.encoding == "json" else set()
        self.rows = {
            key: row
            for key, row in self.rows.items()
            if key in drain.seen or (self.since and row["project_id"] not in dropped)
        }
        self.since, self._held = drain.timestamp, {row["project_id"] for row in self.rows.values()}
        return True


class _Drain:
    def __init__(self):
        self.timestamp, self.seen, self.live, self.gone = None, set(), {}, set()
        self.left, self.replaced = set(), set()

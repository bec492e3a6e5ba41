"""A drain as a client does it, with the contract's promises checked on the way."""


class Drain:
    """All pages from one `since` on; `problems` lists what breaks the contract."""

    def __init__(self, server, project, token, since=0, page_size=None, between=None):
        self.rows, self.deleted, self.problems, self.pages, self.timestamp = {}, {}, [], 0, None
        self.seen, cursor = set(), None
        while self.pages < 20_000:
            if self.pages and between:
                between(self)
            query = f"since={since}" + (f"&page_size={page_size}" if page_size else "")
            answer = server.sync(project, token, query + (f"&cursor={cursor}" if cursor else ""))
            if answer.status != 200:
                raise RuntimeError(f"page {self.pages + 1}: {answer}")
            self._add(answer.json, page_size)
            cursor = answer.json["next_cursor"]
            if cursor is None:
                return
        self.problems.append("the drain does not end")

    def _add(self, page, page_size):
        self.pages += 1
        buckets = page["changes"].items()
        rows = [(name, row["id"], row) for name, bucket in buckets for row in bucket["created"] + bucket["updated"]]
        gone = [(name, id, None) for name, bucket in buckets for id in bucket["deleted"]]
        self._require(page["has_more"] == (page["next_cursor"] is not None), "has_more contradicts next_cursor")
        self._require(
            self.timestamp in (None, page["timestamp"]), f"timestamp {self.timestamp}, then {page['timestamp']}"
        )
        self._require(len(rows) + len(gone) <= (page_size or 1000), f"a page of {len(rows) + len(gone)} rows")
        self.timestamp = page["timestamp"]
        for name, id, row in rows + gone:
            self._require((name, id) not in self.seen, f"{name} {id} occurs twice")
            self.seen.add((name, id))
            self.rows.setdefault(name, {}).update({id: row} if row else {})
            self.deleted.setdefault(name, set()).update(() if row else {id})

    def _require(self, ok, problem):
        if not ok:
            self.problems.append(f"page {self.pages}: {problem}")

    def tasks(self):
        return self.rows.get("tasks", {})

    def live(self):
        """The rows by collection, without empty collections."""
        return {name: rows for name, rows in self.rows.items() if rows}

    def apply_to(self, replica):
        """Does what a client does with a delta."""
        for name, rows in self.rows.items():
            replica.setdefault(name, {}).update(rows)
        for name, ids in self.deleted.items():
            for id in ids:
                replica.setdefault(name, {}).pop(id, None)

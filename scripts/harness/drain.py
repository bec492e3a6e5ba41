"""A drain as a client makes it, with the protocol's promises checked on the way."""


def pages(ask, next_cursor=lambda answer: answer.json["next_cursor"]):
    """The answers of one drain. `ask` gets the cursor, None for the first page; `next_cursor` finds it in an answer."""
    cursor = None
    while True:
        answer = ask(cursor)
        yield answer
        cursor = next_cursor(answer)
        if not cursor:
            return


class Drain:
    """All pages from one `since` on; `problems` lists the promises that were broken."""

    def __init__(self, project, since=0, page_size=None, between=None, collections=None):
        """`between` is called with the drain before each page but the first."""
        self.rows, self.deleted, self.problems, self.pages, self.timestamp = {}, {}, [], 0, None
        # (collection, id) of every row and tombstone.
        self.seen = set()
        self._page_size, self._between = page_size or 1000, between
        query = f"since={since}" + (f"&page_size={page_size}" if page_size else "")
        query += f"&collections={collections}" if collections else ""
        for answer in pages(lambda cursor: self._ask(project, query, cursor)):
            self._add(answer.json)
            if self.pages == 20_000:
                return self.problems.append("the drain does not end")

    def _ask(self, project, query, cursor):
        if self.pages and self._between:
            self._between(self)
        answer = project.pull(query + (f"&cursor={cursor}" if cursor else ""))
        if answer.status != 200:
            raise RuntimeError(f"page {self.pages + 1}: {answer}")
        return answer

    def _add(self, page):
        self.pages += 1
        buckets = page["changes"].items()
        rows = [(name, row["id"], row) for name, bucket in buckets for row in bucket["created"] + bucket["updated"]]
        gone = [(name, id, None) for name, bucket in buckets for id in bucket["deleted"]]
        self._require(page["has_more"] == (page["next_cursor"] is not None), "has_more contradicts next_cursor")
        self._require(
            self.timestamp in (None, page["timestamp"]), f"timestamp {self.timestamp}, then {page['timestamp']}")
        self._require(len(rows) + len(gone) <= self._page_size, f"a page of {len(rows) + len(gone)} rows")
        self.timestamp = page["timestamp"]
        for name, id, row in rows + gone:
            self._require((name, id) not in self.seen, f"{name} {id} occurs twice")
            self.seen.add((name, id))
            self.rows.setdefault(name, {}).update({id: row} if row else {})
            self.deleted.setdefault(name, set()).update(() if row else {id})

    def _require(self, ok, problem):
        if not ok:
            self.problems.append(f"page {self.pages}: {problem}")

    def require_no_problem(self):
        if self.problems:
            raise RuntimeError(f"{len(self.problems)} problems of a drain, first: {self.problems[0]}")
        return self

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

"""Copies that are read page by page, and the rule by which they count."""

from consistency.network import UNKNOWN

ROUNDS_OF_PAGES = 3
# After these, what the copy holds is void.
LOST = {"since_ahead", "since_expired", "membership_revoked", "project_deleted", "not_a_member"}


class PageCopy:
    """A copy of one project or of all projects of a user.

    Pages are kept beside the rows, and applied once a drain counts: if the head at its last page is its `timestamp`;
    without that header, if it was one page without a cursor. After three drains that did not count, everything is
    asked for in one answer. `die` loses only what the process had in memory.
    """

    def __init__(self, network, path, form, collections, plant=None):
        self._network, self._path, self._form, self._plant = network, path, form, plant
        self._collections = collections
        # The settled state: rows by id, each with its project; the heads of its projects; the number.
        self.rows, self.heads, self.settled = {}, {}, None
        self._begin_anew()
        self._first_head = None
        # When the drain was asked for.
        self.asked = None
        self._pages_of_process = 0

    def page(self, now):
        """Asks for the next page. Whether the copy has settled with it; None if there was no answer."""
        is_stream = self._rounds >= ROUNDS_OF_PAGES and self._cursor is None
        answer = self._network.pull(self._query(is_stream))
        if answer is not None and answer.status == 503 and is_stream:
            answer = self._network.pull(self._query(False))
        if answer is None or answer.status in UNKNOWN:
            return None
        if answer.status != 200:
            return self._refused(answer)
        return self._take(answer, now)

    def die(self):
        """The device is killed. All but the count of pages is in its file."""
        self._pages_of_process = 0

    def move(self, now):
        """Another process pulls into the same file. What is kept beside it goes."""
        plant = "rule-off" if self._plant == "rule-off" else None
        other = PageCopy(self._network, self._path, self._form, self._collections, plant)
        other._rounds = ROUNDS_OF_PAGES
        other.rows, other.heads, other.watermark = self.rows.copy(), self.heads.copy(), self.settled or 0
        if self.settled is None or not other.page(now):
            return False
        kept = [drain for drain in self._drains if drain.is_done] if self._plant == "kept-outlive" else []
        self.rows, self.heads, self.settled, self.asked = other.rows, other.heads, other.settled, now
        self._drains, self.watermark, self._cursor, self._rounds = kept, other.watermark, None, 0
        return True

    def _query(self, is_stream):
        query = f"{self._path}?since={self.watermark}&collections={','.join(self._collections)}"
        if is_stream:
            return query + "&stream=true"
        return f"{query}&page_size={self._form.page_size}" + (f"&cursor={self._cursor}" if self._cursor else "")

    def _refused(self, answer):
        code = answer.json["code"]
        if code == "invalid_cursor":
            self._drains, self._cursor = [drain for drain in self._drains if drain.is_done], None
        elif code in LOST:
            self.void()
        else:
            raise AssertionError(f"a pull was refused: {answer}")
        return False

    def void(self):
        """The server has another history, or the user has lost the project."""
        self.rows, self.heads, self.settled = {}, {}, None
        self._begin_anew()

    def clear_watermark(self):
        """A planted mistake: the copy is read anew in place, as for the first time, but still says that it is
        settled."""
        self._drains, self.watermark, self._cursor = [], 0, None

    def _begin_anew(self):
        # What is kept beside the rows: pages by drain, and the watermark that they lead to.
        self._drains, self.watermark, self._cursor, self._rounds = [], 0, None, 0

    def _take(self, answer, now):
        is_first = self._cursor is None
        self._pages_of_process = 1 if is_first else self._pages_of_process + 1
        if is_first:
            self._drains = [drain for drain in self._drains if drain.is_done] + [Drain(self.watermark == 0)]
            self._first_head, self.asked = answer.head, now
        page = answer.json
        self._drains[-1].pages.append(page)
        self._cursor = page["next_cursor"]
        if self._cursor is not None:
            return self._is_read_in_place()
        self._drains[-1].is_done = True
        self.watermark = page["timestamp"]
        self._rounds += 1
        if not self._counts(answer.head, page["timestamp"], is_first):
            return False
        self._settle()
        return True

    def _is_read_in_place(self):
        """Whether rows of a drain that has not ended are there."""
        if self._plant != "cleared-watermark" or self.settled is None or self.watermark != 0:
            return False
        self.rows = {}
        self._drains[-1].apply(self.rows, {})
        return True

    def _counts(self, head, timestamp, is_whole):
        if self._plant == "rule-off":
            return True
        if self._plant == "first-head":
            head = self._first_head
        if head is not None:
            return head == timestamp
        return self._pages_of_process == 1 if self._plant == "resumed" else is_whole

    def _settle(self):
        for drain in self._drains:
            if drain.is_from_zero:
                self.rows, self.heads = {}, {}
            drain.apply(self.rows, self.heads)
        self._drains, self._rounds, self.settled = [], 0, self.watermark


class Drain:
    """The pages of one drain."""

    def __init__(self, is_from_zero):
        self.is_from_zero, self.is_done, self.pages = is_from_zero, False, []

    def apply(self, rows, heads):
        named = set()
        for page in self.pages:
            for changes in page["changes"].values():
                for row in changes["created"] + changes["updated"]:
                    rows[row["id"]] = row
                    named.add(row["id"])
                for id in changes["deleted"]:
                    rows.pop(id, None)
            heads.update(page.get("heads") or {})
        left = {each["project_id"] for page in self.pages for each in page.get("left_projects") or []}
        replaced = {project for page in self.pages for project in page.get("replaced") or []}
        for id in [id for id, row in rows.items() if row.get("project_id") in left | replaced and id not in named]:
            del rows[id]
        for project in left:
            heads.pop(project, None)

"""An independent reading of Microsoft Project XML, to hold imports against."""

import math
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter

TYPES = {"0": "FF", "1": "FS", "2": "SF", "3": "SS"}
ELAPSED = {4, 6, 8, 10, 12, 20, 36, 38, 40, 42, 44, 52}
PERCENT = {19, 20, 51, 52}


class Plan:
    """The tasks by path of names, from the top of the outline down, and the links between such paths."""

    def __init__(self, file):
        root = ElementTree.parse(file).getroot()
        self.minutes = float(_text(root, "MinutesPerDay", "480"))
        elements = [
            task for task in root.findall("{*}Tasks/{*}Task") if _text(task, "IsNull", "0") not in ("1", "true")
        ]
        self.elements = [
            task for task in elements if (_text(task, "UID"), _text(task, "OutlineLevel", "1")) != ("0", "0")
        ]
        # Converting these is a matter of taste, so they are not compared.
        self.compares_durations = not any(self._format(task, "DurationFormat") & ELAPSED for task in self.elements)
        links = [link for task in self.elements for link in task.findall("{*}PredecessorLink")]
        self.compares_lags = not any(self._format(link, "LagFormat") & (ELAPSED | PERCENT) for link in links)
        self.paths = self._paths()
        self.tasks = Counter(self._task(task) for task in self.elements)
        self.links = {uids: link for task in self.elements for uids, link in self._links(task)}

    @staticmethod
    def _format(element, name):
        return {int(_text(element, name, "7"))}

    def _paths(self):
        paths, above = {}, []
        for task in self.elements:
            level = int(_text(task, "OutlineLevel", "1"))
            above = [entry for entry in above if entry[0] < level]
            above.append((level, _text(task, "Name")))
            paths[_text(task, "UID")] = tuple(name for _, name in above)
        return paths

    def _task(self, task):
        milestone = _text(task, "Milestone", "0") in ("1", "true")
        start = _text(task, "Start")[:10]
        return (
            self.paths[_text(task, "UID")],
            self._days(task, milestone),
            float(_text(task, "PercentComplete", "0")),
            milestone,
            start if re.fullmatch(r"\d{4}-\d\d-\d\d", start) else None,
            _text(task, "Notes"),
        )

    def _days(self, task, milestone):
        found = re.fullmatch(r"PT(\d+)H(\d+)M(\d+)S", _text(task, "Duration"))
        if not self.compares_durations:
            return None
        if not found:
            return 0 if milestone else 1
        hours, minutes, seconds = map(int, found.groups())
        days = (hours * 60 + minutes + seconds / 60) / self.minutes
        return max(1, math.floor(days + 0.5)) if days else 0

    def _links(self, task):
        """By (predecessor's UID, successor's UID, type): the same link twice counts once."""
        successor = _text(task, "UID")
        for link in task.findall("{*}PredecessorLink"):
            predecessor, kind = _text(link, "PredecessorUID"), TYPES[_text(link, "Type", "1")]
            lag = int(_text(link, "LinkLag", "0")) / 10 / self.minutes
            days = int(math.copysign(math.floor(abs(lag) + 0.5), lag)) if self.compares_lags else None
            if predecessor in self.paths and predecessor != successor:
                yield (predecessor, successor, kind), (self.paths[predecessor], self.paths[successor], kind, days)

    def expected_links(self, not_imported):
        """The links but for those that the import listed as left out."""
        listed = {match.groups() for line in not_imported if (match := re.match(r"link (\d+) -> (\d+)", line))}
        return Counter(link for uids, link in self.links.items() if uids[:2] not in listed)

    def pulled(self, rows):
        """The tasks and links of a drain in the same form."""
        tasks, paths = rows.get("tasks", {}), {}

        def path(id):
            row = tasks[id]
            if id not in paths:
                paths[id] = (path(row["parent"]) if row["parent"] else ()) + (row["name"],)
            return paths[id]

        return (
            Counter(
                (
                    path(row["id"]),
                    row["duration"] if self.compares_durations else None,
                    row["percent_complete"],
                    row["is_milestone"],
                    row["planned_start"],
                    row["notes"].strip(),
                )
                for row in tasks.values()
            ),
            Counter(
                (
                    path(row["predecessor"]),
                    path(row["successor"]),
                    row["dep_type"],
                    row["lag"] if self.compares_lags else None,
                )
                for row in rows.get("dependencies", {}).values()
            ),
        )


def _text(element, name, default=""):
    return (element.findtext("{*}" + name) or default).strip()


def write_small_plan(path):
    """Three levels, a milestone, text that needs escaping, all link types, lags with both signs."""
    # None between a task and one below it: an import leaves those out.
    links = {4: [(3, 3, -9600), (3, 0, 0)], 5: [(2, 1, 4800)], 6: [(4, 2, 0)], 7: [(6, 1, 0), (3, 1, 2400)]}
    names = ["Räumen & <planen>", "Phase “A”", "Schritt", "Schritt 🙂", "Phase B", "Schritt", "Ziel"]
    levels = [1, 2, 3, 3, 2, 3, 3]
    root = ElementTree.Element("Project", xmlns="http://schemas.microsoft.com/project")
    _add(root, Name="Small plan", StartDate="2026-02-02T08:00:00", MinutesPerDay="480")
    tasks = ElementTree.SubElement(root, "Tasks")
    _add(ElementTree.SubElement(tasks, "Task"), UID="0", Name="Small plan", OutlineLevel="0")
    for uid, (name, level) in enumerate(zip(names, levels), start=1):
        task = ElementTree.SubElement(tasks, "Task")
        _add(
            task,
            UID=uid,
            ID=uid,
            Name=name,
            OutlineLevel=level,
            Start=f"2026-02-{uid + 1:02}T08:00:00",
            Duration=f"PT{0 if uid == 7 else uid * 8 + 3}H0M0S",
            DurationFormat="7",
            Milestone=int(uid == 7),
            PercentComplete=uid * 10,
            Notes=f"Zeile 1 <b>&amp;\nZeile {uid}",
        )
        for predecessor, kind, lag in links.get(uid, []):
            _add(
                ElementTree.SubElement(task, "PredecessorLink"),
                PredecessorUID=predecessor,
                Type=kind,
                LinkLag=lag,
                LagFormat="7",
            )
    ElementTree.ElementTree(root).write(path, encoding="UTF-8", xml_declaration=True)
    return path


def write_large_plan(path, tasks, is_chain):
    """One level, each task linked to the one before, or all to the first."""
    root = ElementTree.Element("Project", xmlns="http://schemas.microsoft.com/project")
    _add(root, Name="Large plan", StartDate="2026-02-02T08:00:00")
    section = ElementTree.SubElement(root, "Tasks")
    for uid in range(1, tasks + 1):
        task = ElementTree.SubElement(section, "Task")
        _add(task, UID=uid, Name=f"Task {uid}", OutlineLevel=1, Duration="PT8H0M0S", DurationFormat="7")
        if uid > 1:
            _add(ElementTree.SubElement(task, "PredecessorLink"), PredecessorUID=uid - 1 if is_chain else 1, Type=1)
    ElementTree.ElementTree(root).write(path, encoding="UTF-8", xml_declaration=True)
    return path


def _add(element, **fields):
    for name, value in fields.items():
        ElementTree.SubElement(element, name).text = str(value)

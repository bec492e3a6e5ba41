"""What mpxj, a reader of project plans that is not ours, reads in a file: printed as JSON.

Runs in an environment of its own, which has mpxj and jpype1; see `interchange`.
"""

import json
import sys

import jpype
import mpxj  # noqa: F401  (puts its jars on the class path)

jpype.startJVM()

from org.mpxj import TimeUnit  # noqa: E402
from org.mpxj.reader import UniversalProjectReader  # noqa: E402


def main(path):
    project = UniversalProjectReader().read(path)
    settings = project.getProjectProperties()

    def days(duration):
        if duration is None:
            return None
        return round(float(duration.convertUnits(TimeUnit.DAYS, settings).getDuration()), 6)

    tasks = [task for task in project.getTasks() if int(task.getUniqueID()) != 0]
    print(
        json.dumps(
            {
                "title": text(settings.getProjectTitle()),
                "start": day(settings.getStartDate()),
                "minutes_per_day": int(settings.getMinutesPerDay()),
                "tasks": [
                    {
                        "uid": int(task.getUniqueID()),
                        "parent": parent(task),
                        "level": int(task.getOutlineLevel()),
                        "name": text(task.getName()),
                        "notes": text(task.getNotes()),
                        "wbs": text(task.getWBS()),
                        "days": days(task.getDuration()),
                        "percent": float(task.getPercentageComplete() or 0),
                        "milestone": bool(task.getMilestone()),
                        "active": bool(task.getActive()),
                        "start": day(task.getStart()),
                        "link": text(task.getHyperlinkAddress()),
                    }
                    for task in tasks
                ],
                "links": [
                    [
                        int(link.getPredecessorTask().getUniqueID()),
                        int(task.getUniqueID()),
                        str(link.getType()),
                        days(link.getLag()),
                    ]
                    for task in tasks
                    for link in task.getPredecessors()
                ],
                "calendars": [calendar(each) for each in project.getCalendars()],
                "resources": [text(each.getName()) for each in project.getResources() if each.getName()],
                "assignments": [
                    [int(each.getTask().getUniqueID()), text(each.getResource().getName())]
                    for each in project.getResourceAssignments()
                    if each.getResource() is not None
                ],
            }
        )
    )


def parent(task):
    above = task.getParentTask()
    return None if above is None or int(above.getUniqueID()) == 0 else int(above.getUniqueID())


def calendar(each):
    from java.time import DayOfWeek

    return {
        "name": text(each.getName()),
        "working": [bool(each.isWorkingDay(weekday)) for weekday in DayOfWeek.values()],
        "exceptions": [
            [str(one.getFromDate()), str(one.getToDate()), text(one.getName()), bool(one.getWorking())]
            for one in each.getCalendarExceptions()
        ],
    }


def text(value):
    return "" if value is None else str(value)


def day(moment):
    return None if moment is None else str(moment)[:10]


main(sys.argv[1])

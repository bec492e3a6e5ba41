import SyncProtocol
import Testing

@testable import MSPDI

/// The elements are in the order of Microsoft's schema of 2007, because readers that validate ask for it.
@Suite struct PlanSchemaTests {
    /// The elements that are written, for each sequence of mspdi_pj12.xsd, by path; also `Active` and `Manual`, which
    /// were added in 2010.
    /// https://learn.microsoft.com/office-project/xml-data-interchange/task-elements-and-xml-structure
    private static let order: [String: [String]] = [
        "Project": [
            "SaveVersion", "Name", "Title", "ScheduleFromStart", "StartDate", "CalendarUID", "DefaultStartTime",
            "DefaultFinishTime", "MinutesPerDay", "MinutesPerWeek", "DaysPerMonth", "DefaultTaskType",
            "DurationFormat", "HonorConstraints", "NewTasksEffortDriven", "WeekStartDay", "ExtendedAttributes",
            "Calendars", "Tasks",
            "Resources", "Assignments",
        ],
        "ExtendedAttributes": ["ExtendedAttribute"],
        "ExtendedAttributes/ExtendedAttribute": ["FieldID", "FieldName", "Alias"],
        "Calendars": ["Calendar"],
        "Calendar": ["UID", "Name", "IsBaseCalendar", "BaseCalendarUID", "WeekDays", "Exceptions"],
        "WeekDays": ["WeekDay"],
        "WeekDay": ["DayType", "DayWorking", "WorkingTimes"],
        "WorkingTimes": ["WorkingTime"],
        "WorkingTime": ["FromTime", "ToTime"],
        "Exceptions": ["Exception"],
        "Exception": ["EnteredByOccurrences", "TimePeriod", "Occurrences", "Name", "Type", "DayWorking"],
        "TimePeriod": ["FromDate", "ToDate"],
        "Tasks": ["Task"],
        "Task": [
            "UID", "ID", "Name", "Active", "Manual", "Type", "IsNull", "WBS", "OutlineNumber", "OutlineLevel", "Start",
            "Finish", "Duration", "DurationFormat", "EffortDriven", "Recurring", "Estimated", "Milestone", "Summary",
            "Critical", "EarlyStart", "EarlyFinish", "LateStart", "LateFinish", "FreeSlack", "TotalSlack",
            "PercentComplete", "ActualStart", "ActualFinish", "ConstraintType", "ConstraintDate", "Hyperlink",
            "HyperlinkAddress", "Notes", "PredecessorLink", "ExtendedAttribute",
        ],
        "PredecessorLink": ["PredecessorUID", "Type", "CrossProject", "LinkLag", "LagFormat"],
        "Task/ExtendedAttribute": ["FieldID", "Value", "DurationFormat"],
        "Resources": ["Resource"],
        "Resource": ["UID", "ID", "Name", "Type", "IsNull", "NTAccount", "EmailAddress", "MaxUnits"],
        "Assignments": ["Assignment"],
        "Assignment": ["UID", "TaskUID", "ResourceUID", "Units"],
    ]

    private func faults(_ element: WrittenDocument.Element, below parent: String) -> [String] {
        guard !element.children.isEmpty else { return [] }
        guard let order = Self.order["\(parent)/\(element.name)"] ?? Self.order[element.name] else {
            return ["\(element.name) has content"]
        }
        let places = element.children.map { order.firstIndex(of: $0.name) ?? -1 }
        let own =
            places.contains(-1) || places != places.sorted() ? ["\(element.name): \(element.children.map(\.name))"] : []
        return own + element.children.flatMap { faults($0, below: element.name) }
    }

    @Test(arguments: PlanRoundTripTests.documents.keys.sorted()) func elementsStandInTheOrderOfTheSchema(
        name: String
    ) throws {
        let plan = try PlanFixture.read(PlanFixture.document(PlanRoundTripTests.documents[name] ?? ""))
        let written = PlanWriter(rows: plan.rows, users: PlanFixture.users).write()
        let document = WrittenDocument(written.text)
        #expect(document.root.name == "Project")
        #expect(faults(document.root, below: "") == [])
    }

    @Test(arguments: 1...60) func soTheyDoInARandomPlan(seed: Int) throws {
        var random = RandomPlan(seed: UInt64(seed))
        let plan = try PlanFixture.read(random.document())
        let written = PlanWriter(rows: plan.rows, users: PlanFixture.users).write()
        #expect(faults(WrittenDocument(written.text).root, below: "") == [], "seed \(seed)")
    }
}

import SyncProtocol
import SyncSchema

/// A project always has a calendar: what a duration in days means depends on it.
struct ProjectCalendar: RowRule {
    func check(_ row: RuleSubject) throws {
        guard row["calendar"].isNull else { return }
        throw FieldProblem("calendar", .required, "A project has a calendar. Give another's id instead of null.")
    }
}

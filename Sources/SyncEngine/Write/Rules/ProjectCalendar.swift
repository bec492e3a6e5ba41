import SyncProtocol
import SyncSchema

/// A project always has a calendar, because the meaning of a duration in days depends on it.
struct ProjectCalendar: RowRule {
    func check(_ row: RuleSubject) throws {
        guard row["calendar"].isNull else { return }
        throw Violation("calendar", .required, "A project must have a calendar: send an id, not null.")
    }
}

import SyncProtocol
import SyncSchema

/// What each frequency and end of a recurrence needs.
struct RecurrencePattern: RowRule {
    func check(_ row: RuleSubject) throws {
        if row["frequency"] == "WEEKLY", row["weekdays"] == 0 {
            throw Violation("weekdays", .inconsistent, "A WEEKLY rule needs at least one weekday.")
        }
        if row["frequency"] == "MONTHLY", row["day_of_month"].isNull {
            throw Violation("day_of_month", .inconsistent, "A MONTHLY rule needs day_of_month.")
        }
        if row["end_type"] == "ON_DATE", row["end_date"].isNull {
            throw Violation("end_date", .inconsistent, "end_type ON_DATE needs end_date.")
        }
        if row["end_type"] == "AFTER_N", row["end_count"].isNull {
            throw Violation("end_count", .inconsistent, "end_type AFTER_N needs end_count.")
        }
    }
}

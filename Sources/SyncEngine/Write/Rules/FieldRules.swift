import SyncProtocol
import SyncSchema

/// Optimistic <= most likely <= pessimistic, where all three are set.
struct OrderedEstimates: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let low = row["optimistic_duration"].int, let likely = row["most_likely_duration"].int,
            let high = row["pessimistic_duration"].int, !(low <= likely && likely <= high)
        else { return }
        throw FieldProblem(
            "most_likely_duration", .inconsistent,
            "optimistic_duration <= most_likely_duration <= pessimistic_duration must hold, not \(low), \(likely), \(high)."
        )
    }
}

/// A sprint ends after it starts.
struct SprintDates: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let start = row["start_date"].string, let finish = row["finish_date"].string, finish <= start else {
            return
        }
        throw FieldProblem("finish_date", .inconsistent, "finish_date \(finish) must be after start_date \(start).")
    }
}

/// What each frequency and end of a recurrence needs.
struct RecurrencePattern: RowRule {
    func check(_ row: RuleSubject) throws {
        if row["frequency"] == "WEEKLY", row["weekdays"] == 0 {
            throw FieldProblem("weekdays", .inconsistent, "A WEEKLY rule needs at least one weekday.")
        }
        if row["frequency"] == "MONTHLY", row["day_of_month"].isNull {
            throw FieldProblem("day_of_month", .inconsistent, "A MONTHLY rule needs day_of_month.")
        }
        if row["end_type"] == "ON_DATE", row["end_date"].isNull {
            throw FieldProblem("end_date", .inconsistent, "end_type ON_DATE needs end_date.")
        }
        if row["end_type"] == "AFTER_N", row["end_count"].isNull {
            throw FieldProblem("end_count", .inconsistent, "end_type AFTER_N needs end_count.")
        }
    }
}

/// A project always has a calendar: what a duration in days means depends on it.
struct ProjectCalendar: RowRule {
    func check(_ row: RuleSubject) throws {
        guard row["calendar"].isNull else { return }
        throw FieldProblem("calendar", .required, "A project has a calendar. Give another's id instead of null.")
    }
}

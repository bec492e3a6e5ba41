import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

extension RuleName {
    /// What judges rows by the rule.
    var rule: any RowRule {
        switch self {
        case .acyclicDependencies: AcyclicDependencies()
        case .grantedRoles: GrantedRoles()
        case .knownUser: KnownUser()
        case .lastOwner: LastOwner()
        case .oneSubject: OneSubject()
        case .orderedEstimates: OrderedEstimates()
        case .projectCalendar: ProjectCalendar()
        case .recurrencePattern: RecurrencePattern()
        case .sprintDates: SprintDates()
        case .suggestionStates: SuggestionStates()
        }
    }
}

/// A rule about several fields or rows that a schema can't express. A collection names its rules in `x-rules`. A rule
/// throws a `Violation`, so a batch can leave the row out.
protocol RowRule: Sendable {
    /// Judges the final state of a row that a write inserted or changed.
    func check(_ row: RuleSubject) throws
    /// Judges the delete of a row that the caller named, not one that a cascade took along, by what is left.
    func checkDelete(_ row: RuleSubject) throws
}

extension RowRule {
    func check(_ row: RuleSubject) throws {}
    func checkDelete(_ row: RuleSubject) throws {}
}

/// A row and the caller who changes it, as rules see them.
struct RuleSubject {
    let record: StoredRow
    let collection: Collection
    let draft: Draft

    subscript(field: String) -> JSON { value(field, of: record) }

    /// The row before the draft; nil for a new one.
    var original: StoredRow? { draft.entries[RowKey(collection.name, record.id)]?.original }

    /// The field's value before the draft; nil for a new row.
    func original(_ field: String) -> JSON? { original.map { value(field, of: $0) } }

    /// What the caller may do; nil for the server's own writes.
    var access: ProjectAccess? { draft.access }

    private func value(_ field: String, of record: StoredRow) -> JSON {
        collection.position(field).map { record.values[$0] } ?? .null
    }
}

/// Owners give and take every role. Others give roles below their own to members below themselves. Anyone may leave.
struct GrantedRoles: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let access = row.access, access.role < .owner, row.original("role") != row["role"] else { return }
        let roles = [row["role"], row.original("role") ?? .null].compactMap(\.int)
        guard roles.allSatisfy({ $0 < access.role.rawValue }) else {
            throw Violation(
                "role", .fieldForbidden,
                detail: "With the role \(access.role.word) you can only give and take roles below it.")
        }
    }

    func checkDelete(_ row: RuleSubject) throws {
        guard let access = row.access, access.role < .owner, row["user"] != .int(access.caller.userID) else { return }
        throw Violation(
            nil, .forbidden, detail: "Removing somebody else needs the role OWNER; yours is \(access.role.word).")
    }
}

/// A membership belongs to an account that can log in, and never moves to another account.
struct KnownUser: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let id = row["user"].int else { return }
        if let before = row.original("user") {
            guard before == row["user"] else {
                throw Violation(
                    "user", .readOnlyField,
                    detail: "A membership keeps its user. Delete it and create one for the other user.")
            }
            return
        }
        guard let user = try row.draft.reads.user(id: id), !user.isDisabled else {
            throw Violation("user", .unknownUser, detail: "There is no user \(id), or the account is disabled.")
        }
    }
}

/// A project keeps at least one owner.
struct LastOwner: RowRule {
    private static let owner = JSON.int(Int64(Role.owner.rawValue))

    func check(_ row: RuleSubject) throws {
        guard row.original("role") == LastOwner.owner, row["role"] != LastOwner.owner else { return }
        try requireAnother(than: row)
    }

    func checkDelete(_ row: RuleSubject) throws {
        guard row["role"] == LastOwner.owner else { return }
        try requireAnother(than: row)
    }

    private func requireAnother(than row: RuleSubject) throws {
        guard let role = row.collection.position("role") else { return }
        let others = try row.draft.liveRecords(in: row.collection).filter { $0.id != row.record.id }
        guard others.contains(where: { $0.values[role] == LastOwner.owner }) else {
            throw Violation(
                nil, .lastOwner, detail: "A project keeps at least one owner. Make somebody else owner first.")
        }
    }
}

/// A row is about a task or about a risk, or about neither: then it is about the project.
struct OneSubject: RowRule {
    func check(_ row: RuleSubject) throws {
        guard !row["task"].isNull, !row["risk"].isNull else { return }
        throw Violation(
            "risk", .inconsistent, detail: "A row can have a task or a risk, not both. Set one of them to null.")
    }
}

/// Optimistic <= most likely <= pessimistic, where all three are set.
struct OrderedEstimates: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let low = row["optimistic_duration"].int, let likely = row["most_likely_duration"].int,
            let high = row["pessimistic_duration"].int, !(low <= likely && likely <= high)
        else { return }
        throw Violation(
            "most_likely_duration", .inconsistent,
            detail: "optimistic_duration <= most_likely_duration <= pessimistic_duration must hold, "
                + "not \(low), \(likely), \(high).")
    }
}

/// A project always has a calendar, because the meaning of a duration in days depends on it.
struct ProjectCalendar: RowRule {
    func check(_ row: RuleSubject) throws {
        guard row["calendar"].isNull else { return }
        throw Violation("calendar", .required, detail: "A project must have a calendar: send an id, not null.")
    }
}

/// What each frequency and end of a recurrence needs.
struct RecurrencePattern: RowRule {
    func check(_ row: RuleSubject) throws {
        if row["frequency"] == "WEEKLY", row["weekdays"] == 0 {
            throw Violation("weekdays", .inconsistent, detail: "A WEEKLY rule needs at least one weekday.")
        }
        if row["frequency"] == "MONTHLY", row["day_of_month"].isNull {
            throw Violation("day_of_month", .inconsistent, detail: "A MONTHLY rule needs day_of_month.")
        }
        if row["end_type"] == "ON_DATE", row["end_date"].isNull {
            throw Violation("end_date", .inconsistent, detail: "end_type ON_DATE needs end_date.")
        }
        if row["end_type"] == "AFTER_N", row["end_count"].isNull {
            throw Violation("end_count", .inconsistent, detail: "end_type AFTER_N needs end_count.")
        }
    }
}

/// A sprint ends after it starts.
struct SprintDates: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let start = row["start_date"].string, let finish = row["finish_date"].string, finish <= start else {
            return
        }
        throw Violation(
            "finish_date", .inconsistent, detail: "finish_date \(finish) must be after start_date \(start).")
    }
}

import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncValues

/// Who may decide on a suggested assignee. The user who is suggested so far accepts or declines; the suggester or an
/// ADMIN revokes. Each suggestion is decided once. Everything else in the row can be changed only by the suggester or
/// an ADMIN, who are also the only ones who can delete it.
struct SuggestionStates: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let access = row.access else { return }
        guard let before = row.original("state") else { return try checkNew(row) }
        let isDecision = before != row["state"]
        if isDecision { try checkDecision(row, from: before, access) }
        for field in row.collection.fields where field.name != "state" && !field.isServerOwned {
            // Whoever decides also says when.
            if isDecision, field.name == row.collection.editTime?.name { continue }
            guard row.original(field.name) != row[field.name], !isAuthor(access, of: row) else { continue }
            throw Violation(
                field.name, .fieldForbidden, detail: "Only the suggester or an ADMIN can change \(field.name).")
        }
        if before != "pending" || row["state"] != "pending" { try checkKept(row) }
    }

    func checkDelete(_ row: RuleSubject) throws {
        guard let access = row.access, !isAuthor(access, of: row) else { return }
        throw Violation(nil, .forbidden, detail: "Only the suggester or an ADMIN can delete a suggestion.")
    }

    private func checkNew(_ row: RuleSubject) throws {
        guard row["state"] == "pending" else {
            throw Violation("state", .inconsistent, detail: "The state of a new suggestion must be pending.")
        }
    }

    /// A decision is about one task and one user. If they changed, the row would say something that nobody decided.
    private func checkKept(_ row: RuleSubject) throws {
        for field in ["task", "suggested_user"] where row.original(field) != row[field] {
            throw Violation(
                field, .inconsistent,
                detail: "This suggestion is decided, so its \(field) can't change. Create a new one.")
        }
    }

    private func checkDecision(_ row: RuleSubject, from before: JSON, _ access: ProjectAccess) throws {
        guard before == "pending" else {
            throw Violation("state", .inconsistent, detail: "This suggestion is already decided. Create a new one.")
        }
        let isAllowed =
            row["state"] == "revoked"
            ? isAuthor(access, of: row) : row.original("suggested_user") == .int(access.caller.userID)
        guard isAllowed else {
            throw Violation(
                "state", .fieldForbidden,
                detail: "The suggested user accepts or declines; the suggester or an ADMIN revokes.")
        }
    }

    private func isAuthor(_ access: ProjectAccess, of row: RuleSubject) -> Bool {
        let isSuggester = row["suggested_by"] == .int(access.caller.userID) && access.role >= .member
        return isSuggester || access.role >= .admin
    }
}

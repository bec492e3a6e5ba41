import SyncAccounts
import SyncProtocol
import SyncSchema

/// Who decides on a suggested assignee: the user who is suggested so far accepts or declines it, the suggester or an ADMIN
/// revokes it, each once. What else it says, and the row itself, are the suggester's and an ADMIN's.
struct SuggestionStates: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let access = row.access else { return }
        guard let before = row.original("state") else { return try checkNew(row) }
        if before != row["state"] { try checkDecision(row, from: before, access) }
        for field in row.collection.fields where field.name != "state" && !field.isServerOwned {
            guard row.original(field.name) != row[field.name], !isAuthor(access, of: row) else { continue }
            throw FieldProblem(field.name, .fieldForbidden, "\(field.name) is the suggester's or an ADMIN's to change.")
        }
        if before != "pending" || row["state"] != "pending" { try checkKept(row) }
    }

    func checkDelete(_ row: RuleSubject) throws {
        guard let access = row.access, !isAuthor(access, of: row) else { return }
        throw FieldProblem(nil, .forbidden, "Deleting a suggestion is the suggester's or an ADMIN's.")
    }

    private func checkNew(_ row: RuleSubject) throws {
        guard row["state"] == "pending" else {
            throw FieldProblem("state", .inconsistent, "A new suggestion is pending.")
        }
    }

    /// A decision was about one task and one user: with others in the row, it would say what nobody decided.
    private func checkKept(_ row: RuleSubject) throws {
        for field in ["task", "suggested_user"] where row.original(field) != row[field] {
            throw FieldProblem(
                field, .inconsistent, "This suggestion is decided and keeps its \(field). Make a new one.")
        }
    }

    private func checkDecision(_ row: RuleSubject, from before: JSON, _ access: ProjectAccess) throws {
        guard before == "pending" else {
            throw FieldProblem("state", .inconsistent, "This suggestion is decided already. Make a new one.")
        }
        let isAllowed =
            row["state"] == "revoked"
            ? isAuthor(access, of: row) : row.original("suggested_user") == .int(access.caller.userID)
        guard isAllowed else {
            throw FieldProblem(
                "state", .fieldForbidden,
                "The suggested user accepts or declines; the suggester or an ADMIN revokes.")
        }
    }

    private func isAuthor(_ access: ProjectAccess, of row: RuleSubject) -> Bool {
        let isSuggester = row["suggested_by"] == .int(access.caller.userID) && access.role >= .member
        return isSuggester || access.role >= .admin
    }
}

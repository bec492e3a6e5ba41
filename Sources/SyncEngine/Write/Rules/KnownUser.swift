import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// A membership belongs to an account that can log in, and never moves to another account.
struct KnownUser: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let id = row["user"].int else { return }
        if let before = row.original("user") {
            guard before == row["user"] else {
                throw Violation(
                    "user", .readOnlyField, "A membership keeps its user. Delete it and create one for the other user.")
            }
            return
        }
        guard let user = try row.draft.reads.user(id: id), !user.isDisabled else {
            throw Violation("user", .unknownUser, "There is no user \(id), or the account is disabled.")
        }
    }
}

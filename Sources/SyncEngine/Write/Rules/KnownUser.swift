import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// A membership is an account's that can log in, and stays that account's.
struct KnownUser: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let id = row["user"].int else { return }
        if let before = row.original("user") {
            guard before == row["user"] else {
                throw FieldProblem(
                    "user", .readOnlyField, "A membership keeps its user. Delete it and make one for the other.")
            }
            return
        }
        guard let user = try row.draft.reads.user(id: id), !user.isDisabled else {
            throw FieldProblem("user", .unknownUser, "There is no user \(id) who could be a member.")
        }
    }
}

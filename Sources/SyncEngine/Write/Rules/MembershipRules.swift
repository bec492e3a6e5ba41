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

/// Owners give and take every role; others give roles below their own to members below themselves. Anyone may leave.
struct GrantedRoles: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let access = row.access, access.role < .owner, row.original("role") != row["role"] else { return }
        let roles = [row["role"], row.original("role") ?? .null].compactMap(\.int)
        guard roles.allSatisfy({ $0 < access.role.rawValue }) else {
            throw FieldProblem(
                "role", .fieldForbidden, "With the role \(access.role.word) you give and take roles below it alone.")
        }
    }

    func checkDelete(_ row: RuleSubject) throws {
        guard let access = row.access, access.role < .owner, row["user"] != .int(access.caller.userID) else { return }
        throw FieldProblem(
            nil, .forbidden, "Removing somebody else takes the role OWNER; yours is \(access.role.word).")
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
            throw FieldProblem(
                nil, .lastOwner, "A project keeps at least one owner. Make somebody else owner first.")
        }
    }
}

import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Owners give and take every role. Others give roles below their own to members below themselves. Anyone may leave.
struct GrantedRoles: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let access = row.access, access.role < .owner, row.original("role") != row["role"] else { return }
        let roles = [row["role"], row.original("role") ?? .null].compactMap(\.int)
        guard roles.allSatisfy({ $0 < access.role.rawValue }) else {
            throw Violation(
                "role", .fieldForbidden, "With the role \(access.role.word) you can only give and take roles below it.")
        }
    }

    func checkDelete(_ row: RuleSubject) throws {
        guard let access = row.access, access.role < .owner, row["user"] != .int(access.caller.userID) else { return }
        throw Violation(
            nil, .forbidden, "Removing somebody else needs the role OWNER; yours is \(access.role.word).")
    }
}

import SyncProtocol
import SyncSchema
import SyncStore

/// Changes the memberships of a draft's project.
struct Membership {
    let draft: Draft
    let newID: NewID

    /// Makes the user a member, or changes a member's role. Throws `last_owner`.
    func set(_ role: Role, of user: Int64) throws {
        let memberships = draft.registry.memberships
        let value = JSON.int(Int64(role.rawValue))
        let present = try draft.liveRecords(in: memberships, where: memberships.field(named: "user"), holds: .int(user))
        guard let row = present.first else {
            let edit = RowEdit(collection: memberships, role: nil, userID: user)
            let values = try edit.inserted(["user": .int(user), "role": value]).get().values
            return try draft.insert(RowKey(memberships.name, newID()), values: values)
        }
        let key = RowKey(memberships.name, row.id)
        try draft.set(memberships.field(named: "role"), of: key, to: value)
        try judged { try draft.checks.check(key) }
    }

    /// Deletes the membership and the rows that the schema cascades to; false if there is none. Throws `last_owner`.
    func end(of user: Int64) throws -> Bool {
        let memberships = draft.registry.memberships
        let present = try draft.liveRecords(in: memberships, where: memberships.field(named: "user"), holds: .int(user))
        guard let row = present.first else { return false }
        let key = RowKey(memberships.name, row.id)
        try draft.delete(key)
        try judged { try draft.checks.checkDelete(key) }
        return true
    }

    private func judged(_ check: () throws -> Void) throws {
        do {
            try check()
        } catch let problem as Violation {
            throw Problem(problem.code, problem.detail)
        }
    }
}

import SyncProtocol
import SyncSchema

/// The memberships of the project of a draft.
struct Membership {
    let draft: Draft
    let newID: NewID

    /// Throws `last_owner`.
    func set(_ role: Role, of user: Int64) throws {
        let memberships = draft.registry.memberships
        let value = JSON.int(Int64(role.rawValue))
        let present = try draft.liveRecords(in: memberships, where: memberships.field("user")!, holds: .int(user))
        guard let row = present.first else {
            let edit = RowEdit(collection: memberships, role: nil, userID: user)
            let values = try edit.inserted(["user": .int(user), "role": value]).get().values
            return try draft.insert(RowKey(memberships.name, newID()), values: values)
        }
        let key = RowKey(memberships.name, row.id)
        try draft.set(memberships.field("role")!, of: key, to: value)
        do {
            try draft.check(key)
        } catch let problem as FieldProblem {
            throw Problem(problem.code, problem.detail)
        }
    }
}

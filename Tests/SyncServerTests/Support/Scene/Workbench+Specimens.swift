import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit

/// Writes rows without the server, and reads what is stored.
extension Workbench<EngineStore> {
    /// A specimen that gets a new user if it needs one that is not a member, and `user` otherwise.
    func specimen(_ collection: String, _ id: String, user: Int64) async throws -> Specimen {
        guard collection == "memberships" else { return Specimen(collection, id, user: .int(user)) }
        return Specimen(collection, id, user: .int(try await accounts.addUser("\(id)-\(project)").id))
    }

    /// Stores the specimens and everything that they need, in one commit by a user.
    func plant(_ specimens: [Specimen], author: Int64) async throws {
        try await write(author) { editor in
            for row in specimens.flatMap(\.rows) { try editor.insert(row.collection, row.id, row.fields) }
        }
    }

    /// Stores what the specimens need, without the specimens.
    func prepare(_ specimens: [Specimen], author: Int64) async throws {
        try await plant(specimens.flatMap(\.parents), author: author)
    }

    /// Deletes the specimens, but not what they need.
    func bury(_ specimens: [Specimen]) async throws {
        try await edit { editor in
            for row in specimens { try editor.delete(row.collection, row.id) }
        }
    }

    func record(_ collection: String, _ id: String) async throws -> StoredRow? {
        try await store.read { try $0.record(RowKey(collection, id)) }
    }

    func head() async throws -> SyncSeq { try await store.read { try $0.project(project)!.head } }

    /// An account, and a membership of the project if a role is given.
    func user(_ name: String, as role: Role? = nil, isSuperuser: Bool = false) async throws -> Int64 {
        let user = try await accounts.addUser(name, isSuperuser: isSuperuser)
        if let role { try await members.addMember(name, to: project, as: role) }
        return user.id
    }

    /// An account whose membership of the project has ended.
    func formerMember(_ name: String, as role: Role) async throws -> Int64 {
        let id = try await user(name, as: role)
        let row = try await membership(of: id)
        try await edit { try $0.delete("memberships", row) }
        return id
    }

    /// The id of the user's live membership.
    func membership(of user: Int64) async throws -> String {
        try await store.read { transaction in
            let memberships = registry.memberships
            return try transaction.records(
                in: memberships, project: project, where: memberships.field("user")!, holds: .int(user))[0].id
        }
    }

    private func write(_ author: Int64, _ body: @escaping @Sendable (RowEditor) throws -> Void) async throws {
        try await store.write { transaction in
            let draft = Draft(transaction, registry, project: project, author: author, now: Self.noon)
            try body(RowEditor(draft: draft))
            _ = try draft.commit()
        }
    }
}

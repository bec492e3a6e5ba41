import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// The content of an export, not yet mapped to this server's users.
package struct ExportedProject: Sendable {
    /// The value of `tidemark_export`. In version 1, `users` was an object of display names.
    static let version: Int64 = 2

    /// Rows by collection, each with its id. They refer to users by user name.
    private(set) var rows: [String: [[String: JSON]]]
    /// Display names by user name.
    let users: [ExactText: String]
    private let registry: Registry

    /// Throws `invalid_rows` if the JSON is not an export, comes from a newer version,
    /// or has collections that the registry doesn't have.
    package init(_ json: JSON, registry: Registry) throws {
        guard let version = json["tidemark_export"]?.int, version >= 1, let rows = json["rows"]?.object else {
            throw Problem(.invalidRows, "This is not a Tidemark export.")
        }
        guard version <= Self.version else {
            throw Problem(.invalidRows, "The export is from a newer version of Tidemark. Import it with that version.")
        }
        if let unknown = rows.keys.sorted().first(where: { registry[$0] == nil }) {
            throw Problem(.invalidRows, "The export has a collection \(unknown), which this server doesn't have.")
        }
        self.registry = registry
        users = try Self.users(json["users"] ?? .null)
        self.rows = try rows.reduce(into: [:]) { read, member in
            guard let list = member.value.array else { throw Self.damaged("its \(member.key) are not a list") }
            read[member.key] = try list.map { row in
                guard let members = row.object else { throw Problem(.invalidRows, "A row is not an object.") }
                return members
            }
        }
    }

    /// Throws `invalid_rows` if the export lacks its project, or a collection to which another one in it can refer. An
    /// export has all collections of its server. One that it lacks otherwise may be new since then.
    func requireWhole() throws {
        let referred = rows.keys.sorted().flatMap { registry.collection($0).fields.compactMap(\.reference?.collection) }
        for name in [registry.projects.name] + referred where rows[name] == nil {
            throw Self.damaged("it has no list of \(name)")
        }
        guard !projectID.isEmpty else { throw Self.damaged("it has no project with an id") }
    }

    /// The collections of this server that the export does not have.
    package var missingCollections: [String] { registry.collections.map(\.name).filter { rows[$0] == nil } }

    private static func damaged(_ reason: String) -> Problem {
        Problem(.invalidRows, "The export is damaged: \(reason). Export the project again.")
    }

    /// Empty for an export without a project.
    package var projectID: String { rows[registry.projects.name]?.first?["id"]?.string ?? "" }

    private static func users(_ json: JSON) throws -> [ExactText: String] {
        let named = json.object?.map { (name: Optional($0.key), displayName: $0.value.string) }
        let listed = json.array?.map { (name: $0["username"]?.string, displayName: $0["display_name"]?.string) }
        guard let all = named ?? listed else { throw Problem(.invalidRows, "The export has no list of users.") }
        return try all.reduce(into: [:]) { users, user in
            guard let name = user.name else { throw Problem(.invalidRows, "A user of the export has no name.") }
            users[ExactText(name)] = user.displayName ?? ""
        }
    }

    /// Fields that this server's schema doesn't have, such as `tasks.colour`,
    /// with the number of values that are left out.
    package var unknownFields: [String: Int] {
        rows.reduce(into: [:]) { unknown, rows in
            for (name, value) in rows.value.joined() where name != "id" && !value.isNull {
                if registry[rows.key]?.field(name) == nil { unknown["\(rows.key).\(name)", default: 0] += 1 }
            }
        }
    }

    /// The files that its rows name, by digest.
    package var digests: Set<String> {
        rows.reduce(into: []) { digests, rows in
            let fields = registry.collection(rows.key).fields.filter { $0.blob != nil }
            let texts = rows.value.lazy.flatMap { row in fields.compactMap { row[$0.name]?.string } }
            digests.formUnion(texts.filter(\.isFileDigest))
        }
    }

    /// Gives the project another name.
    package mutating func rename(to name: String) {
        rows[registry.projects.name] = rows[registry.projects.name]?.map { row in
            row.merging(["name": .string(name)]) { $1 }
        }
    }

    /// Gives all rows new ids, and updates the references between them.
    package mutating func rekey(_ newID: () -> String) {
        var ids: [RowKey: String] = [:]
        for (collection, list) in rows {
            for row in list { ids[RowKey(collection, row["id"]?.string ?? "")] = newID() }
        }
        func renewed(_ value: JSON, _ collection: String) -> JSON {
            value.string.flatMap { ids[RowKey(collection, $0)] }.map(JSON.string) ?? value
        }
        for (name, list) in rows {
            rows[name] = list.map { row in
                var row = row
                row["id"] = renewed(row["id"] ?? .null, name)
                for field in registry.collection(name).fields {
                    guard let target = field.reference?.collection, let value = row[field.name] else { continue }
                    row[field.name] =
                        value.array.map { .array($0.map { renewed($0, target) }) } ?? renewed(value, target)
                }
                return row
            }
        }
    }

    /// The roles of the members, by user name.
    var roles: [ExactText: Role] {
        let memberships = rows[registry.memberships.name] ?? []
        return memberships.reduce(into: [:]) { roles, row in
            guard let name = row["user"]?.string, let role = row["role"]?.int.flatMap({ Role(rawValue: Int($0)) })
            else { return }
            roles[ExactText(name)] = role
        }
    }

    /// The content with this server's user ids. References to users who are not members are cleared in fields whose
    /// `x-user` says `clear`; `cleared` counts them.
    func content(
        owner: Int64, members: [Int64: Role], ids: [ExactText: Int64]
    ) -> (content: ProjectContent, cleared: Int) {
        var cleared = 0
        var mapped = rows
        mapped[registry.memberships.name] = nil
        for (name, list) in mapped {
            let fields = registry.collection(name).fields.filter { $0.holdsUser || $0.holdsUsers }
            mapped[name] = list.map { row in
                var row = row
                for field in fields {
                    guard let value = row[field.name] else { continue }
                    let users = (value.array ?? [value]).compactMap { $0.string.flatMap { ids[ExactText($0)] } }
                    guard field.holdsUsers || !users.isEmpty else { continue }
                    let staying = users.filter { field.user != .clear || $0 == owner || members[$0] != nil }
                    row[field.name] =
                        field.holdsUsers ? .array(staying.map(JSON.int)) : staying.first.map(JSON.int) ?? .null
                    cleared += users.count - staying.count
                }
                return row
            }
        }
        var content = ProjectContent(rows: mapped, owner: owner, members: members)
        content.keepsServerValues = true
        return (content, cleared)
    }
}

extension ProjectService {
    /// The result of restoring an export.
    package struct Restored: Sendable {
        package let project: String
        package let counts: [String: Int]
        /// Accounts that were created. They are disabled.
        package let newUsers: [ExactText]
        /// Number of references that were cleared because the user is not a member.
        package let clearedReferences: Int
    }

    /// Creates a project from an export, in one transaction. Users are matched by name. Missing users get
    /// a disabled account, so what they wrote stays theirs. With `addsMembers`, everybody keeps their
    /// former role; otherwise the owner is the only member. `files` are recorded as sent by the owner; rows name them
    /// as stored, and all others as pending.
    ///
    /// Throws `id_unavailable` if an id is taken, and `invalid_rows`, each with the rows at fault, or if the export is
    /// not whole.
    package func restore(
        _ export: ExportedProject, owner: User, addsMembers: Bool, files: [StoredFile] = []
    ) async throws -> Restored {
        try export.requireWhole()
        let now = clock.now()
        return try await store.write(.accountsAndProjects([export.projectID])) { transaction in
            let (ids, made) = try users(of: export, transaction, now)
            var members: [Int64: Role] = [:]
            if addsMembers {
                for (name, role) in export.roles { if let id = ids[name] { members[id] = role } }
            }
            var (content, cleared) = export.content(owner: owner.id, members: members, ids: ids)
            content.files = files
            let project = try create(content, in: transaction, at: now)
            return Restored(
                project: project.id, counts: content.rows.mapValues(\.count), newUsers: made, clearedReferences: cleared
            )
        }
    }

    private func users(
        of export: ExportedProject, _ transaction: any WriteTransaction, _ now: Instant
    ) throws -> (ids: [ExactText: Int64], made: [ExactText]) {
        var (ids, made): ([ExactText: Int64], [ExactText]) = ([:], [])
        for (name, displayName) in export.users.sorted(by: { $0.key < $1.key }) {
            if let user = try transaction.user(named: name) {
                ids[name] = user.id
                continue
            }
            // Similar names belong to different people, as they did on the server that they come from.
            guard AccountNaming.isValid(name.rawValue) else {
                throw Problem(.invalidRows, "The export names a user \(name), which is not a valid user name.")
            }
            let user = try transaction.createUser(
                username: name, displayName: try AccountNaming.displayName(displayName), isSuperuser: false, at: now)
            try transaction.setDisabled(true, user: user.id)
            ids[name] = user.id
            made.append(name)
        }
        return (ids, made)
    }
}

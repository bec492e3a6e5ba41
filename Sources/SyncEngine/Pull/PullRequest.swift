import SyncAccounts
package import SyncProtocol
package import SyncSchema

/// A request for one page of a project.
@dynamicMemberLookup
package struct PullRequest: Sendable, Hashable {
    package var project: String
    package var since: SyncSeq
    package var cursor: String?
    package var form: PullForm
    /// Whether the drain has all live rows, and only its tombstones begin after `since`.
    var servesAll = false
    /// Rows that the caller inserted before this commit can come in `created`: the client does not have them any more.
    var ownCreatedBefore = SyncSeq.zero
    /// Rows that were created up to this commit never come in `created`. `since`, unless that may be lower than what
    /// the client has.
    var createdAfter: SyncSeq

    package init(
        project: String, since: SyncSeq = .zero, cursor: String? = nil, pageSize: Int = 1000,
        collections: Set<String>? = nil
    ) {
        self.project = project
        self.since = since
        self.cursor = cursor
        form = PullForm(pageSize: pageSize, collections: collections)
        createdAfter = since
    }

    package init(project: String, since: SyncSeq, cursor: String? = nil, form: PullForm) {
        self.project = project
        self.since = since
        self.cursor = cursor
        self.form = form
        createdAfter = since
    }

    package subscript<Value>(dynamicMember member: WritableKeyPath<PullForm, Value>) -> Value {
        get { form[keyPath: member] }
        set { form[keyPath: member] = newValue }
    }

    /// Which of the rows inserted after `since` come in `created`.
    package enum Created: String, Sendable {
        case none
        /// Rows that others inserted. The client knows its own rows, and a `created`
        /// would revive those that it has deleted meanwhile.
        case ofOthers
        case all
    }

    /// Whether the drain has no tombstones. WatermelonDB's turbo login refuses them, and at 0 the client
    /// drops all rows that the drain does not name anyway.
    var isWithoutTombstones: Bool { isFromZero && form.encoding == .watermelondb }

    /// Whether the client drops what the drain does not name, so that nothing has to be taken back.
    var isFromZero: Bool { since == .zero && !servesAll }

    /// Everything that the drain depends on, except `page_size` and the cursor itself.
    func binding(_ access: ProjectAccess, schema: String) -> String {
        "cursor-6|\(schema)|\(project)|\(access.caller.userID)|\(since)|\(access.binding)|\(form.binding)"
    }
}

extension ProjectAccess {
    /// What a drain depends on besides its request: the caller's role and its history.
    var binding: String { "\(role.rawValue),\(widenedSeq),\(narrowedSeq)" }
}

/// What a pull asks for, apart from whose rows and since when. It is the same for all parts of a user-wide pull.
package struct PullForm: Sendable, Hashable {
    package var pageSize: Int
    /// The names of the requested collections; nil for all.
    package var collections: Set<String>?
    package var encoding = WireEncoding.json
    /// Which rows come in `created`.
    package var created = PullRequest.Created.none
    package var migration: PullMigration?

    package init(pageSize: Int = 1000, collections: Set<String>? = nil) {
        self.pageSize = pageSize
        self.collections = collections
    }

    func collections(of registry: Registry) -> [Collection] {
        guard let collections else { return registry.collections }
        return registry.collections.filter { collections.contains($0.name) }
    }

    /// Equal for forms whose drains have the same rows in the same form. The page size does not matter.
    var binding: String {
        let names = collections.map { $0.sorted().joined(separator: ",") } ?? "*"
        return "\(names)|\(encoding)|\(created.rawValue)|\(migration?.binding ?? "")"
    }
}

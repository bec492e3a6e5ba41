import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore

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
    var isWithoutTombstones: Bool { isFromZero && (form.encoding == .watermelondb || form.part != nil) }

    /// Whether the client drops what the drain does not name, so that nothing has to be taken back.
    var isFromZero: Bool { since == .zero && !servesAll }

    /// Whether the drain goes from one part to another.
    var isRoll: Bool { !isFromZero && form.isRoll }

    /// Whether each collection has the list `left`.
    var hasLeft: Bool { !isFromZero && form.part?.left == .left }

    /// Throws `since_expired` if nobody knows what moved between parts since the watermark.
    func requireKnownPart(_ project: ProjectState) throws {
        guard !isFromZero, form.part != nil, since < project.filterFloor else { return }
        throw Problem(
            .sinceExpired,
            "What moved in or out of parts after \(since) is not known: the schema has changed since. Resync from 0.")
    }

    /// Chooses by what rows of a part are looked up, of the state that the transaction reads.
    mutating func choose(access: ProjectAccess, registry: Registry, in transaction: any ReadTransaction) throws {
        let choice = try PartChoice(for: self, access: access, registry: registry, in: transaction)
        form.part?.choice = choice
    }

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
    /// The part that is asked for; nil for a pull that knows of no parts.
    package var part: PartRequest?

    package init(pageSize: Int = 1000, collections: Set<String>? = nil) {
        self.pageSize = pageSize
        self.collections = collections
    }

    /// Whether the drain goes from one part to another.
    package var isRoll: Bool { part?.isRoll ?? false }

    /// The same for a project that is in the part.
    var ofProject: PullForm {
        var form = self
        form.part = part?.ofProject
        return form
    }

    /// Whether a drain has rows of the project that nothing has changed.
    func concernsOldRows(of project: String) -> Bool { isRoll || migration?.concerns(project) ?? false }

    func collections(of registry: Registry) -> [Collection] {
        guard let collections else { return registry.collections }
        return registry.collections.filter { collections.contains($0.name) }
    }

    /// Equal for forms whose drains have the same rows in the same form. The page size does not matter.
    var binding: String {
        let names = collections.map { $0.sorted().joined(separator: ",") } ?? "*"
        return "\(names)|\(encoding)|\(created.rawValue)|\(migration?.binding ?? "")"
            + (part.map { "|\($0.binding)" } ?? "")
    }
}

/// A part that a pull asks for.
package struct PartRequest: Sendable, Hashable {
    package let part: Part
    /// The part that the client has at its watermark; nil if it is the same. It means nothing in a drain from 0.
    package let was: Part?
    /// Where ids go of rows that leave the part: the list `left`, or `deleted`.
    package let left: SegmentScan.Buckets
    /// Whether the last page has the digest of the part, which costs a look at its rows.
    package var wantsDigest = false
    /// By what rows are looked up.
    var choice = PartChoice()

    package init(_ part: Part, was: Part? = nil, left: SegmentScan.Buckets = .left) {
        self.part = part
        self.was = was == part ? nil : was
        self.left = left
    }

    /// What is asked for of a project that is in the part.
    var ofProject: PartRequest {
        var request = PartRequest(part.ofProject, was: was?.ofProject, left: left)
        request.wantsDigest = wantsDigest
        return request
    }

    /// The same for a client that has another part.
    package func from(_ was: Part) -> PartRequest {
        var request = PartRequest(part, was: was, left: left)
        request.wantsDigest = wantsDigest
        return request
    }

    /// Whether the drain goes from one part to another.
    var isRoll: Bool { was != nil }

    /// The same for a client that has nothing yet.
    var alone: PartRequest {
        var alone = PartRequest(part, left: left)
        alone.wantsDigest = wantsDigest
        return alone
    }

    /// A drain to another part has other segments than in the first version.
    var binding: String { "\(part.binding)|\(was.map { "2\($0.binding)" } ?? "")|\(left.rawValue)|\(wantsDigest)" }
}

import SyncProtocol
import SyncSchema
import SyncStore

/// What has happened to a live row since the state that a caller edited, as far as the change history reaches back.
struct RowHistory {
    let row: StoredRow
    let collection: Collection
    /// Changes after the oldest base, oldest first.
    private let changes: [RowChange]
    private let caller: Origin
    private let bases: EditBases
    /// What happened to each field of which the changes tell anything.
    private let stories: [String: Story]
    /// Whether `changes` are all the changes since the oldest base, so they lead back to it.
    let isComplete: Bool
    /// The oldest version that unbroken changes lead back to; nil if they don't lead to the present one.
    private let start: Int64?

    /// Reads the history of a row and subtracts the size of what it read from `bytes`. It never guesses: the history is
    /// incomplete if entries were forgotten, were never written, or did not fit into `bytes`.
    init(
        of row: StoredRow, in collection: Collection, since bases: EditBases, for caller: Origin,
        _ project: ProjectState, bytes: inout Int, _ transaction: any ReadTransaction
    ) throws {
        self.row = row
        self.collection = collection
        self.caller = caller
        self.bases = bases
        let base = bases.oldest
        if case .commit(let seq) = base, row.contentSeq <= seq {
            changes = []
            stories = [:]
            isComplete = true
            start = row.version.rawValue
            return
        }
        let known = try RowHistory.changes(of: row, in: collection, since: base, bytes: bytes, transaction)
        bytes = known.bytesLeft
        let changes = Array(known.elements.reversed().drop { !base.precedes($0) })
        self.changes = changes
        let start = row.version.rawValue - Int64(changes.count)
        let isUnbroken = changes.first.map { $0.version.rawValue == start + 1 } ?? true
        self.start = isUnbroken ? start : nil
        var stories = Stories(of: caller, since: bases)
        for change in changes.reversed() { stories.add(change) }
        // The newest ones come first, the base's own change last.
        if let made = known.elements.last, !base.precedes(made) { stories.addAnswered(made) }
        self.stories = stories.list
        switch base {
        case .version(let version):
            isComplete = isUnbroken && start == version.rawValue
        case .commit(let seq) where row.createdSeq > seq:
            // The history does not contain the insert. The user who inserted the
            // row knows it; for others there is no earlier state.
            isComplete = isUnbroken && start == 1 && row.insertedBy == caller.userID
        case .commit(let seq):
            isComplete = isUnbroken && !changes.isEmpty && !known.isCut && seq >= project.historyFloor
        }
    }

    /// Databases from before the history had memberships lack changes of them that no floor tells of. So a history of
    /// a membership counts as forgotten. Where fields merge, the change that made the base is read too.
    private static func changes(
        of row: StoredRow, in collection: Collection, since base: EditBase, bytes: Int,
        _ transaction: any ReadTransaction
    ) throws -> BoundedList<RowChange> {
        guard collection.scope != .membership else { return BoundedList(bytes: bytes) }
        var first = base
        if case .version(let version) = base, !collection.places.merged.isEmpty {
            first = .version(ServerVersion(version.rawValue - 1))
        }
        return try transaction.changes(of: RowKey(collection.name, row.id), since: first, bytes: bytes)
    }

    /// Whether somebody else has changed the row since the base, or may have.
    var hasForeignChanges: Bool { !isComplete || lastForeign != nil }

    /// The last change by somebody else, but for those in which the server told something of the row.
    var lastForeign: RowChange? { changes.last { !$0.origin.isSame(as: caller) && !$0.replaced.isEmpty } }

    /// Whether the changes go back to the row's first version.
    var leadsToInsert: Bool { Int64(changes.count) == row.version.rawValue - ServerVersion.first.rawValue }

    /// The edit time that the row was inserted with; nil if there was none. Only valid if `leadsToInsert`.
    var editTimeAtInsert: Instant? {
        guard let field = collection.editTime else { return nil }
        let first = changes.lazy.compactMap { $0.replaced[field.name] }.first
        return first.map { $0.string.flatMap(Instant.init) } ?? row.editTime(in: collection)
    }

    /// The user who inserted the row, if it was somebody else; otherwise nil.
    var foreignInserter: Int64? { row.insertedBy == caller.userID ? nil : row.insertedBy }

    /// What has happened to a field since its base. `known` is the value that the caller last
    /// knew, its own writes included; nil if the history does not tell. `unseen` is the last
    /// change by somebody else that the caller has not seen. If `isMerged`, there may be such changes in the value that
    /// the caller's own last write left.
    func story(of field: Field) -> (known: JSON?, unseen: RowChange?, isMerged: Bool) {
        let story = stories[field.name] ?? Story()
        let value = story.sent ?? story.before ?? row.values[collection.position(of: field)]
        // Not the literal `nil`: `JSON` has a `nil` literal of its own, which means null.
        let known = story.isKnown || leadsToBase(of: field) ? value : Optional.none
        return (known, story.unseen, story.sent != nil)
    }

    /// Whether the changes are all those since the field's base.
    private func leadsToBase(of field: Field) -> Bool {
        let base = bases.base(of: field.name)
        guard base != bases.oldest, case .version(let version) = base else { return isComplete }
        return start.map { $0 <= version.rawValue && version <= row.version } ?? false
    }
}

/// What has happened to a field since its base.
private struct Story {
    /// The value before the oldest change that the caller has not seen.
    var before = Optional<JSON>.none
    var unseen: RowChange?
    /// Whether the caller wrote or saw the value before these changes.
    var isKnown = false
    /// What the caller sent then, if the value became another one.
    private(set) var sent = Optional<JSON>.none

    /// The caller sent this value, or the one that was stored. Newer changes come first, and the newest decides.
    mutating func settle(_ sent: JSON?) {
        guard !isKnown else { return }
        isKnown = true
        self.sent = sent
    }
}

/// The stories of all fields, in one walk through a row's changes, the newest first.
private struct Stories {
    private let caller: Origin
    private let bases: EditBases
    private(set) var list: [String: Story] = [:]

    init(of caller: Origin, since bases: EditBases) {
        self.caller = caller
        self.bases = bases
    }

    mutating func add(_ change: RowChange) {
        for sighting in change.sightings where sighting.origin.isSame(as: caller) {
            for field in sighting.fields where counts(change, for: field) {
                list[field, default: Story()].settle(sighting.sent[field])
            }
        }
        let isOwn = change.origin.isSame(as: caller)
        for (field, before) in change.replaced where list[field]?.isKnown != true && counts(change, for: field) {
            var story = list[field] ?? Story()
            if isOwn {
                story.settle(change.sent[field])
            } else {
                story.unseen = story.unseen ?? change
                story.before = before
            }
            list[field] = story
        }
    }

    /// Adds the change that made the oldest base. A caller who has not pulled it has the base from the answer to an
    /// upload, and so knows only what that upload sent.
    mutating func addAnswered(_ change: RowChange) {
        guard bases.pulled.map({ change.seq > $0 }) ?? true else { return }
        let sightings = change.sightings.filter { $0.origin.isSame(as: caller) }.map(\.sent)
        let own = change.origin.isSame(as: caller) ? [change.sent] : []
        for sent in sightings + own {
            for (field, value) in sent where bases.base(of: field) == bases.oldest {
                list[field, default: Story()].settle(value)
            }
        }
    }

    private func counts(_ change: RowChange, for field: String) -> Bool {
        bases.fields.isEmpty || bases.base(of: field).precedes(change)
    }
}

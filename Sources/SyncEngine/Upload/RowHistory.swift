import SyncProtocol
import SyncSchema
import SyncStore

/// What has happened to a live row since the state that a caller edited, as far as the change history reaches back.
struct RowHistory {
    let row: StoredRow
    let collection: Collection
    /// Changes after the base, oldest first.
    private let changes: [RowChange]
    private let caller: Origin
    /// What happened to each field of which the changes tell anything.
    private let stories: [String: Story]
    /// Whether `changes` are all the changes since the base, so they lead back to it.
    let isComplete: Bool

    /// Reads the history of a row and subtracts the size of what it read from `bytes`. It never guesses: the history is
    /// incomplete if entries were forgotten, were never written, or did not fit into `bytes`.
    init(
        of row: StoredRow, in collection: Collection, since base: EditBase, for caller: Origin, _ project: ProjectState,
        bytes: inout Int, _ transaction: any ReadTransaction
    ) throws {
        self.row = row
        self.collection = collection
        self.caller = caller
        if case .commit(let seq) = base, row.contentSeq <= seq {
            changes = []
            stories = [:]
            isComplete = true
            return
        }
        let known = try RowHistory.changes(of: row, in: collection, since: base, bytes: bytes, transaction)
        bytes = known.bytesLeft
        let changes = Array(known.elements.reversed())
        self.changes = changes
        stories = RowHistory.stories(of: changes, for: caller)
        let start = row.version.rawValue - Int64(changes.count)
        let isUnbroken = changes.first.map { $0.version.rawValue == start + 1 } ?? true
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
    /// a membership counts as forgotten.
    private static func changes(
        of row: StoredRow, in collection: Collection, since base: EditBase, bytes: Int,
        _ transaction: any ReadTransaction
    ) throws -> BoundedList<RowChange> {
        guard collection.scope != .membership else { return BoundedList(bytes: bytes) }
        return try transaction.changes(of: RowKey(collection.name, row.id), since: base, bytes: bytes)
    }

    /// Whether somebody else has changed the row since the base, or may have.
    var hasForeignChanges: Bool { !isComplete || lastForeign != nil }

    /// The last change by somebody else.
    var lastForeign: RowChange? { changes.last { !$0.origin.isSame(as: caller) } }

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

    /// What has happened to a field since the base. `known` is the value that the caller last
    /// knew, its own writes included; nil if the history does not tell. `unseen` is the last
    /// change by somebody else that the caller has not seen.
    func story(of field: Field) -> (known: JSON?, unseen: RowChange?) {
        let story = stories[field.name] ?? Story()
        let value = story.before ?? row.values[collection.position(of: field)]
        // Not the literal `nil`: `JSON` has a `nil` literal of its own, which means null.
        return (story.isKnown || isComplete ? value : Optional.none, story.unseen)
    }

    private struct Story {
        /// The value before the oldest change that the caller has not seen.
        var before = Optional<JSON>.none
        var unseen: RowChange?
        /// Whether the caller wrote or saw the value before these changes.
        var isKnown = false
    }

    /// The stories of all fields, in one walk through the changes.
    private static func stories(of changes: [RowChange], for caller: Origin) -> [String: Story] {
        var stories: [String: Story] = [:]
        for change in changes.reversed() {
            for sighting in change.sightings where sighting.origin.isSame(as: caller) {
                for field in sighting.fields { stories[field, default: Story()].isKnown = true }
            }
            let isOwn = change.origin.isSame(as: caller)
            for (field, before) in change.replaced where stories[field]?.isKnown != true {
                var story = stories[field] ?? Story()
                if isOwn {
                    story.isKnown = true
                } else {
                    story.unseen = story.unseen ?? change
                    story.before = before
                }
                stories[field] = story
            }
        }
        return stories
    }
}

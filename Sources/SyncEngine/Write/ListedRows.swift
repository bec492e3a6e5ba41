import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// For whom the rows of a draft, and those below them, are listed after its commit, compared with before. It is made
/// once the draft is final, and judged by the rows before and after, whatever the draft did between.
///
/// A change of sight concerns the users that came or went: for each of them every live row that inherits from the
/// changed one. Rows below that the draft does not have are looked up by their references, one collection after the
/// other.
struct ListedRows {
    /// The most pairs of row and user that a commit may change.
    static let mostPairs = 100_000

    private let draft: Draft
    private let registry: Registry
    /// The changes, by collection.
    private(set) var changes: [String: [ListedChange]] = [:]
    /// What the changes make of the digests of single users, by collection.
    private(set) var digests: [String: [Audience: CollectionDigest]] = [:]
    /// The users who may see something of the commit.
    private(set) var users: Set<Int64> = []
    private var pairs = 0
    private var known: [RowKey: Users] = [:]

    /// The users for whom a row was listed before the draft, and for whom it is after it.
    private struct Users {
        var before: Set<Int64> = []
        var after: Set<Int64> = []
    }

    /// What becomes of the users of a row, and of the rows below it.
    private struct Move: Hashable {
        let came: [Int64]
        let went: [Int64]
        /// The row of the draft with which it began.
        let root: RowKey
    }

    /// A row whose users the draft changes, with so many rows below it that the commit is refused.
    struct TooLarge: Error {
        let key: RowKey

        var violation: Violation {
            Violation(
                nil, .sightTooLarge,
                detail:
                    "This would change who sees more than \(ListedRows.mostPairs) rows, counted once for each user. "
                    + "Change fewer users or rows at a time.")
        }
    }

    /// `dirty` are the rows that the draft writes. Throws `TooLarge`.
    init(of draft: Draft, _ dirty: [String: [RowKey]]) throws {
        self.draft = draft
        registry = draft.registry
        guard registry.hasLists, !draft.isProjectDeleted else { return }
        var moves: [String: [Move: [String]]] = [:]
        for collection in registry.collections where collection.isListed {
            for key in (dirty[collection.name] ?? []).sorted(by: { $0.id < $1.id }) {
                guard let entry = draft.entries[key] else { continue }
                guard let move = try note(entry, of: key, in: collection) else { continue }
                moves[collection.name, default: [:]][move, default: []].append(key.id)
            }
            try follow(collection, &moves)
        }
    }

    /// Notes a row of the draft. Returns what becomes of the rows below that the draft does not have.
    private mutating func note(_ entry: Draft.Entry, of key: RowKey, in collection: Collection) throws -> Move? {
        let (before, after) = try users(of: key, collection)
        var change = ListedChange(id: key.id)
        users.formUnion(before.union(after))
        guard let original = entry.original else {
            // A new row is on the device that sent it. One that its author is not to see was there for this commit.
            let author: Set<Int64> = draft.access == nil ? [] : [draft.author]
            let isSeen = draft.access.map { $0.sees(behindGateOf: collection, registry) } ?? true
            let holders = entry.current.isDeleted ? author : isSeen ? after : after.union(author)
            change.came = holders.sorted()
            change.went = entry.current.isDeleted ? [] : holders.subtracting(after).sorted()
            try add(change, to: collection, for: key)
            guard !entry.current.isDeleted else { return nil }
            count(after, of: collection) { $0.insert(key.id, entry.nextVersion) }
            return nil
        }
        change.isDelivered = true
        count(original.isDeleted ? [] : before, of: collection) { $0.remove(original.id, original.version) }
        // Those who saw a row last are told of its end.
        guard !entry.current.isDeleted else {
            try add(change, to: collection, for: key)
            return nil
        }
        count(after, of: collection) { $0.insert(key.id, entry.nextVersion) }
        change.came = after.subtracting(before).sorted()
        change.went = before.subtracting(after).sorted()
        try add(change, to: collection, for: key)
        return change.count == 0 ? nil : Move(came: change.came, went: change.went, root: key)
    }

    /// Hands what becomes of rows on to the rows below them.
    private mutating func follow(_ collection: Collection, _ moves: inout [String: [Move: [String]]]) throws {
        guard let moved = moves.removeValue(forKey: collection.name) else { return }
        for referrer in registry.referrers(of: collection.name) {
            let below = registry.collection(referrer.collection)
            guard below.isListed, below.inherits(by: referrer.field) else { continue }
            for (move, ids) in moved {
                let limit = (Self.mostPairs - pairs) / (move.came.count + move.went.count) + 1
                let rows = try draft.reads.referrers(to: ids, through: referrer.field, of: below, limit: limit)
                // What the draft has is judged by itself.
                for row in rows where draft.entries[RowKey(below.name, row.id)]?.isDirty != true {
                    try take(move, for: row, of: below)
                    moves[below.name, default: [:]][move, default: []].append(row.id)
                }
            }
        }
    }

    private mutating func take(_ move: Move, for row: RowStamp, of collection: Collection) throws {
        var change = ListedChange(id: row.id)
        change.came = move.came
        change.went = move.went
        try add(change, to: collection, for: move.root)
        count(Set(move.came), of: collection) { $0.insert(row.id, row.version) }
        count(Set(move.went), of: collection) { $0.remove(row.id, row.version) }
    }

    private mutating func add(_ change: ListedChange, to collection: Collection, for root: RowKey) throws {
        pairs += change.count
        guard pairs <= Self.mostPairs else { throw TooLarge(key: root) }
        if change.count > 0 || change.isDelivered { changes[collection.name, default: []].append(change) }
    }

    private mutating func count(
        _ users: Set<Int64>, of collection: Collection, _ change: (inout CollectionDigest) -> Void
    ) {
        for user in users { change(&digests[collection.name, default: [:]][.user(user), default: .empty]) }
    }

    /// The users before and after, by the row itself or those that it inherits from.
    private mutating func users(
        of key: RowKey, _ collection: Collection
    ) throws -> (before: Set<Int64>, after: Set<Int64>) {
        if let users = known[key] { return (users.before, users.after) }
        var users = Users()
        if let original = try draft.original(key) {
            users.before = try self.users(of: original, collection) { $0.before }
        }
        if let current = try draft.record(key) { users.after = try self.users(of: current, collection) { $0.after } }
        known[key] = users
        return (users.before, users.after)
    }

    private mutating func users(
        of row: StoredRow, _ collection: Collection, _ side: (Users) -> Set<Int64>
    ) throws -> Set<Int64> {
        guard let name = collection.visibility.parent else { return collection.listedUsers(of: row) }
        guard let parent = collection.field(named: name).reference.map({ registry.collection($0.collection) }),
            let id = row.values[collection.position(named: name)].string
        else { return [] }
        let (before, after) = try users(of: RowKey(parent.name, id), parent)
        return side(Users(before: before, after: after))
    }
}

extension Draft.Entry {
    /// The version that a live row has after the commit.
    fileprivate var nextVersion: ServerVersion { contentChanged ? current.version.next : current.version }
}

extension Problem {
    /// The answer to a write of which nothing was applied, because it would change who sees too many rows.
    init(refusing error: ListedRows.TooLarge) {
        let key = error.key
        let violation = error.violation
        let problem = RowProblem(
            pointer: "", collection: key.collection, id: key.id, field: nil, code: violation.code,
            detail: violation.detail)
        self.init(.invalidRows, violation.detail, errors: [problem])
    }
}

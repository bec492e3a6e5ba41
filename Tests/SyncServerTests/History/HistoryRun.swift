import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit

/// Random writes, with a note of what each user sees after each of them. Whatever a history then tells a user is
/// compared with these notes: every change that the user saw, and no value that the user did not see.
struct HistoryRun<Store: SyncStore> {
    private let bench: Workbench<Store>
    private let histories: HistoryService<Store>
    private var random: SeededGenerator
    private var writes = RandomWrites()
    /// By user, the rows in sight after each commit.
    private var seen: [Role: [[RowKey: JSON]]] = [:]
    /// The rows of the project after each commit.
    private var live: [Set<RowKey>] = []
    /// The author of each commit, where the write has one.
    private var authors: [Int64?] = []
    private(set) var faults: [String] = []
    /// How many entries were compared.
    private(set) var compared = 0

    init(_ bench: Workbench<Store>, seed: UInt64) {
        self.bench = bench
        random = SeededGenerator(seed: seed)
        histories = HistoryService(
            store: bench.store, registry: bench.registry, clock: WallClock { Workbench<Store>.noon },
            retention: .seconds(86_400), ledger: DeviceLedger())
    }

    mutating func run(steps: Int) async throws {
        try await note(nil)
        for step in 1...steps {
            let write = writes.next(&random)
            try await bench.perform(write)
            try await note(author(of: write))
            if step.isMultiple(of: 20) || step == steps { try await compare() }
        }
    }

    private func author(of write: RandomWrites.Write) -> Int64? {
        switch write {
        case .upload(_, let author, _), .insert(_, _, _, let author), .update(_, _, _, let author),
            .delete(_, _, let author):
            bench.caller(author).userID
        case .role, .purge: nil
        }
    }

    private mutating func note(_ author: Int64?) async throws {
        for role in Role.allCases {
            var rows: [RowKey: JSON] = [:]
            if let present = writes.roles[role] {
                rows = try await bench.visibleRows(to: bench.caller(role), as: present)
            }
            seen[role, default: []].append(rows)
        }
        let (registry, project) = (bench.registry, bench.project)
        live.append(
            try await bench.store.read { transaction in
                try registry.collections.reduce(into: []) { keys, collection in
                    let rows = try transaction.records(in: collection, project: project)
                    keys.formUnion(rows.map { RowKey(collection.name, $0.id) })
                }
            })
        authors.append(author)
    }

    private mutating func compare() async throws {
        for role in Role.allCases {
            for key in live.last ?? [] {
                if seen[role]?.last?[key] != nil {
                    try await compare(key, role)
                } else if try await history(of: key, for: role) != nil {
                    faults.append("\(role) reads a history of \(key), which is out of sight")
                }
            }
        }
    }

    private mutating func compare(_ key: RowKey, _ role: Role) async throws {
        guard let history = try await history(of: key, for: role) else {
            return faults.append("\(role) reads no history of \(key)")
        }
        let (expected, begin) = expected(key, role)
        // What was before the first write was not noted.
        let entries = begin == 0 ? Array(history.entries.prefix(expected.count)) : history.entries
        let told = entries.enumerated().map { index, entry in
            entry.told(withUser: index < expected.count && expected[index]["user"] != nil)
        }
        compared += told.count
        if told != expected {
            faults.append("\(role) of \(key): \(told.map(\.text)), expected \(expected.map(\.text))")
        }
        if begin > 0, history.isComplete != (expected.last?["version"] == 1) {
            faults.append("\(role) of \(key): is_complete is \(history.isComplete)")
        }
    }

    /// All pages of a size that is drawn; nil if there is no such row.
    private mutating func history(
        of key: RowKey, for role: Role
    ) async throws -> (entries: [JSON], isComplete: Bool)? {
        var (entries, place, isComplete): ([JSON], ServerVersion?, Bool) = ([], nil, true)
        let (limit, collection) = (random.pick([1, 2, 100])!, bench.registry.collection(key.collection))
        repeat {
            do {
                let page = try await histories.page(
                    of: key.id, in: collection, before: place, limit: limit, for: bench.caller(role))
                entries += page.results
                (place, isComplete) = (page.next, page.isComplete)
            } catch let problem as Problem where problem.code != .internalError {
                return nil
            }
        } while place != nil
        return (entries, isComplete)
    }

    /// The entries by what was seen, newest first, and the commit with which the row came into sight.
    private func expected(_ key: RowKey, _ role: Role) -> (entries: [JSON], begin: Int) {
        let states = seen[role]!.map { $0[key] }
        let begin = (states.lastIndex { $0 == nil } ?? -1) + 1
        var entries: [JSON] = []
        for index in states.indices.dropFirst(begin + 1) where states[index] != states[index - 1] {
            let (before, after) = (states[index - 1]!, states[index]!)
            if before["server_version"] != after["server_version"] {
                entries.append(entry(after, from: before, key, by: authors[index]))
            }
        }
        // A row that somebody else could see before was not inserted now.
        if begin > 0, !live[begin - 1].contains(key) {
            let defaults = bench.registry.collection(key.collection).fields.map { ($0.name, $0.fallback) }
            let before = JSON.object(Dictionary(uniqueKeysWithValues: defaults))
            entries.insert(entry(states[begin]!, from: before, key, isInsert: true, by: authors[begin]), at: 0)
        }
        return (entries.reversed(), begin)
    }

    private func entry(
        _ after: JSON, from before: JSON, _ key: RowKey, isInsert: Bool = false, by author: Int64?
    ) -> JSON {
        let collection = bench.registry.collection(key.collection)
        var changes: [String: JSON] = [:]
        for field in collection.fields where !field.isServerOwned && field.name != "modified_at" {
            guard let old = before[field.name], let new = after[field.name], old != new else { continue }
            changes[field.name] = ["before": isInsert ? .null : old, "after": new]
        }
        let told: JSON = ["version": after["server_version"]!, "changes": .object(changes)]
        return author.map { told.setting(["user": .int($0)]) } ?? told
    }
}

extension JSON {
    /// The part of an entry that is compared.
    fileprivate func told(withUser: Bool) -> JSON {
        let told: JSON = ["version": self["version"]!, "changes": self["changes"]!]
        return withUser ? told.setting(["user": self["user"]?["id"] ?? .null]) : told
    }
}

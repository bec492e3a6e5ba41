import SyncProtocol
import SyncSchema
import SyncStore

extension Workbench {
    /// The violated invariants of the committed state, one sentence for each. Empty when all hold. Violations are:
    /// - There is no project.
    /// - A live row refers to a row that is not live.
    /// - A live row refers to a user who is not a member, in a field that is cleared when a membership ends.
    /// - Two live rows have the same unique key.
    /// - A row's gate does not follow from its fields.
    /// - Stamps are out of order.
    /// - Counters or digests do not match the rows.
    /// - An edit is missing from the history.
    /// - The last commit number is not that of the head, or a member has no stint that lasts.
    package func brokenInvariants() async throws -> [String] {
        let broken = try await store.read { transaction throws -> [String] in
            guard let state = try transaction.project(project) else { return ["there is no project \(project)"] }
            var audit = try Audit(registry: registry, transaction: transaction, project: state)
            for collection in registry.collections { try audit.check(collection) }
            try audit.checkNumbers()
            return audit.broken
        }
        return try await broken + brokenDigests()
    }
}

/// Checks every live row of a project, and uses nothing that the engine derives for itself.
private struct Audit {
    private(set) var broken: [String] = []
    private let registry: Registry
    private let transaction: any ReadTransaction
    private let project: ProjectState
    private let counts: [String: RowCounts]
    /// Users with a live membership.
    private let members: Set<JSON>

    init(registry: Registry, transaction: any ReadTransaction, project: ProjectState) throws {
        self.registry = registry
        self.transaction = transaction
        self.project = project
        counts = try transaction.counts(project: project.id)
        let memberships = registry.memberships
        members = Set(
            try transaction.records(in: memberships, project: project.id)
                .map { $0.values[memberships.position(named: "user")] })
    }

    mutating func check(_ collection: Collection) throws {
        let rows = try transaction.records(in: collection, project: project.id)
        try checkCounters(collection, live: rows.count)
        checkUnique(rows, collection)
        for row in rows {
            checkStamps(row, collection)
            try checkReferences(row, collection)
            try checkHistory(row, collection)
            if try isGated(row, collection) != row.isGated { broken.append("gate of \(collection.name) \(row.id)") }
        }
    }

    private mutating func checkCounters(_ collection: Collection, live: Int) throws {
        let scan = SegmentScan(
            collection: collection, project: project.id, rows: .all, position: .after(.zero), upper: project.head,
            knownTombstones: .zero, rowLimit: .max, examineLimit: .max)
        var page = PageWriter(expectedRows: live)
        let served = try transaction.scan(scan, into: &page).served
        let counters = counts[collection.name] ?? RowCounts(live: 0, tombstones: 0)
        if counters.live != live { broken.append("live count of \(collection.name)") }
        if counters.live + counters.tombstones != served { broken.append("tombstone count of \(collection.name)") }
    }

    mutating func checkNumbers() throws {
        if try transaction.head(of: project.id, at: transaction.newestNumber()) != project.head {
            broken.append("the last commit number")
        }
        for user in members.compactMap(\.int) {
            let stints = try transaction.stints(of: user).filter { $0.project == project.id && $0.until == .maximum }
            if stints.count != 1 { broken.append("the stints of user \(user)") }
        }
    }

    private mutating func checkUnique(_ rows: [StoredRow], _ collection: Collection) {
        for key in collection.uniqueKeys {
            var seen: Set<[JSON]> = []
            for row in rows {
                let counts = key.condition.allSatisfy { row.values[collection.position(named: $0.key)] == $0.value }
                let values = key.fields.map { row.values[collection.position(named: $0)] }
                guard counts, !values.contains(.null), !seen.insert(values).inserted else { continue }
                broken.append("key \(key.fields.joined(separator: ", ")) of \(collection.name) \(row.id)")
            }
        }
    }

    private mutating func checkStamps(_ row: StoredRow, _ collection: Collection) {
        let stamps = [row.createdSeq, row.contentSeq, row.seq, project.head]
        let isOrdered =
            zip(stamps, stamps.dropFirst()).allSatisfy { $0 <= $1 } && row.gateSeq <= row.seq
            && (row.filterSeq ?? row.createdSeq) <= row.seq && (row.filterSeq ?? .maximum) > row.createdSeq
        if !isOrdered || row.createdSeq == .zero || row.version < ServerVersion(1) {
            broken.append("stamps of \(collection.name) \(row.id)")
        }
    }

    /// The history must have an entry for each version after the history floor, except the first version.
    private mutating func checkHistory(_ row: StoredRow, _ collection: Collection) throws {
        let changes = try transaction.changes(
            of: RowKey(collection.name, row.id), since: .version(ServerVersion(1)), bytes: .max)
        let versions = changes.elements.reversed().map(\.version.rawValue)
        let first = project.historyFloor == .zero ? 2 : versions.first ?? row.version.rawValue + 1
        if first <= row.version.rawValue + 1, versions != Array(first..<row.version.rawValue + 1) {
            broken.append("history of \(collection.name) \(row.id)")
        }
    }

    private mutating func checkReferences(_ row: StoredRow, _ collection: Collection) throws {
        for (field, value) in zip(collection.fields, row.values) {
            let users = field.user == .clear && !value.isNull ? value.array ?? [value] : []
            if !members.isSuperset(of: users) {
                broken.append("\(collection.name) \(row.id).\(field.name) -> user \(value.text)")
            }
            guard let reference = field.reference else { continue }
            for id in (value.array ?? [value]).compactMap(\.string) {
                let target = try transaction.record(RowKey(reference.collection, id))
                if target?.isDeleted != false || target?.project != project.id {
                    broken.append("\(collection.name) \(row.id).\(field.name) -> \(id)")
                }
            }
        }
    }

    /// Whether the row is hidden behind a gate, as the contract defines it.
    private func isGated(_ row: StoredRow, _ collection: Collection) throws -> Bool {
        let json = row.json(in: collection)
        switch collection.name {
        case "sprint_retros": return json["team_visibility"] == "team_only"
        case "retro_action_items":
            let retros = registry.collection("sprint_retros")
            let retro = try transaction.record(RowKey(retros.name, json["retro"]?.string ?? ""))
            return retro?.json(in: retros)["team_visibility"] == "team_only"
        default: return false
        }
    }
}

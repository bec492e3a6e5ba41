import GRDB
public import SyncProtocol

/// The parts of a project, or of all projects, that a replica holds. Without one it holds everything.
///
/// An app names what it needs, and each sync asks for all of its parts together. Of a collection that a part names, a
/// row comes if any part has it; a collection that no part names comes whole or follows another one. So the first part
/// that names a collection narrows it.
///
/// Parts are kept in the file, for all processes that use it. Adding and removing one changes no row: the next sync
/// brings what is new and drops what no part has any more. Rows with unsent edits stay until these are answered.
///
/// A filter may be a function, such as one of this month. Each sync asks it once, and its last value is kept. A process
/// that opens the file anew adds the part again, under the same name; until then the last value counts.
///
/// A server of a version before parts sends everything.
public struct Parts: Sendable {
    let replica: Replica
}

/// A part of which a replica holds the rows.
public struct NamedPart: Sendable, Equatable {
    /// The name that the app has given it.
    public let name: String
    /// Which rows it has; of a function, the last value.
    public let filter: PartFilter
    /// How long it is asked for after it was removed.
    public let keepHours: Int
    /// Until when it is asked for, if it was removed.
    public let keptUntil: Instant?
    /// Whether the replica shows a state that was, with all of the part's rows.
    public let isReady: Bool
}

extension Replica {
    /// What this replica holds of its project, or of all projects.
    public var parts: Parts { Parts(replica: self) }
}

extension Parts {
    /// Adds a part, or gives the part of this name another filter. After `remove` it is asked for `keepHours` longer,
    /// so that a screen that is opened again has its rows.
    ///
    /// Throws `PartError`, and changes nothing, if the filter is none, if the schema known so far does not have its
    /// fields, or if all parts together are above a limit. Removed parts that are kept give way first, the oldest
    /// first.
    public func add(_ name: String, _ filter: PartFilter, keepHours: Int = 0) throws {
        try add(name, filter, keepHours: keepHours, asking: nil, at: SyncEnvironment.live.wallClock())
    }

    /// Adds a part whose filter changes with the time. Each sync asks `filter` once.
    public func add(
        _ name: String, keepHours: Int = 0, filter: @escaping @Sendable () throws -> PartFilter
    ) throws {
        try add(name, filter(), keepHours: keepHours, asking: filter, at: SyncEnvironment.live.wallClock())
    }

    /// Gives a part another filter. Throws as `add`, and `PartError.unknownPart`.
    public func update(_ name: String, _ filter: PartFilter) throws {
        let part = try named(name)
        try add(name, filter, keepHours: part.keepHours)
    }

    /// Removes a part. Its rows leave with the first sync after `keepHours`, unless another part has them. Does nothing
    /// if there is none.
    public func remove(_ name: String) throws { try remove(name, at: SyncEnvironment.live.wallClock()) }

    /// All parts by name, also removed ones that are still asked for.
    public func list() throws -> [NamedPart] {
        try replica.read { db in
            let state = try Replica.state(db)
            return try PartTable(db: db).all().map { part in
                NamedPart(
                    name: part.name, filter: part.filter, keepHours: part.keepHours, keptUntil: part.until,
                    isReady: state.settled != nil && state.filter.covers(part.filter))
            }
        }
    }

    /// Waits until the replica holds the part: a sync, here or in another process, has settled with it. Looks at
    /// intervals of `look`. Throws `PartError.unknownPart` if it is removed, and `CancellationError`.
    public func ready(_ name: String, look: Duration = .milliseconds(100)) async throws {
        let ear = try ReplicaEar(path: replica.path)
        while true {
            if try ear.hasHeard(), try named(name).isReady { return }
            try await Task.sleep(for: look)
        }
    }

    /// The part of this name, if it was not removed. Throws `PartError.unknownPart`.
    private func named(_ name: String) throws -> NamedPart {
        guard let part = try list().first(where: { $0.name == name && $0.keptUntil == nil }) else {
            throw PartError.unknownPart(name)
        }
        return part
    }
}

extension Parts {
    func add(
        _ name: String, _ filter: PartFilter, keepHours: Int,
        asking function: (@Sendable () throws -> PartFilter)?, at now: Instant
    ) throws {
        guard !filter.isEverything else { throw PartError.namesNothing }
        try replica.localSchema()?.check(filter)
        try replica.writeDurably { db in
            let table = PartTable(db: db)
            try table.forgetExpired(at: now)
            try table.save(StoredPart(name: name, filter: filter, keepHours: keepHours))
            try table.makeRoom()
        }
        replica.partFunctions.set(function, for: name)
    }

    func remove(_ name: String, at now: Instant) throws {
        try replica.writeDurably { db in
            let table = PartTable(db: db)
            try table.forgetExpired(at: now)
            guard var part = try table.all().first(where: { $0.name == name && $0.until == nil }) else { return }
            part.until = Instant(milliseconds: now.milliseconds + Int64(part.keepHours) * 3_600_000)
            if part.keepHours == 0 { try table.forget(name) } else { try table.save(part) }
        }
        replica.partFunctions.set(nil, for: name)
    }

    /// The filter that a sync asks for now. Functions are asked, and what they say is kept. Throws `PartError`, and
    /// what a function throws.
    func wanted(at now: Instant) throws -> PartFilter {
        let stored = try replica.read { try PartTable(db: $0).all() }
        guard !stored.isEmpty else { return .everything }
        let said = try replica.partFunctions.values(of: stored.filter { $0.until == nil }.map(\.name))
        let isOld = stored.contains { part in
            part.until.map { $0 <= now } ?? said[part.name].map { $0 != part.filter } ?? false
        }
        guard isOld else { return try PartFilter.union(of: stored.map(\.filter)) }
        return try replica.write { db in
            let table = PartTable(db: db)
            try table.forgetExpired(at: now)
            for var part in try table.all() where part.until == nil {
                guard let filter = said[part.name], filter != part.filter else { continue }
                part.filter = filter
                try table.save(part)
            }
            try table.makeRoom()
            return try table.union()
        }
    }

    /// The filter of the parts as they are stored. Nil if the replica's watermark is good for it.
    func changed() throws -> PartFilter? {
        try replica.read { db in
            let wanted = try PartTable(db: db).union()
            return try wanted == Replica.state(db).filter ? nil : wanted
        }
    }
}

extension ServerSchema {
    /// Throws `PartError` if the schema does not have the filter's collections, or does not let its fields be in one. A
    /// server of a version before parts has no such fields, and sends everything.
    fileprivate func check(_ filter: PartFilter) throws {
        guard hasFilterableFields else { return }
        for (name, entries) in (filter.json.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            if name == ProjectColumn.collection {
                guard isForAllProjects else { throw PartError.ofAllProjects }
                if self[name] == nil { continue }
            }
            guard let collection = self[name] else { throw PartError.unknownCollection(name) }
            let fields = Set((entries.array ?? []).flatMap { ($0.object ?? [:]).keys })
            for field in fields.sorted() where !collection.filterable.contains(field) {
                throw PartError.notFilterable(field: field, collection: name)
            }
        }
    }

    private var hasFilterableFields: Bool { collections.contains { !$0.filterable.isEmpty } }
}

extension CollectionSchema {
    /// The fields that can be in a filter.
    fileprivate var filterable: Set<String> {
        Set((document["properties"]?.object ?? [:]).filter { $0.value["x-filterable"] == true }.keys)
    }
}

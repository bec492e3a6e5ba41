package import SyncProtocol
package import SyncSchema
package import SyncStore
package import SyncStoreSQL
package import SyncStoreSQLite

#if PostgreSQL
    package import SyncStorePostgreSQL
#endif

/// The store of the database that the operator named.
package enum EngineStore: SyncStore {
    case sqlite(SQLiteStore)
    #if PostgreSQL
        case postgreSQL(PostgreSQLStore)
    #endif

    /// Whether the text is the address of a server and not the path of a file.
    package static func isServer(_ database: String) -> Bool {
        ["postgres://", "postgresql://"].contains { database.hasPrefix($0) }
    }

    /// The database as it may be shown: the path of a file, or the address of a server without its password.
    package static func name(of database: String) -> String {
        #if PostgreSQL
            if isServer(database), let address = try? ServerAddress(database) { return address.description }
        #endif
        return database
    }

    /// Opens the database of a PostgreSQL server. Nil if the text is not a server's address.
    ///
    /// `mender` makes rows follow a changed schema. `report` is told why a server waits for its database.
    package init?(
        server text: String, _ registry: Registry, _ opener: DatabaseOpener, mender: any RowMender,
        report: @escaping @Sendable (String) -> Void
    ) throws {
        guard EngineStore.isServer(text) else { return nil }
        #if PostgreSQL
            self = .postgreSQL(
                try PostgreSQLStore(
                    address: ServerAddress(text), registry: registry, opener: opener, mender: mender, report: report))
        #else
            throw EngineStore.missing
        #endif
    }

    private var store: any SyncStore {
        switch self {
        case .sqlite(let store): store
        #if PostgreSQL
            case .postgreSQL(let store): store
        #endif
        }
    }

    package func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await store.read(scope, body) }

    package func readInline<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await store.readInline(scope, body) }

    package func mark(of scope: MarkScope) async throws -> CommitMark { try await store.mark(of: scope) }

    package func stream(
        _ scope: StoreScope, _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws { try await store.stream(scope, body) }

    package func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value { try await store.write(scope, priority: priority, needing: needs, body) }

    package func onCommit(_ body: @escaping @Sendable () -> Void) { store.onCommit(body) }

    package func exclusively(_ job: UpkeepJob, _ body: () async throws -> Void) async throws -> Bool {
        try await store.exclusively(job, body)
    }

    package func tidyUp(at now: Instant) async throws { try await store.tidyUp(at: now) }

    package var throttle: (any Throttle)? { store.throttle }

    package var servers: Int { store.servers }

    package var troubles: StoreTroubles { store.troubles }

    package func recover() async { await store.recover() }

    package func noteSound() { store.noteSound() }

    package var metrics: StoreMetrics { store.metrics }

    /// Calls `body` when the store can't be used any more, with the reason: the process must start again. A file is
    /// usable until it is closed.
    package func onEnd(_ body: @escaping @Sendable (StoreError) -> Void) {
        #if PostgreSQL
            if case .postgreSQL(let store) = self { store.onEnd(body) }
        #endif
    }

    /// What services on this store take for the time: the machine's clock, or that of a database on another machine.
    package var clock: WallClock {
        #if PostgreSQL
            if case .postgreSQL(let store) = self { return store.clock }
        #endif
        return .system
    }

    /// Calls `body` with a sentence for the operator when the clocks of this machine and of the database's part, and
    /// when they agree again. A file has no clock of its own.
    package func onClockGap(_ body: @escaping @Sendable (String) -> Void) {
        #if PostgreSQL
            if case .postgreSQL(let store) = self { store.onClockGap(body) }
        #endif
    }

    /// The jump that opening made, if the database was restored, or a failover lost commits.
    package var jumpAtOpening: RestoreJump? {
        switch self {
        case .sqlite(let store): store.jumpAtOpening
        #if PostgreSQL
            case .postgreSQL(let store): store.jumpAtOpening
        #endif
        }
    }

    package var registry: Registry {
        switch self {
        case .sqlite(let store): store.registry
        #if PostgreSQL
            case .postgreSQL(let store): store.registry
        #endif
        }
    }

    /// How opening changed rows that don't follow a changed schema.
    package var mendingAtOpening: Mending {
        switch self {
        case .sqlite(let store): store.mendingAtOpening
        #if PostgreSQL
            case .postgreSQL(let store): store.mendingAtOpening
        #endif
        }
    }

    /// Deletes the values and rows of fields and collections with `x-removed`, and adds `entry` to the audit list, in
    /// one transaction. Servers can go on serving.
    package func prune(
        noting entry: @escaping @Sendable (PruneReport) -> AuditEntry? = { _ in nil }
    ) async throws -> PruneReport {
        switch self {
        case .sqlite(let store): try await store.prune(noting: entry)
        #if PostgreSQL
            case .postgreSQL(let store): try await store.prune(noting: entry)
        #endif
        }
    }

    package var isFile: Bool { if case .sqlite = self { true } else { false } }

    /// Closes the database. Afterwards nothing may use the store.
    package func close() throws {
        switch self {
        case .sqlite(let store): try store.close()
        #if PostgreSQL
            case .postgreSQL(let store): store.close()
        #endif
        }
    }

    /// The store of a database file. Throws a `StoreError` for a database on a server: `what` is for files, and
    /// `instead` says what to do.
    package func requireFile(_ what: String, instead: String) throws(StoreError) -> SQLiteStore {
        guard case .sqlite(let store) = self else {
            throw StoreError("\(what) is for database files.", hint: instead)
        }
        return store
    }
}

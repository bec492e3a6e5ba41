import GRDB
public import SyncProtocol

/// What a field's value must be, in a query.
public enum RowCondition: Sendable, Equatable {
    /// This value. Null finds rows without one.
    case equals(JSON)
    /// At least the first value, and below the second one; nil for no bound. Rows without a value are not found.
    case range(from: JSON?, below: JSON?)
    /// A text that begins so. Texts are compared by their bytes.
    case prefix(String)
}

/// Which rows of a collection, in which order: as an app shows them, with the edits made here and without rows that
/// were deleted here.
public struct RowQuery: Sendable, Equatable {
    /// The collection's name.
    public var collection: String
    /// Only rows of this project; nil for all.
    public var project: String?
    /// What fields must be, by name. Rows that meet all of them are found.
    public var conditions: [String: RowCondition]
    /// Fields, each with a leading `-` for descending. As in the server's lists, null comes before every value, texts
    /// are ordered by their bytes, and rows that are equal in all fields by id.
    public var order: [String]
    /// The most rows; nil for all.
    public var limit: Int?

    /// Makes a query.
    public init(
        _ collection: String, in project: String? = nil, where conditions: [String: RowCondition] = [:],
        order: [String] = [], limit: Int? = nil
    ) {
        self.collection = collection
        self.project = project
        self.conditions = conditions
        self.order = order
        self.limit = limit
    }
}

extension Replica {
    /// The rows that a query finds. Each is an object, as in `rows(of:)`.
    ///
    /// With an index whose fields begin with those of the conditions and go on with those of the order
    /// (`init(path:scope:schema:indexes:)`), only the rows that are returned are read; without one, all rows of the
    /// collection. Throws `ReplicaError.unknownCollection` and `unknownField`.
    public func rows(_ query: RowQuery) throws -> [JSON] { try rows(query, unsettled: true) ?? [] }

    /// Nil if the file shows no state that was, unless `unsettled`.
    private func rows(_ query: RowQuery, unsettled: Bool) throws -> [JSON]? {
        let schema = try known(query.collection)
        let statement = try QueryStatement(query, of: schema)
        return try read { db in
            guard try unsettled || Self.state(db).showsWhatWas else { return nil }
            return try Row.fetchAll(db, sql: statement.sql, arguments: statement.arguments)
                .map { try StoredRow($0, schema: schema).json }
        }
    }

    /// The rows that a query finds, now and after each change of them, by edits here, by a sync, or by another process.
    /// Each element is of a settled state, with the edits made here on top, or of a replica that was never pulled; with
    /// `unsettled`, rows that come before the first settled state are shown, too. A slow reader gets the newest state
    /// and misses those before it.
    ///
    /// Looks for changes at intervals of `look`; a look costs microseconds. Ends when the task is cancelled, or with
    /// the errors of `rows(_:)`.
    public func observe(
        _ query: RowQuery, unsettled: Bool = false, look: Duration = .milliseconds(100)
    ) -> AsyncThrowingStream<[JSON], any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { stream in
            let task = Task {
                do {
                    try await watch(query, unsettled: unsettled, look: look) { stream.yield($0) }
                } catch {
                    stream.finish(throwing: error is CancellationError ? nil : error)
                }
            }
            stream.onTermination = { _ in task.cancel() }
        }
    }

    private func watch(
        _ query: RowQuery, unsettled: Bool, look: Duration, _ show: ([JSON]) -> Void
    ) async throws {
        let ear = try ReplicaEar(path: path)
        var last: [JSON]?
        while true {
            if try ear.hasHeard(), let rows = try rows(query, unsettled: unsettled) {
                if rows != last { show(rows) }
                last = rows
            }
            try await Task.sleep(for: look)
        }
    }
}

extension ReplicaState {
    /// Whether the rows are those of a settled state, or no page was ever stored. A first drain that was dropped has
    /// left the rows of its pages.
    var showsWhatWas: Bool { settled != nil || drainNumber == 0 && drain == nil }
}

import SyncProtocol
import SyncStore

/// Deletes the values and rows of fields and collections with `x-removed`, also from the history and the inboxes. Runs
/// in one transaction.
package struct Prune<Tables: SchemaTables> {
    /// The number of records that are read at once.
    private static var step: Int { 500 }

    private let tables: Tables
    private var transaction: Tables.Transaction { tables.transaction }

    package init(_ tables: Tables) { self.tables = tables }

    package func run() throws -> PruneReport {
        var removed = try RemovedData(transaction)
        var report = PruneReport(collections: removed.collections.keys.sorted())
        var columns: [(field: String, collection: String)] = []
        for (collection, fields) in removed.fields.sorted(by: { $0.key < $1.key })
        where removed.collections[collection] == nil {
            columns += fields.keys.sorted().map { ($0, collection) }
        }
        report.fields = columns.map { "\($0.collection).\($0.field)" }
        for (field, collection) in columns { try forget(field, of: collection) }
        for collection in report.collections {
            report.rows += Int(try transaction.first("SELECT count(*) FROM \"\(collection)\"") { $0.integer(0) } ?? 0)
            try forget(collection)
        }
        // Last, because from here on nobody can read the tables until the transaction ends.
        for (field, collection) in columns { try tables.dropColumn(field, of: collection) }
        for collection in report.collections { try tables.drop(collection) }
        removed.fields = [:]
        removed.collections = [:]
        try removed.save(transaction)
        return report
    }

    private func forget(_ collection: String) throws {
        for table in ["tidemark_changes", "tidemark_inbox", "tidemark_former_owners", "tidemark_listed"] {
            try transaction.run("DELETE FROM \(table) WHERE collection = ?1", [.string(collection)])
        }
    }

    private func forget(_ field: String, of collection: String) throws {
        try transaction.run(
            "DELETE FROM tidemark_inbox WHERE collection = ?1 AND field = ?2", [.string(collection), .string(field)])
        try forgetInHistory(field, of: collection)
        // Only sightings with values name the field like this.
        try transaction.run(
            "UPDATE tidemark_changes SET sightings = NULL WHERE collection = ?1 AND sightings LIKE ?2",
            [.string(collection), .string("%\"\(field)\":%")])
        for column in ["sent", "kept"] { try forgetInInbox(field, of: collection, column) }
    }

    private func forgetInHistory(_ field: String, of collection: String) throws {
        var last: (row: String, version: Int64) = ("", 0)
        while true {
            let found = try transaction.all(
                """
                SELECT row_id, server_version, replaced FROM tidemark_changes
                WHERE collection = ?1 AND (row_id, server_version) > (?2, ?3) AND replaced LIKE ?4
                ORDER BY row_id, server_version LIMIT \(Self.step)
                """, [.string(collection), .string(last.row), .int(last.version), Self.pattern(of: field)]
            ) { (row: $0.string(0), version: $0.integer(1), text: $0.string(2)) }
            guard let end = found.last else { return }
            last = (end.row, end.version)
            for edit in found {
                guard let text = Self.without(field, edit.text) else { continue }
                try transaction.run(
                    """
                    UPDATE tidemark_changes SET replaced = ?4
                    WHERE collection = ?1 AND row_id = ?2 AND server_version = ?3
                    """, [.string(collection), .string(edit.row), .int(edit.version), .string(text)])
            }
        }
    }

    private func forgetInInbox(_ field: String, of collection: String, _ column: String) throws {
        var last: Int64 = 0
        while true {
            let found = try transaction.all(
                """
                SELECT id, \(column) FROM tidemark_inbox WHERE collection = ?1 AND id > ?2 AND \(column) LIKE ?3
                ORDER BY id LIMIT \(Self.step)
                """, [.string(collection), .int(last), Self.pattern(of: field)]
            ) { (id: $0.integer(0), text: $0.string(1)) }
            guard let end = found.last else { return }
            last = end.id
            for edit in found {
                guard let text = Self.without(field, edit.text) else { continue }
                try transaction.run(
                    "UPDATE tidemark_inbox SET \(column) = ?2 WHERE id = ?1", [.int(edit.id), .string(text)])
            }
        }
    }

    /// Finds all texts of objects that have the member, and a few others.
    private static func pattern(of field: String) -> JSON { .string("%\"\(field)\"%") }

    /// The object without the member; nil if the text is no object that has it.
    private static func without(_ field: String, _ text: String) -> String? {
        guard let members = (try? JSON(parsing: text))?.object, members[field] != nil else { return nil }
        return JSON.object(members.filter { ![field, RowChange.sentName(field)].contains($0.key) }).text
    }
}

/// What a prune removed.
package struct PruneReport: Sendable, Equatable {
    /// Names as in `tasks.notes`.
    package internal(set) var fields: [String] = []
    package internal(set) var collections: [String] = []
    /// The number of rows of the collections, tombstones included.
    package internal(set) var rows = 0

    package init(fields: [String] = [], collections: [String] = [], rows: Int = 0) {
        self.fields = fields
        self.collections = collections
        self.rows = rows
    }
}

/// The fields and collections that `x-removed` took out of the schema but whose data is still in the database. Recorded
/// there, because the schema files may stop naming them.
struct RemovedData {
    private static let setting = "removed"

    /// The schemas that the columns of removed fields were made for, by collection and field.
    var fields: [String: [String: JSON]] = [:]
    /// The documents of removed collections, by name.
    var collections: [String: JSON] = [:]

    var isEmpty: Bool { collections.isEmpty && fields.values.allSatisfy(\.isEmpty) }

    init(_ transaction: some SQLTransaction) throws {
        guard let json = try transaction.setting(Self.setting).map(JSON.init(parsing:)) else { return }
        fields = json["fields"]?.object?.mapValues { $0.object ?? [:] } ?? [:]
        collections = json["collections"]?.object ?? [:]
    }

    func save(_ transaction: some SQLTransaction) throws {
        guard !isEmpty else { return try transaction.set(Self.setting, to: nil) }
        let json: JSON = [
            "fields": .object(fields.filter { !$0.value.isEmpty }.mapValues(JSON.object)),
            "collections": .object(collections),
        ]
        try transaction.set(Self.setting, to: json.text)
    }
}

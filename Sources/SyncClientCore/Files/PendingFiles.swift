import GRDB
import SyncProtocol

/// The files that rows of a replica name, and of which they do not say that the server has them.
struct PendingFiles {
    /// A field that names files, as SQL.
    private struct Field {
        let table: String
        let name: String
        /// The field that says whether the server has the file.
        let state: String
    }

    private let db: Database
    private let fields: [Field]

    init(_ schema: ServerSchema?, _ db: Database) {
        self.db = db
        fields = (schema?.collections ?? []).flatMap { collection in
            collection.columns.compactMap { column in
                column.fileState.map {
                    Field(
                        table: SQLName.quoted(collection.name), name: SQLName.quoted(column.name),
                        state: SQLName.quoted($0))
                }
            }
        }
    }

    /// The digests of files of which a row does not say that the server has them. With `synced`, only rows without
    /// unsent edits count.
    func digests(synced: Bool = false) throws -> Set<String> {
        try fields.reduce(into: []) { digests, field in
            let isLive = synced ? "_status = 'synced'" : "_status <> 'deleted'"
            let sql = """
                SELECT \(field.name) FROM \(field.table)
                WHERE \(isLive) AND \(field.name) IS NOT NULL AND coalesce(\(field.state), '') <> 'stored'
                """
            digests.formUnion(try String.fetchAll(db, sql: sql))
        }
    }
}

extension ColumnSchema {
    /// The field that says whether the server has the file that this one names; nil if this one names none.
    fileprivate var fileState: String? {
        document["format"]?.string == "blob" ? document["x-blob"]?["state"]?.string : nil
    }
}

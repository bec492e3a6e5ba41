import GRDB
import SyncProtocol

/// The rows of a replica that name files.
struct FileRows {
    /// A field that names files.
    private struct Field {
        let collection: CollectionSchema
        let name: String
        /// The field that says whether the server has the file.
        let state: String
        /// The field with its size; nil if there is none.
        let size: String?

        var table: String { SQLName.quoted(collection.name) }
        var isStored: String { "coalesce(\(SQLName.quoted(state)), '') = 'stored'" }
    }

    private let db: Database
    private let fields: [Field]

    init(_ schema: ServerSchema?, _ db: Database) {
        self.db = db
        fields = (schema?.collections ?? []).flatMap { collection in
            collection.columns.compactMap { column in
                guard column.document["format"]?.string == "blob", let blob = column.document["x-blob"],
                    let state = blob["state"]?.string
                else { return nil }
                return Field(collection: collection, name: column.name, state: state, size: blob["size"]?.string)
            }
        }
    }

    /// The digests of files of which a row does not say that the server has them. With `synced`, only rows without
    /// unsent edits count.
    func pending(synced: Bool = false) throws -> Set<String> {
        try fields.reduce(into: []) { digests, field in
            let name = SQLName.quoted(field.name)
            let isLive = synced ? "_status = 'synced'" : "_status <> 'deleted'"
            let sql = """
                SELECT \(name) FROM \(field.table) WHERE \(isLive) AND \(name) IS NOT NULL AND NOT \(field.isStored)
                """
            digests.formUnion(try String.fetchAll(db, sql: sql))
        }
    }

    /// A file that the server has, and that is not here.
    struct Absent {
        let digest: String
        /// Nil if the row does not tell.
        let size: Int64?
        let row: JSON
        let collection: String
    }

    /// Calls `body` with what rows say that the server has, and the replica has not. In a replica of all projects, a
    /// file is one of its project.
    func visitAbsent(inAllProjects: Bool, _ body: (Absent) -> Void) throws {
        let isSame = inAllProjects ? " AND project = it.\(ProjectColumn.name)" : ""
        for field in fields {
            let name = SQLName.quoted(field.name)
            let sql = """
                SELECT * FROM \(field.table) AS it WHERE _status <> 'deleted' AND \(field.isStored)
                  AND NOT EXISTS (SELECT 1 FROM _file WHERE digest = it.\(name)\(isSame))
                ORDER BY id
                """
            let rows = try Row.fetchCursor(db, sql: sql)
            while let next = try rows.next() {
                let row = try StoredRow(next, schema: field.collection).json
                guard let digest = row[field.name]?.string else { continue }
                let size = field.size.flatMap { row[$0]?.int }
                body(Absent(digest: digest, size: size, row: row, collection: field.collection.name))
            }
        }
    }
}

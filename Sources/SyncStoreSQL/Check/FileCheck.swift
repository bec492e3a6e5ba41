import SyncProtocol
import SyncSchema
package import SyncStore

/// What has to hold between rows, what is recorded of the files that they name, and the bytes of these.
package struct FileCheck {
    private let inspector: any FileInspector
    /// The table of files that is made last. A database that no server has opened since there are files lacks it.
    package static let lastTable = "tidemark_upload_parts"
    /// The files of projects that rows name.
    package static let named =
        "SELECT \(StoredFile.columns) FROM tidemark_files WHERE unnamed_at IS NULL ORDER BY place"

    package init(_ inspector: any FileInspector) { self.inspector = inspector }

    /// What is wrong with the bytes of a row of `named`; nil if nothing is.
    package func finding(_ row: some SQLRow) throws -> CheckFinding? {
        let file = StoredFile(row)
        guard let fault = try inspector.fault(of: file) else { return nil }
        return CheckFinding(
            code: fault == .missing ? .missingFile : .changedFile, place: inspector.name, project: file.project,
            subject: file.place)
    }

    /// Says how many files there are that the database does not know; nil if there are none. `known` returns the
    /// results of a query with one text.
    package func surplus(_ known: (_ sql: String) throws -> [String]) throws -> String? {
        var (count, bytes): (Int, Int64) = (0, 0)
        try inspector.visit { prefix, files in
            let places = Set(try known(FileCheck.known(prefix)))
            for (place, size) in files where !places.contains(place) { (count, bytes) = (count + 1, bytes + size) }
        }
        guard count > 0 else { return nil }
        return "\(counted(count, "file")) of \(bytes) bytes in \(inspector.name) \(count == 1 ? "is" : "are") not "
            + "known to the database. The server removes them when they are as old as files that no row names."
    }

    private static func known(_ prefix: String) -> String {
        """
        SELECT place FROM tidemark_files WHERE \(range(prefix))
        UNION ALL SELECT place FROM tidemark_missing_files WHERE \(range(prefix))
        """
    }

    /// Of those in `named` the places that begin with the prefix, which is not empty.
    package static func named(_ prefix: String) -> String {
        "SELECT place FROM tidemark_files WHERE \(range(prefix)) AND unnamed_at IS NULL"
    }

    /// The characters of places are ASCII.
    private static func range(_ prefix: String) -> String {
        let next = prefix.unicodeScalars.last.flatMap { UnicodeScalar($0.value + 1) }.map(String.init) ?? ""
        return "place >= '\(prefix)' AND place < '\(prefix.dropLast())\(next)'"
    }
}

extension CheckQuery {
    /// Queries about what is recorded of files.
    static func files(of registry: Registry) -> [CheckQuery] {
        let fields = registry.collections.flatMap { collection in
            collection.fields.filter { $0.blob != nil }.map { (collection, $0) }
        }
        return fields.flatMap(names) + [use, unnamed, unsent, uploads]
    }

    private static func names(of collection: Collection, _ field: Field) -> [CheckQuery] {
        let column = "t.\"\(field.name)\""
        let place = "n.collection = '\(collection.name)' AND n.field = '\(field.name)'"
        let rows = "\"\(collection.name)\" t WHERE t.is_deleted = 0 AND length(\(column)) = 64"
        let named = "n.project_id = t.project_id AND n.digest = \(column) AND \(place) AND n.row_id = t.id"
        let subject = "|| '.\(field.name)'"
        var queries = [
            CheckQuery(
                .wrongDerivation, in: "tidemark_file_names",
                """
                SELECT t.project_id, t.id \(subject) FROM \(rows)
                  AND NOT EXISTS (SELECT 1 FROM tidemark_file_names n WHERE \(named))
                UNION ALL
                SELECT n.project_id, n.row_id \(subject) FROM tidemark_file_names n WHERE \(place)
                  AND NOT EXISTS (SELECT 1 FROM \(rows) AND \(named))
                """)
        ]
        if let state = field.blob?.state {
            queries.append(
                CheckQuery(
                    .wrongDerivation, in: collection.name,
                    """
                    SELECT t.project_id, t.id || '.\(state)' FROM "\(collection.name)" t
                    LEFT JOIN tidemark_file_names n ON \(named)
                    WHERE t.is_deleted = 0 AND (t."\(state)" = '\(Field.BlobState.stored.rawValue)')
                      <> (COALESCE(n.is_stored, 0) = 1)
                    """))
        }
        return queries
    }

    /// The counters of projects.
    private static let use = CheckQuery(
        .wrongDerivation, in: "tidemark_file_use",
        """
        WITH truth AS (SELECT project_id, count(*) AS files, sum(size) AS bytes FROM tidemark_files GROUP BY project_id)
        SELECT u.project_id, 'files' FROM tidemark_file_use u LEFT JOIN truth t ON t.project_id = u.project_id
        WHERE u.files <> COALESCE(t.files, 0) OR u.bytes <> COALESCE(t.bytes, 0)
        UNION ALL SELECT t.project_id, 'files' FROM truth t
        WHERE NOT EXISTS (SELECT 1 FROM tidemark_file_use u WHERE u.project_id = t.project_id)
        """)

    /// Since when no row names a file.
    private static let unnamed = CheckQuery(
        .wrongDerivation, in: "tidemark_files",
        """
        SELECT f.project_id, f.digest FROM tidemark_files f WHERE (f.unnamed_at IS NULL) <> EXISTS (
          SELECT 1 FROM tidemark_file_names n WHERE n.project_id = f.project_id AND n.digest = f.digest)
        """)

    /// What uploads have received.
    private static let uploads = CheckQuery(
        .wrongDerivation, in: "tidemark_uploads",
        """
        SELECT u.project_id, u.id FROM tidemark_uploads u WHERE u.finished_at IS NULL AND u.received <> COALESCE(
          (SELECT sum(p.bytes) FROM tidemark_upload_parts p WHERE p.upload_id = u.id), 0)
        """)

    /// Names of files that nobody has sent.
    private static let unsent = CheckQuery(
        .wrongDerivation, in: "tidemark_file_names",
        """
        SELECT n.project_id, n.row_id || '.' || n.field FROM tidemark_file_names n WHERE n.is_stored = 1
        AND NOT EXISTS (SELECT 1 FROM tidemark_files f WHERE f.project_id = n.project_id AND f.digest = n.digest)
        """)
}

import GRDB

/// The table of a removed collection. It keeps its rows, without constraints that could interfere with other tables.
struct KeptTable {
    private let name: String
    private let db: Database

    init(_ name: String, _ db: Database) {
        self.name = name
        self.db = db
    }

    /// Removes indexes and foreign keys, which would keep rows of other
    /// tables from being purged, and the data derived from the rows.
    func detach() throws {
        let columns = try db.columns(in: name)
        let definitions = columns.map { "\"\($0.name)\" \($0.type)" + ($0.name == "id" ? " NOT NULL PRIMARY KEY" : "") }
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        try db.execute(
            sql: """
                CREATE TABLE tidemark_rebuilt (\(definitions.joined(separator: ", "))) STRICT;
                INSERT INTO tidemark_rebuilt (\(names)) SELECT \(names) FROM "\(name)" ORDER BY rowid;
                DROP TABLE "\(name)";
                ALTER TABLE tidemark_rebuilt RENAME TO "\(name)"
                """)
        try ListReferences.forget(name, db)
        for table in ["tidemark_row_counts", "tidemark_digests"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE collection = ?1", arguments: [name])
        }
    }
}

import GRDB

extension Database {
    /// The value of a setting in `tidemark_settings`; nil if there is none.
    func setting(_ name: String) throws -> String? {
        try String.fetchOne(self, sql: "SELECT value FROM tidemark_settings WHERE name = ?1", arguments: [name])
    }

    /// Writes a setting; nil removes it.
    func set(_ name: String, to value: String?) throws {
        guard let value else {
            return try execute(sql: "DELETE FROM tidemark_settings WHERE name = ?1", arguments: [name])
        }
        try execute(
            sql: """
                INSERT INTO tidemark_settings (name, value) VALUES (?1, ?2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, arguments: [name, value])
    }
}

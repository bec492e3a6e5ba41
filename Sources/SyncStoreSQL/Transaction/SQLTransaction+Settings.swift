import SyncProtocol

extension SQLTransaction {
    /// The value of a setting in `tidemark_settings`; nil if there is none.
    package func setting(_ name: String) throws -> String? {
        try first("SELECT value FROM tidemark_settings WHERE name = ?1", [.string(name)]) { $0.string(0) }
    }

    /// Writes a setting; nil removes it.
    package func set(_ name: String, to value: String?) throws {
        guard let value else {
            return try run("DELETE FROM tidemark_settings WHERE name = ?1", [.string(name)])
        }
        try run(
            """
            INSERT INTO tidemark_settings (name, value) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """, [.string(name), .string(value)])
    }
}

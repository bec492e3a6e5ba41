import SyncProtocol

extension SQLTransaction {
    package func secret(_ name: String) throws -> String? {
        try first("SELECT value FROM tidemark_settings WHERE name = 'secret_' || ?1", [.string(name)]) {
            $0.string(0)
        }
    }

    package func setSecret(_ name: String, _ value: String) throws {
        try run(
            "INSERT INTO tidemark_settings (name, value) VALUES ('secret_' || ?1, ?2)", [.string(name), .string(value)])
    }
}

import GRDB
import SyncProtocol

extension SQLiteTransaction {
    func secret(_ name: String) throws -> String? {
        try db.first("SELECT value FROM tidemark_settings WHERE name = 'secret_' || ?1", [.string(name)]) {
            $0.string(0)
        }
    }

    func setSecret(_ name: String, _ value: String) throws {
        try execute("INSERT INTO tidemark_settings (name, value) VALUES ('secret_' || ?1, ?2)", [name, value])
    }
}

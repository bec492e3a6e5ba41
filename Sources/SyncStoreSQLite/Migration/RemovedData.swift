import GRDB
import SyncProtocol

/// What `x-removed` took away and left in the file. Recorded there, since the schema files need not say so for ever.
struct RemovedData {
    private static let setting = "removed"

    /// Of fields: the schemas that their columns were made for, by collection and name.
    var fields: [String: [String: JSON]] = [:]
    /// Of collections: their documents.
    var collections: [String: JSON] = [:]

    var isEmpty: Bool { collections.isEmpty && fields.values.allSatisfy(\.isEmpty) }

    init(_ db: Database) throws {
        let text = try String.fetchOne(
            db, sql: "SELECT value FROM tidemark_settings WHERE name = ?1", arguments: [Self.setting])
        guard let json = try text.map(JSON.init(parsing:)) else { return }
        fields = json["fields"]?.object?.mapValues { $0.object ?? [:] } ?? [:]
        collections = json["collections"]?.object ?? [:]
    }

    func save(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM tidemark_settings WHERE name = ?1", arguments: [Self.setting])
        guard !isEmpty else { return }
        let json: JSON = [
            "fields": .object(fields.filter { !$0.value.isEmpty }.mapValues(JSON.object)),
            "collections": .object(collections),
        ]
        try db.execute(
            sql: "INSERT INTO tidemark_settings (name, value) VALUES (?1, ?2)", arguments: [Self.setting, json.text])
    }
}

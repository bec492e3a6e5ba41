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
        guard let json = try db.setting(Self.setting).map(JSON.init(parsing:)) else { return }
        fields = json["fields"]?.object?.mapValues { $0.object ?? [:] } ?? [:]
        collections = json["collections"]?.object ?? [:]
    }

    func save(_ db: Database) throws {
        guard !isEmpty else { return try db.set(Self.setting, to: nil) }
        let json: JSON = [
            "fields": .object(fields.filter { !$0.value.isEmpty }.mapValues(JSON.object)),
            "collections": .object(collections),
        ]
        try db.set(Self.setting, to: json.text)
    }
}

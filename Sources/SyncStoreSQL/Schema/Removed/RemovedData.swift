import SyncProtocol

/// The fields and collections that `x-removed` took out of the schema but whose data is still in the database. Recorded
/// there, because the schema files may stop naming them.
struct RemovedData {
    private static let setting = "removed"

    /// The schemas that the columns of removed fields were made for, by collection and field.
    var fields: [String: [String: JSON]] = [:]
    /// The documents of removed collections, by name.
    var collections: [String: JSON] = [:]

    var isEmpty: Bool { collections.isEmpty && fields.values.allSatisfy(\.isEmpty) }

    init(_ transaction: some SQLTransaction) throws {
        guard let json = try transaction.setting(Self.setting).map(JSON.init(parsing:)) else { return }
        fields = json["fields"]?.object?.mapValues { $0.object ?? [:] } ?? [:]
        collections = json["collections"]?.object ?? [:]
    }

    func save(_ transaction: some SQLTransaction) throws {
        guard !isEmpty else { return try transaction.set(Self.setting, to: nil) }
        let json: JSON = [
            "fields": .object(fields.filter { !$0.value.isEmpty }.mapValues(JSON.object)),
            "collections": .object(collections),
        ]
        try transaction.set(Self.setting, to: json.text)
    }
}

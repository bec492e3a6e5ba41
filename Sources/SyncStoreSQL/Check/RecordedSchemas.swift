import SyncProtocol
package import SyncSchema

/// The collections that a database's tables were made for, as its settings say.
package enum RecordedSchemas {
    package static func registry(_ setting: String?) throws -> Registry {
        let documents = try JSON(parsing: setting ?? "").array ?? []
        return try Registry(documents: documents.map { ($0["title"]?.string ?? "", $0) })
    }
}

import SyncProtocol

/// A value by which drafted rows are looked up: of a field, or of a unique key.
struct DraftIndexKey: Hashable {
    let collection: String
    let name: String
    let value: JSON

    init(_ collection: String, _ name: String, _ value: JSON) {
        self.collection = collection
        self.name = name
        self.value = value
    }
}

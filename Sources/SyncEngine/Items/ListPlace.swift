import Foundation
package import SyncProtocol
import SyncSchema

/// A row's place in a list that is filtered or sorted: its sort keys, then its creation. It stays where it is when the
/// row changes, so that rows that do not are neither lost nor doubled.
///
/// As text base64url of JSON, which is what `next` holds and `after` takes; for clients opaque, and good for the same
/// question alone.
package struct ListPlace: Sendable, Equatable {
    /// Of each sort key, as far as it has a say.
    package let keys: [JSON]
    /// Of projects the id alone.
    package let creation: CreationPosition

    package init(of row: StoredRow, in query: ListQuery) {
        keys = query.keys.map { ListQuery.sorted(row.values[query.collection.position($0.field.name)!]) }
        creation = query.collection.scope == .project ? CreationPosition(seq: .zero, id: row.id) : row.creation
    }

    /// nil for what no list that was asked so has given out.
    package init?(_ text: String, in query: ListQuery) {
        guard let bytes = Base64URL.decode(text), let json = try? JSON(parsing: bytes, maximumDepth: 3),
            json["list"]?.string == query.binding, let creation = json["row"]?.string.flatMap(CreationPosition.init),
            let keys = json["keys"]?.array, keys.count == query.keys.count,
            zip(keys, query.keys).allSatisfy({ $1.field.value.couldBe($0) })
        else { return nil }
        self.keys = keys
        self.creation = creation
    }

    /// For `ListPlace(_:in:)`.
    package func text(in query: ListQuery) -> String {
        let json: JSON = [
            "list": .string(query.binding), "row": .string(creation.description), "keys": .array(keys),
        ]
        return Base64URL.encode(Data(json.text.utf8))
    }
}

extension ValueSchema {
    /// Whether a value is of the type; the text of a place may be a part of one.
    fileprivate func couldBe(_ value: JSON) -> Bool {
        switch (kind, value) {
        case (_, .null): isNullable
        case (.string, .string), (.integer, .int), (.number, .int), (.number, .double), (.boolean, .bool): true
        default: false
        }
    }
}

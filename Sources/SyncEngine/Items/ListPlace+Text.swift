import Foundation
import SyncProtocol
import SyncSchema
package import SyncStore

/// The text form of a position, as `next` returns it and `after` takes it: base64url of JSON. It
/// is opaque to clients, and valid only for the same query.
extension ListPlace {
    /// Nil for a text that no list with this query has returned.
    package init?(_ text: String, in query: ListQuery) {
        guard let bytes = Base64URL.decode(text), let json = try? JSON(parsing: bytes, maximumDepth: 3),
            json["list"]?.string == query.binding, let creation = json["row"]?.string.flatMap(CreationPosition.init),
            let keys = json["keys"]?.array, keys.count == query.keys.count,
            zip(keys, query.keys).allSatisfy({ $1.field.value.couldBe($0) })
        else { return nil }
        self.init(keys: keys, creation: creation)
    }

    /// The text that `ListPlace(_:in:)` reads.
    package func text(in query: ListQuery) -> String {
        let json: JSON = [
            "list": .string(query.binding), "row": .string(creation.description), "keys": .array(keys),
        ]
        return Base64URL.encode(Data(json.text.utf8))
    }
}

extension ValueSchema {
    /// Whether a value has the schema's type. Other limits are not checked: a sort key may be only the start of a text.
    fileprivate func couldBe(_ value: JSON) -> Bool {
        switch (kind, value) {
        case (_, .null): isNullable
        case (.string, .string), (.integer, .int), (.number, .int), (.number, .double), (.boolean, .bool): true
        default: false
        }
    }
}

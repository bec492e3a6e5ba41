import Foundation
import SyncProtocol
import SyncSchema
package import SyncStore

/// As text base64url of JSON, which is what `next` holds and `after` takes; for clients opaque, and good for the same
/// question alone.
extension ListPlace {
    /// nil for what no list that was asked so has given out.
    package init?(_ text: String, in query: ListQuery) {
        guard let bytes = Base64URL.decode(text), let json = try? JSON(parsing: bytes, maximumDepth: 3),
            json["list"]?.string == query.binding, let creation = json["row"]?.string.flatMap(CreationPosition.init),
            let keys = json["keys"]?.array, keys.count == query.keys.count,
            zip(keys, query.keys).allSatisfy({ $1.field.value.couldBe($0) })
        else { return nil }
        self.init(keys: keys, creation: creation)
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

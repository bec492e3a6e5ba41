import SyncProtocol

/// The values of `$1` … of one statement, in the text format, which the server reads as whatever type it needs.
/// Booleans are 0 and 1, lists and objects JSON text.
struct Parameters {
    private var bytes: [CChar] = []
    /// Where each value begins; nil for null.
    private var places: [Int?] = []

    /// Throws if a text has a NUL, which PostgreSQL can't store.
    init(_ values: [JSON]) throws {
        places.reserveCapacity(values.count)
        for value in values { try append(value) }
    }

    private mutating func append(_ value: JSON) throws {
        switch value {
        case .null: places.append(nil)
        case .bool(let flag): append(flag ? "1" : "0")
        case .int(let number): append(String(number))
        case .double(let number): append(number.description)
        case .string(let text):
            guard !text.utf8.contains(0) else {
                throw Problem(.invalidBody, "A text contains the character U+0000, which can't be stored.")
            }
            append(text)
        case .array, .object: append(value.text)
        }
    }

    private mutating func append(_ text: String) {
        places.append(bytes.count)
        bytes.append(contentsOf: text.utf8.lazy.map { CChar(bitPattern: $0) })
        bytes.append(0)
    }

    var count: Int32 { Int32(places.count) }

    func withPointers<Value>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value) -> Value {
        bytes.withUnsafeBufferPointer { bytes in
            withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: max(1, places.count)) { pointers in
                for (index, place) in places.enumerated() {
                    pointers.initializeElement(at: index, to: place.map { bytes.baseAddress! + $0 })
                }
                return body(UnsafePointer(pointers.baseAddress!))
            }
        }
    }

    /// A list of texts as the value of one parameter: https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO
    static func list(_ texts: [String]) -> JSON {
        let quoted = texts.map { text in
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        return .string("{" + quoted.joined(separator: ",") + "}")
    }

    /// A list of numbers as the value of one parameter.
    static func list(_ numbers: [Int64]) -> JSON {
        .string("{" + numbers.map(String.init).joined(separator: ",") + "}")
    }
}

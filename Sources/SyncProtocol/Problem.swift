/// An error answer (RFC 9457, `application/problem+json`), as the engine throws it and as the server sends it.
public struct Problem: Error, Sendable, Equatable {
    public var code: ErrorCode
    /// One sentence that tells a person what to do.
    public var detail: String
    /// The rows or fields at fault, if the request had several.
    public var errors: [RowProblem]
    /// Further members of the answer, such as `rows` and `limit`.
    public var members: [String: JSON]

    public init(_ code: ErrorCode, _ detail: String, errors: [RowProblem] = [], members: [String: JSON] = [:]) {
        self.code = code
        self.detail = detail
        self.errors = errors
        self.members = members
    }
}

extension Problem: CustomStringConvertible {
    /// For operators: the sentence, which is about the first row at fault, and up to nine more rows.
    public var description: String {
        ([detail] + errors.dropFirst().prefix(9).map { "  \($0.pointer): \($0.detail)" }).joined(separator: "\n")
    }
}

/// What is wrong with one row or one field.
public struct RowProblem: Error, Sendable, Hashable {
    /// RFC 6901 pointer into the request's body.
    public var pointer: String
    public var collection: String
    public var id: String?
    public var field: String?
    public var code: ErrorCode
    public var detail: String
    /// Further members, such as `server_values`.
    public var members: [String: JSON] = [:]

    public init(
        pointer: String, collection: String, id: String?, field: String? = nil, code: ErrorCode, detail: String
    ) {
        self.pointer = pointer
        self.collection = collection
        self.id = id
        self.field = field
        self.code = code
        self.detail = detail
    }

    /// The problem's element in `errors`.
    public var json: JSON {
        let own: [String: JSON] = [
            "pointer": .string(pointer), "collection": .string(collection), "id": id.map(JSON.string) ?? .null,
            "field": field.map(JSON.string) ?? .null, "code": .string(code.rawValue), "detail": .string(detail),
        ]
        return .object(members.merging(own) { $1 })
    }
}

/// `1 row`, `2 rows`. Without a plural, an s is added to the noun.
package func counted(_ number: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
    "\(number.grouped) \(number == 1 ? noun : plural ?? noun + "s")"
}

extension BinaryInteger {
    /// `12,345`: the number in groups of three digits, for people. Numbers for programs are not grouped.
    package var grouped: String {
        let digits = Array(String(magnitude))
        let groups = stride(from: digits.count % 3 - 3, to: digits.count, by: 3).compactMap { start -> String? in
            let end = start + 3
            return end <= 0 ? nil : String(digits[max(0, start)..<end])
        }
        return (self < 0 ? "-" : "") + groups.joined(separator: ",")
    }
}

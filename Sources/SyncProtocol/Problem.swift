/// An answer that says no (RFC 9457, `application/problem+json`), as thrown by the engine and as sent.
public struct Problem: Error, Sendable, Equatable {
    public var code: ErrorCode
    /// One sentence a person can act on.
    public var detail: String
    /// The rows or fields at fault, when the request held several.
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
    /// For operators: the sentence, and the first rows at fault.
    public var description: String {
        ([detail] + errors.dropFirst().prefix(9).map { "  \($0.pointer): \($0.detail)" }).joined(separator: "\n")
    }
}

/// What is wrong with one row or one field.
public struct RowProblem: Error, Sendable, Hashable {
    /// RFC 6901, into the request's body.
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

    /// The member of `errors`.
    public var json: JSON {
        let own: [String: JSON] = [
            "pointer": .string(pointer), "collection": .string(collection), "id": id.map(JSON.string) ?? .null,
            "field": field.map(JSON.string) ?? .null, "code": .string(code.rawValue), "detail": .string(detail),
        ]
        return .object(members.merging(own) { $1 })
    }
}

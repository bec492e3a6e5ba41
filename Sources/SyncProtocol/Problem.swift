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

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

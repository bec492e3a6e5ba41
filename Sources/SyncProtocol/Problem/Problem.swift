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

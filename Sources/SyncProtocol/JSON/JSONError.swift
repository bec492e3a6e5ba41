/// Why a text can't be read as JSON.
public enum JSONError: Error, Equatable, Sendable {
    /// The text is not a JSON document (RFC 8259). Says what is wrong, and at which byte.
    case malformed(String)
    /// Arrays and objects are nested deeper than the limit.
    case tooDeep(limit: Int)
}

extension JSONError: CustomStringConvertible {
    /// What is wrong, in words that can follow a colon.
    public var description: String {
        switch self {
        case .malformed(let reason): reason
        case .tooDeep(let limit): "it is nested deeper than \(limit) levels"
        }
    }
}

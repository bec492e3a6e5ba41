/// Why a text is not acceptable JSON.
public enum JSONError: Error, Equatable, Sendable {
    /// No JSON document (RFC 8259); what is wrong, and at which byte.
    case malformed(String)
    /// Arrays and objects are nested deeper than the given limit.
    case tooDeep(limit: Int)
}

extension JSONError: CustomStringConvertible {
    /// What is wrong, to follow a colon.
    public var description: String {
        switch self {
        case .malformed(let reason): reason
        case .tooDeep(let limit): "it is nested deeper than \(limit) levels"
        }
    }
}

/// What a member may do in a project. It is an integer on the wire, and a word in schemas and on the command line.
public enum Role: Int, Sendable, CaseIterable, Comparable {
    case viewer = 1
    case member = 100
    case scheduler = 200
    case admin = 300
    case owner = 400

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The role's word in upper case, as schemas write it.
    public var word: String {
        switch self {
        case .viewer: "VIEWER"
        case .member: "MEMBER"
        case .scheduler: "SCHEDULER"
        case .admin: "ADMIN"
        case .owner: "OWNER"
        }
    }

    /// Reads a role's word in any case; nil for any other word.
    public init?(word: String) {
        guard let role = Role.allCases.first(where: { $0.word == word.uppercased() }) else { return nil }
        self = role
    }
}

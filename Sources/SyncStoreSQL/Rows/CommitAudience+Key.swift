import SyncProtocol
package import SyncStore

extension CommitAudience {
    private var key: String {
        switch self {
        case .everyone: "everyone"
        case .members(let role): "role \(role.rawValue)"
        case .user(let id): "user \(id)"
        }
    }

    /// A text that `key` never returns counts as everyone, so no commit is kept from anybody. Layout 8 wrote `gate` for
    /// whoever passes some gate.
    private init(key: Substring) {
        let parts = key.split(separator: " ")
        if parts.count == 2, parts[0] == "user", let id = Int64(parts[1]) {
            self = .user(id)
        } else if parts.count == 2, parts[0] == "role", let role = Int(parts[1]).flatMap(Role.init(rawValue:)) {
            self = .members(from: role)
        } else {
            self = .everyone
        }
    }

    /// The value of the column `audiences`.
    package static func text(_ audiences: Set<CommitAudience>) -> String {
        audiences.map(\.key).sorted().joined(separator: ",")
    }

    /// Reads the column `audiences`.
    static func set(_ text: String) -> Set<CommitAudience> {
        Set(text.split(separator: ",").map(CommitAudience.init(key:)))
    }
}

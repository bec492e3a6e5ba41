package import SyncStore

extension Audience {
    /// The value of the column `audience`.
    package var key: String {
        switch self {
        case .everyone: "everyone"
        case .behindGate: "gate"
        case .user(let id): "user \(id)"
        }
    }

    /// Reads the column `audience`. Nil for a value that `key` never has.
    package init?(key: String) {
        switch key {
        case "everyone": self = .everyone
        case "gate": self = .behindGate
        default:
            guard key.hasPrefix("user "), let id = Int64(key.dropFirst(5)) else { return nil }
            self = .user(id)
        }
    }
}

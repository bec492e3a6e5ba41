import SyncProtocol
package import SyncStore

extension Audience {
    /// In the column `audience`.
    package var key: String {
        switch self {
        case .everyone: "everyone"
        case .behindGate: "gate"
        case .user(let id): "user \(id)"
        }
    }

    /// Of a column `audience`; nil for what none holds.
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

/// The kinds of work that are measured separately.
package enum LoadKind: Int, CaseIterable, Sendable {
    /// A page of a drain from 0.
    case page
    case poll
    case upload
    case get
    /// A whole drain from 0, from its first request to its last response. In a storm it counts
    /// from the beginning of the storm.
    case drain

    package var name: String {
        switch self {
        case .page: "page"
        case .poll: "poll"
        case .upload: "upload"
        case .get: "get"
        case .drain: "drain"
        }
    }

    /// Whether this is a single request.
    var isRequest: Bool { self != .drain }
}

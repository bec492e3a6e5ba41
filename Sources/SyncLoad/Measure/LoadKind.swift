/// What is measured apart.
package enum LoadKind: Int, CaseIterable, Sendable {
    /// A page of a drain from 0.
    case page
    case poll
    case upload
    case get
    /// A whole drain from 0, from its first request (of a storm: from the storm's beginning) to its last answer.
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

    /// Whether it is one request.
    var isRequest: Bool { self != .drain }
}

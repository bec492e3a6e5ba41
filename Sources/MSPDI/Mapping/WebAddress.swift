import SyncProtocol

/// An address as `task_links` holds it.
struct WebAddress {
    let text: String

    /// Nil for what is none of http or https.
    init?(_ address: String) {
        guard let scheme = ["http://", "https://"].first(where: { address.lowercased().hasPrefix($0) }),
            address.count > scheme.count, !address.contains(where: { $0.isWhitespace && $0 != " " })
        else { return nil }
        text = scheme + address.dropFirst(scheme.count).split(separator: " ").joined(separator: "%20")
    }
}

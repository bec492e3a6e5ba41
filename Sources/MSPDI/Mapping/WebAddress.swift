import SyncProtocol

/// A web address in the form that `task_links` stores.
struct WebAddress {
    let text: String

    /// Nil unless the address starts with `http://` or `https://`.
    init?(_ address: String) {
        guard let scheme = ["http://", "https://"].first(where: { address.lowercased().hasPrefix($0) }),
            address.count > scheme.count, !address.contains(where: { $0.isWhitespace && $0 != " " })
        else { return nil }
        text = scheme + address.dropFirst(scheme.count).split(separator: " ").joined(separator: "%20")
    }
}

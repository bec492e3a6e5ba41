import Foundation

/// The server under load: an `http` URL in parts.
package struct LoadTarget: Sendable, Equatable {
    /// A name or an address; an IPv6 address without brackets.
    package let host: String
    package let port: Int
    /// The path with its query for a plain URL; the path without a slash at the end for a server.
    package let path: String

    /// Nil unless the text is an absolute `http` URL. TLS is not supported, since the run would measure TLS itself.
    package init?(_ text: String) {
        guard let url = URLComponents(string: text), url.scheme?.lowercased() == "http", let host = url.host,
            !host.isEmpty, url.user == nil
        else { return nil }
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        port = url.port ?? 80
        path = url.percentEncodedPath + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    init(host: String, port: Int, path: String) {
        (self.host, self.port, self.path) = (host, port, path)
    }

    /// The value of the header `Host`.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// The path of the server's API.
    var base: String {
        let trimmed = path.hasSuffix("/") ? String(path.dropLast()) : path
        return trimmed.hasSuffix("/api/v1") ? trimmed : trimmed + "/api/v1"
    }
}

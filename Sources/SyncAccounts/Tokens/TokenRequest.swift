package import SyncProtocol

/// A request for a new personal access token.
package struct TokenRequest: Sendable, Equatable {
    let name: String
    let isReadOnly: Bool
    let expiresAt: Instant?

    /// Throws `invalid_body`; the message names the member at fault.
    package init(_ body: JSON) throws {
        let members = body.object ?? [:]
        if let unknown = members.keys.filter({ !["name", "read_only", "expires_at"].contains($0) }).min() {
            throw Problem(.invalidBody, "A token has no member \"\(unknown)\", only name, read_only and expires_at.")
        }
        guard let name = members["name"]?.string, (1...255).contains(name.unicodeScalars.count),
            !name.unicodeScalars.contains("\0")
        else {
            throw Problem(.invalidBody, "name must say in 1 to 255 characters what the token is for.")
        }
        guard let isReadOnly = (members["read_only"] ?? false).bool else {
            throw Problem(.invalidBody, "read_only must be true or false.")
        }
        self.name = name
        self.isReadOnly = isReadOnly
        expiresAt = try TokenRequest.instant(members["expires_at"] ?? .null)
    }

    private static func instant(_ value: JSON) throws -> Instant? {
        if value.isNull { return nil }
        guard let instant = value.string.flatMap(Instant.init) else {
            throw Problem(.invalidBody, "expires_at must be an RFC 3339 date-time, or null for a token without expiry.")
        }
        return instant
    }
}

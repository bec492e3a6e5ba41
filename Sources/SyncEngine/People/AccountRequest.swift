package import SyncProtocol

/// A request for a new account.
package struct AccountRequest: Sendable, Equatable {
    let username: String
    let displayName: String?
    let isSuperuser: Bool
    let password: String?

    /// Throws `invalid_body`; the message names the member at fault.
    package init(_ body: [String: JSON]) throws {
        let known = ["username", "display_name", "is_superuser", "password"]
        if let unknown = body.keys.filter({ !known.contains($0) }).min() {
            throw Problem(
                .invalidBody, "An account has no member \"\(unknown)\", only \(known.joined(separator: ", ")).")
        }
        func text(_ name: String) throws -> String? {
            guard let value = body[name], !value.isNull else { return nil }
            guard let text = value.string else { throw Problem(.invalidBody, "\(name) must be a string.") }
            return text
        }
        guard let username = try text("username") else { throw Problem(.invalidBody, "username must be a string.") }
        guard let isSuperuser = (body["is_superuser"] ?? false).bool else {
            throw Problem(.invalidBody, "is_superuser must be true or false.")
        }
        (self.username, self.isSuperuser) = (username, isSuperuser)
        (displayName, password) = (try text("display_name"), try text("password"))
    }
}

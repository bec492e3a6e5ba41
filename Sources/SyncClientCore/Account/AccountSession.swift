import Foundation
import SyncProtocol

/// Who somebody is on a server.
public struct AccountUser: Sendable, Equatable {
    /// The user's number, which never changes.
    public let id: Int64
    /// The name to log in with.
    public let username: String
    /// The name for people.
    public let displayName: String

    init(id: Int64, username: String, displayName: String) {
        self.id = id
        self.username = username
        self.displayName = displayName
    }

    /// Reads the answer of `GET /auth/me/`.
    init?(_ json: JSON?) {
        guard let id = json?["id"]?.int, let username = json?["username"]?.string else { return nil }
        self.init(id: id, username: username, displayName: json?["display_name"]?.string ?? username)
    }

    var json: JSON {
        ["id": .int(id), "username": .string(username), "display_name": .string(displayName)]
    }
}

/// What is stored of an account.
struct AccountSession: Sendable, Equatable {
    let server: String
    let user: AccountUser
    /// Nil when nobody is logged in.
    var tokens: SessionTokens?

    init(server: String, user: AccountUser, tokens: SessionTokens?) {
        self.server = server
        self.user = user
        self.tokens = tokens
    }

    init?(_ secret: Data?) {
        guard let secret, let json = try? JSON(parsing: secret), let server = json["server"]?.string,
            let user = AccountUser(json["user"])
        else { return nil }
        self.init(server: server, user: user, tokens: SessionTokens(json["tokens"]))
    }

    var secret: Data {
        let document: JSON = ["server": .string(server), "user": user.json, "tokens": tokens?.json ?? .null]
        return Data(document.text.utf8)
    }
}

/// The tokens of a session: one for requests, and one for the next pair.
struct SessionTokens: Sendable, Equatable {
    let access: String
    /// Nil if an issuer makes the tokens.
    let refresh: String?

    /// A token of an issuer.
    init(issued token: String) { (access, refresh) = (token, nil) }

    /// Reads an answer of `POST /auth/token/` or `POST /auth/token/refresh/`, or what was stored.
    init?(_ json: JSON?) {
        guard let access = json?["access"]?.string, json?["refresh"] != nil else { return nil }
        self.access = access
        refresh = json?["refresh"]?.string
    }

    var json: JSON { ["access": .string(access), "refresh": refresh.map(JSON.string) ?? .null] }

    /// For how long the access token is good from when it was issued; nil if it does not say. Only the difference of
    /// its two times counts, so the device's clock may be off.
    var lifetime: Duration? {
        guard let claims = JSON(claimsOf: access), let issued = claims["iat"]?.number,
            let end = claims["exp"]?.number, end > issued
        else { return nil }
        return Duration(told: end - issued)
    }
}

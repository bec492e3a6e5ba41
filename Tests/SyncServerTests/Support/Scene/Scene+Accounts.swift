import SyncAccounts
import SyncProtocol
import SyncServer
import SyncStore
import SyncTestKit

extension Scene {
    static let password = "correct horse"

    /// A user `alice` with a password who is not a member of any project.
    @discardableResult
    func addAlice(_ name: String = "alice") async throws -> Int64 {
        try await bench.accounts.addUser(name, displayName: "Alice", password: Scene.password).id
    }

    /// A superuser who is a member of no project, with a token.
    func superuser(_ name: String = "chief") async throws -> Client {
        _ = try await bench.accounts.addUser(name, isSuperuser: true)
        return try await client(named: name)
    }

    /// A superuser with a session that has just begun.
    func freshSuperuser(_ name: String = "root") async throws -> Client {
        _ = try await bench.accounts.addUser(name, isSuperuser: true, password: Scene.password)
        return stranger.bearing(try await stranger.logIn(name).access)
    }

    /// Accounts without limits for logins.
    static var unlimited: Accounts {
        var accounts = Accounts(passwords: .quick)
        accounts.settings.loginsPerAddress = 0
        accounts.settings.loginsPerAccount = 0
        accounts.settings.refreshesPerAddress = 0
        return accounts
    }
}

extension Client {
    func logIn(
        _ username: String = "alice", _ password: String = Scene.password, headers: [String: String] = [:]
    ) async throws -> Answer {
        let body: JSON = ["username": .string(username), "password": .string(password)]
        return try await send("POST", "/api/v1/auth/token/", body.data, headers: headers)
    }

    func refresh(_ token: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send(
            "POST", "/api/v1/auth/token/refresh/", (["refresh": .string(token)] as JSON).data, headers: headers)
    }

    func logOut(_ token: String) async throws -> Answer {
        try await send("POST", "/api/v1/auth/logout/", (["refresh": .string(token)] as JSON).data)
    }

    func me() async throws -> Answer { try await send("GET", "/api/v1/auth/me/") }

    /// The same client with another credential.
    func bearing(_ token: String?) -> Client { Client(server: server, project: project, token: token) }
}

extension Answer {
    var access: String { json["access"]?.string ?? "" }
    var refresh: String { json["refresh"]?.string ?? "" }
}

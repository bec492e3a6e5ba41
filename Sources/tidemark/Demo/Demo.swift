import Foundation
import SyncAccounts
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncStores

/// What `serve --demo` adds to a database: a user, a token, and a project from the embedded plan.
struct Demo {
    /// How to reach the demo project.
    struct Greeting {
        let user: String
        /// Nil if it was changed since.
        let password: String?
        let token: String
        let project: String

        func text(url: String) -> String {
            """

              Open      \(url)
              User      \(user)
              Password  \(password ?? "the one that you have set")
              Token     \(token)
              Project   \(project)

            Or pull the first page:

              curl -s -H 'Authorization: Bearer \(token)' '\(url)/api/v1/projects/\(project)/sync/?since=0&page_size=10'

            """
        }
    }

    private static let user = "demo"
    private static let project = "demo-project"
    let wiring: Wiring
    let database: String

    /// Idempotent: existing data stays, including edits of the demo project.
    func prepare() async throws -> Greeting {
        if try await !wiring.services.accounts.users().contains(where: { $0.username.rawValue == Demo.user }) {
            _ = try await wiring.services.accounts.addUser(Demo.user, displayName: "Demo User")
        }
        let user = try await wiring.services.accounts.user(named: Demo.user)
        if try await wiring.store.read(.project(Demo.project), { try $0.project(Demo.project) }) == nil {
            try await importPlan(for: user)
        }
        return Greeting(
            user: Demo.user, password: try await password(), token: try await token(), project: Demo.project)
    }

    private func importPlan(for user: User) async throws {
        let plan = file("plan-\(UUID().uuidString).xml")
        try keep(Data(PackageResources.demo_plan_xml), in: plan)
        defer { try? FileManager.default.removeItem(at: plan) }
        _ = try await PlanImport(wiring: wiring, owner: user).run(plan.path(), id: Demo.project)
    }

    /// The demo's password, which stays the same after a restart; nil if somebody has set another one.
    private func password() async throws -> String? {
        let file = file("password")
        let password = (try? String(contentsOf: file, encoding: .utf8)) ?? String(Secret.random().text.prefix(16))
        if let isRight = try await wiring.services.accounts.accepts(password, of: Demo.user) {
            return isRight ? password : nil
        }
        try keep(Data(password.utf8), in: file)
        try await wiring.services.accounts.setPassword(password, of: Demo.user)
        return password
    }

    /// The demo's token, which stays the same after a restart.
    private func token() async throws -> String {
        let file = file("token")
        if let kept = try? String(contentsOf: file, encoding: .utf8),
            try await wiring.services.accounts.authenticate(token: kept) != nil
        {
            return kept
        }
        let token = try await wiring.services.accounts.createToken(for: Demo.user, name: "demo")
        try keep(Data(token.utf8), in: file)
        return token
    }

    /// A file beside the database's, or in the working folder if the database is on a server.
    private func file(_ name: String) -> URL {
        URL(filePath: (wiring.store.isFile ? database : "postgresql") + "-demo-" + name)
    }

    /// Only the file's owner can read it.
    private func keep(_ content: Data, in file: URL) throws {
        let isMade = FileManager.default.createFile(
            atPath: file.path(), contents: content, attributes: [.posixPermissions: 0o600])
        guard isMade else { throw CommandError("Can't write \(file.path()). Check the folder's permissions.") }
    }
}

import Foundation
import SyncAccounts
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncStores

/// What `serve --demo` adds to a database: a user, a token, and a project from the embedded plan. To a database without
/// accounts it adds the plan's other people, too.
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
    private static let people = [
        "ines": "Ines Pereira", "jonas": "Jonas Weber", "mara": "Mara Lindqvist", "tom": "Tom Okafor",
    ]
    private static let project = "demo-project"
    let wiring: Wiring
    let database: String
    var now = WallClock.system.now

    /// Idempotent: existing data stays, including edits of the demo project.
    func prepare() async throws -> Greeting {
        let isFirst = try await wiring.services.accounts.users().isEmpty
        if try await !wiring.services.accounts.users().contains(where: { $0.username.rawValue == Demo.user }) {
            _ = try await wiring.services.accounts.addUser(Demo.user, displayName: "Demo User")
        }
        if isFirst { try await addPeople() }
        let user = try await wiring.services.accounts.user(named: Demo.user)
        if try await wiring.store.read(.project(Demo.project), { try $0.project(Demo.project) }) == nil {
            try await importPlan(for: user, addsMembers: isFirst)
        }
        return Greeting(
            user: Demo.user, password: try await password(), token: try await token(), project: Demo.project)
    }

    /// Accounts without a password, so nobody can log in as one of them. Whoever has accounts gets none that they did
    /// not ask for, and nobody of theirs becomes a member for being called like somebody in the plan.
    private func addPeople() async throws {
        for (name, displayName) in Demo.people.sorted(by: { $0.key < $1.key }) {
            _ = try await wiring.services.accounts.addUser(name, displayName: displayName)
        }
    }

    private func importPlan(for user: User, addsMembers: Bool) async throws {
        let plan = file("plan-\(UUID().uuidString).xml")
        try keep(DemoPlan.xml(on: CalendarDate(now())), in: plan)
        defer { try? FileManager.default.removeItem(at: plan) }
        let importing = PlanImport(wiring: wiring, owner: user, addsMembers: addsMembers)
        _ = try await importing.run(plan.path(), id: Demo.project)
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

/// The plan of the demo. It is under way: something is done, something late, a path critical. A task was begun before
/// the one that it waits for has ended, so one link is broken, and its notes say that this is meant.
enum DemoPlan {
    /// The Monday of the week in which the embedded plan is read.
    private static let monday = CalendarDate("2026-04-13")!

    /// The plan as it stands in the week of `today`. It moves by whole weeks, so nobody works on a Sunday.
    static func xml(on today: CalendarDate) -> Data {
        let days = today.daysSinceEpoch - monday.daysSinceEpoch
        let shift = days - (days % 7 + 7) % 7
        let text = String(decoding: PackageResources.demo_plan_xml, as: UTF8.self)
        let moved = text.replacing(/\d{4}-\d{2}-\d{2}(?=T)/) { match in
            CalendarDate(match.output).map { CalendarDate(daysSinceEpoch: $0.daysSinceEpoch + shift).text } ?? ""
        }
        return Data(moved.utf8)
    }
}

extension CalendarDate {
    /// The day of an instant in UTC.
    init(_ instant: Instant) { self.init(daysSinceEpoch: Int(instant.milliseconds / 86_400_000)) }
}

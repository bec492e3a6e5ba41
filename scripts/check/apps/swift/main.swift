import Foundation
import SyncClient

// A tool for a site office, written by docs/swift-app.md alone. Its plans are in a folder, and it works without a
// network.
//
//   Plans FOLDER new-site NAME | add SITE TASK | rename TASK NAME | done TASK | list SITE
//   Plans FOLDER log-in SERVER USER | sync [keep|discard] | invite SITE NUMBER | log-out [anyway]

do {
    try await Office(folder: CommandLine.arguments[1]).run(Array(CommandLine.arguments.dropFirst(2)))
} catch {
    print(error)
    exit(1)
}

struct Office {
    private let secrets: FileSecretStore
    private let replica: Replica

    init(folder: String) throws {
        secrets = try FileSecretStore(folder: folder)
        replica = try Replica(
            path: "\(folder)/plans.replica", scope: .allProjects,
            schema: String(contentsOfFile: "\(folder)/schema.json", encoding: .utf8),
            indexes: ["tasks": [RowIndex("project_id", "name")]])
    }

    func run(_ words: [String]) async throws {
        switch words[0] {
        case "new-site": print(try replica.insert(ProjectsRow.New(name: words[1], startDate: "2026-06-01")))
        case "add": print(try replica.insert(TasksRow.New(projectID: words[1], name: words[2])))
        case "rename": try change(words[1]) { $0.name = words[2] }
        case "done": try change(words[1]) { $0.status = .complete }
        case "list": try list(site: words[1])
        case "log-in": try await logIn(server: words[1], user: words[2])
        case "sync": try await sync(words.last)
        case "invite": try await invite(site: words[1], number: Int64(words[2]) ?? 0)
        case "log-out": try await account().logOut(of: [replica], leavingUnsent: words.last == "anyway")
        default: print("There is no command \(words[0]).")
        }
    }

    private func change(_ id: String, _ edit: (inout TasksRow) -> Void) throws {
        guard let task = try replica.row(of: TasksRow.self, id: id) else { return print("There is no task \(id).") }
        try replica.update(task, edit)
    }

    private func list(site: String) throws {
        for task in try replica.rows(of: TasksRow.self, in: site, order: ["name"]) {
            print(task.status == .complete ? "[x]" : "[ ]", task.name)
        }
    }

    /// Who has logged in here before.
    private func account() throws -> Account {
        guard let account = try Account.all(in: secrets, transport: .urlSession).first else {
            throw AccountError.loggedOut
        }
        return account
    }

    /// The account, if its user is logged in.
    private func session() throws -> Account {
        let account = try account()
        guard try account.isLoggedIn() else { throw AccountError.loggedOut }
        return account
    }

    private func logIn(server: String, user: String) async throws {
        let password = readLine() ?? ""
        if let account = try? account() {
            return try await account.logIn(user, password: password)
        }
        _ = try await Account.logIn(
            user, password: password, server: server, secrets: secrets, transport: .urlSession)
    }

    /// The first sync asks what to do with plans from before the log-in: `keep` and `discard` answer.
    private func sync(_ answer: String?) async throws {
        if answer == "keep" { try replica.adoptUnclaimed() }
        if answer == "discard" { try replica.discardUnclaimed() }
        var options = SyncOptions()
        options.patience = .seconds(5)
        let outcome = try await session().syncer(for: replica, options: options).sync()
        for site in outcome.pulled?.left ?? [] { print("\(site.name ?? site.id) is no longer yours.") }
        for row in try replica.setAside() {
            print("Set aside: \(row.row["name"]?.string ?? row.id). \(row.refusals[0].detail)")
        }
        for row in try replica.refused() { print("Not accepted: \(row.detail)") }
        print("\(try replica.unsentCount()) unsent")
    }

    private func invite(site: String, number: Int64) async throws {
        let member = 100
        let body: JSON = ["user": .int(number), "role": .int(Int64(member))]
        _ = try await session().request(.post, "/projects/\(site)/memberships/", body: body)
    }
}

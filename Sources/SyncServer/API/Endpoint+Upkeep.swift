import Foundation
import HTTPTypes
import Hummingbird
import SyncProtocol
import SyncSchema
import SyncStore

/// Backups and checks.
extension Endpoint {
    static func upkeep(_ registry: Registry) -> [Endpoint] {
        [
            listBackups(registry), makeBackup(registry), checkBackup(registry), readCheck(registry),
            startCheck(registry),
        ]
    }

    private static let fresh = "For superusers, in a session whose password was given in the last 10 minutes."
    private static let starting: [ErrorCode] = [.readOnlyToken, .reauthenticationRequired, .conflict]

    static func listBackups(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "backups", registry, method: .get, id: "list_backups", summary: "List the server's backups.",
            details: """
                For superusers. The newest 500 in the folder for backups, newest first. `verdict` is the result of the \
                last check since the server started, and null without one. Every backup passes a check before it gets \
                its name.
                """, isList: true, answer: .ok("The backups.", backups))
    }

    static func makeBackup(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "backups", registry, method: .post, id: "make_backup", summary: "Make a backup now.",
            details: fresh + " It is made after the answer. `GET` of the same path says when it is done.",
            answer: Answer(status: .accepted, summary: "The backup is being made.", schema: backups),
            ownCodes: starting)
    }

    static func checkBackup(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "backups/{file}/check", registry, method: .post, id: "check_backup", summary: "Check a backup.",
            details: fresh + " The backup is not changed. `GET /admin/checks/` has the result.",
            parameters: [
                Parameter(name: "file", place: .path, schema: Schema.text, summary: "The name of the backup's file.")
            ], answer: Answer(status: .accepted, summary: "The check is under way.", schema: check),
            ownCodes: starting + [.notFound])
    }

    static func readCheck(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "checks", registry, method: .get, id: "read_check",
            summary: "Read the check that is under way, or the last one.",
            details: "For superusers. Checks of the server that answers, since it started.",
            answer: .ok("The check.", check))
    }

    static func startCheck(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "checks", registry, method: .post, id: "start_check", summary: "Check the database now.",
            details: fresh + " It reads everything, beside the server's other work, and changes nothing.",
            answer: Answer(status: .accepted, summary: "The check is under way.", schema: check), ownCodes: starting)
    }

    private static let state: JSON = ["enum": ["idle", "running"]]
    private static let verdict: JSON = ["enum": ["sound", "damaged", .null]]

    private static var backups: JSON {
        let backup = Schema.object(
            [
                "file": Schema.text, "at": Schema.instant, "bytes": Schema.integer,
                "verified_at": Schema.nullableInstant, "verdict": verdict,
            ], title: "Backup")
        return Schema.page(
            of: backup,
            with: ["state": state, "last_error": Schema.nullableText.described("Why the last one failed.")],
            title: "BackupPage")
    }

    private static var check: JSON {
        let finding = Schema.object(
            [
                "code": ["enum": .array(CheckCode.allCases.map { .string($0.rawValue) })],
                "place": Schema.text.described("A table, an index or a file."), "project_id": Schema.nullableText,
                "subject": Schema.text.described("The row or record, or the engine's words about the damage."),
                "detail": Schema.text.described("What is wrong, for people."),
                "remedy": Schema.text.described("What to do, for people."),
            ], title: "Finding")
        return Schema.object(
            [
                "state": state, "backup": Schema.nullableText.described("The backup's file; null for the database."),
                "started_at": Schema.nullableInstant, "finished_at": Schema.nullableInstant,
                "done": Schema.integer.described("The parts that are done."), "total": Schema.integer,
                "verdict": verdict, "rows": Schema.integer, "findings": Schema.list(finding),
                "more": Schema.integer.described("The number of further findings."),
                "notes": Schema.list(Schema.text.described("What was not checked.")),
                "last_error": Schema.nullableText.described("Why the check could not be finished."),
            ], title: "Check")
    }
}

/// `/admin/backups/` and `/admin/checks/`.
struct UpkeepController<Store: SyncStore>: Sendable {
    let service: UpkeepService<Store>

    func backups(_ request: Request, _ context: CallerContext) async throws -> Response {
        Reply(try service.backups(for: context.caller)).response(to: request)
    }

    func backUp(_ request: Request, _ context: CallerContext) async throws -> Response {
        let state = try await service.backUp(by: context.caller, context.logger)
        return Reply(status: .accepted, state).response(to: request)
    }

    func check(_ request: Request, _ context: CallerContext) async throws -> Response {
        Reply(try service.check(for: context.caller)).response(to: request)
    }

    func startCheck(_ request: Request, _ context: CallerContext) async throws -> Response {
        let state = try await service.startCheck(of: nil, by: context.caller, context.logger)
        return Reply(status: .accepted, state).response(to: request)
    }

    func checkBackup(_ request: Request, _ context: CallerContext) async throws -> Response {
        let file = try context.parameters.require("file")
        let state = try await service.startCheck(
            of: file.removingPercentEncoding ?? file, by: context.caller, context.logger)
        return Reply(status: .accepted, state).response(to: request)
    }
}

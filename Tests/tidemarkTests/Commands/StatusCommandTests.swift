import ArgumentParser
import Foundation
import SyncAccounts
import SyncClientCore
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

@testable import tidemark

@Suite(.timeLimit(.minutes(20))) struct StatusCommandTests {
    private let server: ServedProject

    init() async throws { server = try await ServedProject() }

    private func command(_ token: String, _ words: String...) throws -> StatusCommand {
        try StatusCommand.parse([server.url, "--token", token] + words)
    }

    private func superuser() async throws -> String {
        _ = try await server.bench.accounts.addUser("root", isSuperuser: true)
        return try await server.bench.accounts.createToken(for: "root", name: "test")
    }

    @Test func aSuperuserSeesHowTheServerIsDoing() async throws {
        let status = try await command(superuser()).status()
        #expect(status["version"] == .string(Release.version))
        let lines = StatusText(status).lines
        #expect(lines[0].hasPrefix("Tidemark \(Release.version) on SQLite "))
        #expect(lines.contains { $0.hasPrefix("connections       ") && $0.last?.isNumber == true })
        #expect(lines.contains { $0.hasPrefix("memory            ") && $0.hasSuffix(" MB") })
        #expect(!lines.contains { $0.hasPrefix("servers ") }, "A file has one server.")
    }

    @Test func faultsAndTheSlowestRequestAreNamed() {
        let requests = [("200", 40), ("503", 2)].map { status, count -> JSON in
            [
                "name": "tidemark_http_requests_total", "kind": "counter", "value": .int(count),
                "labels": ["route": "/", "method": "GET", "status": .string(status)],
            ]
        }
        let lines = StatusText([
            "version": "1", "database": "SQLite 3", "started_at": "2026-01-01T00:00:00.000Z",
            "warnings": ["The disk is full."], "metrics": .array(requests),
            "slowest_requests": [
                ["milliseconds": 84, "method": "POST", "route": "/sync/", "request_id": "r1", "status": 200]
            ],
        ]).lines
        #expect(
            lines == [
                "Tidemark 1 on SQLite 3, started at 2026-01-01T00:00:00.000Z",
                "Warning: The disk is full.",
                "requests          42, 2 of them with status 5xx",
                "slowest           84 ms: POST /sync/, request r1",
            ])
    }

    @Test func whoeverMayNotReadItIsToldWhatToDo() async throws {
        let member = try await server.token(.member)
        await #expect(throws: CommandError.self) { try await command(member).status() }
        await #expect(throws: CommandError.self) { try await command("tmk_unknown").status() }
        do {
            _ = try await command(member).status()
        } catch {
            #expect("\(error)".contains("tidemark user add NAME --superuser"))
        }
    }

    @Test func whatIsNoServerIsNamed() async throws {
        let command = try StatusCommand.parse(["ftp://nowhere", "--token", "t"])
        await #expect(throws: CommandError.self) { try await command.status() }
    }
}

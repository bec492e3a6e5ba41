import ArgumentParser
import Foundation
import SyncProtocol
import Testing

@testable import SyncEngine
@testable import tidemark

/// The docs keep up with the code.
@Suite struct DocsTests {
    private func text(_ path: String) throws -> String {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }

    @Test func theProtocolNamesEveryErrorCode() throws {
        let page = try text("docs/protocol.md")
        for code in ErrorCode.allCases { #expect(page.contains("`\(code.rawValue)`")) }
    }

    @Test func theProtocolNamesEveryEndpoint() throws {
        let page = try text("docs/protocol.md")
        for endpoint in [
            "GET /health/", "GET /ready/", "GET /schemas/", "GET /projects/", "POST /projects/",
            "GET /projects/{id}/sync/", "POST /projects/{id}/sync/", "POST /auth/token/", "POST /auth/token/refresh/",
            "POST /auth/logout/", "GET /auth/me/", "GET /auth/tokens/", "POST /auth/tokens/",
            "DELETE /auth/tokens/{id}/", "GET /users/", "GET /openapi.json", "GET /docs/",
            "GET /projects/{id}/", "PATCH /projects/{id}/", "DELETE /projects/{id}/", "POST /projects/{id}/archive/",
            "POST /projects/{id}/unarchive/", "GET /projects/{id}/{collection}/", "POST /projects/{id}/{collection}/",
            "GET /{collection}/{id}/", "PATCH /{collection}/{id}/", "DELETE /{collection}/{id}/",
        ] { #expect(page.contains(endpoint)) }
    }

    /// A test that a page names is there.
    @Test(arguments: ["docs/protocol.md", "docs/watermelondb.md"])
    func theTestsThatHoldWhatAPageSaysExist(page: String) throws {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let files = try #require(FileManager.default.subpaths(atPath: repository.appending(path: "Tests").path()))
        let tests = try files.filter { $0.hasSuffix(".swift") }.map { try self.text("Tests/" + $0) }
        let named = try text(page).matches(of: /`(\w+Tests|StoreSuite)(?:\.(\w+))?`/)
        #expect(named.count > 20)
        for match in named {
            let (suite, test) = (match.output.1, match.output.2)
            let isThere = tests.contains { file in
                file.contains("struct \(suite) ") && test.map { file.contains("func \($0)(") } ?? true
            }
            #expect(isThere, "\(match.output.0)")
        }
    }

    /// The points of WatermelonDB's checklist, each in a line of its own.
    @Test func everyPointOfWatermelonDBsChecklistIsAnswered() throws {
        let points = try text("docs/watermelondb.md").matches(of: /(?m)^\| (\d+) \|/).compactMap { Int($0.output.1) }
        #expect(points == Array(1...45))
    }

    @Test func operationsNamesEverySettingAndItsRange() throws {
        let page = try text("docs/operations.md")
        for setting in Setting.all {
            #expect(page.contains("`\(setting.variable)`"))
            #expect(page.contains("`\(setting.key)`"))
        }
    }

    @Test func operationsNamesEveryCommand() throws {
        let page = try text("docs/operations.md")
        for command in Tidemark.configuration.subcommands {
            #expect(page.contains("`\(command.configuration.commandName ?? "")"))
        }
    }

    @Test func theMetaSchemaNamesEveryRule() throws {
        let page = try text("Schemas/meta-schema.json")
        for rule in RowRules.all.keys { #expect(page.contains("\"\(rule)\"")) }
    }
}

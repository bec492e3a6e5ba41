import ArgumentParser
import Foundation
import SyncProtocol
import SyncSchema
import SyncStoreSQLite
import SyncTestKit
import Testing

@testable import SyncEngine
@testable import SyncServer
@testable import tidemark

/// The docs agree with the code.
@Suite struct DocsTests {
    private func text(_ path: String) throws -> String {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }

    @Test func theProtocolNamesEveryErrorCode() throws {
        let page = try text("docs/protocol.md")
        for code in ErrorCode.allCases { #expect(page.contains("`\(code.rawValue)`")) }
    }

    /// Every operation of the document; those of a collection's rows are named once, for all collections.
    @Test func theProtocolNamesEveryEndpoint() throws {
        let parameter = /\{\w+\}/
        let page = try text("docs/protocol.md").replacing(parameter, with: "{}")
        let document = try JSON(parsing: text("Schemas/openapi.json"))
        let collections = try Registry.builtIn().collections.map(\.name).filter { $0 != "projects" }
        var named = 0
        for (path, item) in try #require(document["paths"]?.object) {
            let steps = path.components(separatedBy: "/").map { collections.contains($0) ? "{}" : $0 }
            let name = steps.joined(separator: "/").replacing(parameter, with: "{}")
            for method in try #require(item.object).keys where method != "parameters" {
                let endpoint = "\(method.uppercased()) \(name)"
                #expect(page.contains(endpoint), "\(endpoint)")
                named += 1
            }
        }
        #expect(named > 100)
    }

    /// Every file and folder of the sources that the page sends its reader to.
    @Test func theArchitectureNamesPlacesThatExist() throws {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let named = try text("docs/architecture.md").matches(of: /`(\w+\/[\w+\/-]+(?:\.swift|\/))`/)
        #expect(named.count > 100)
        for path in Set(named.map { String($0.output.1) }) where !path.hasPrefix("API/") && !path.hasPrefix("tests/") {
            let isThere = ["Sources/", ""].contains { folder in
                FileManager.default.fileExists(atPath: repository.appending(path: folder + path).path())
            }
            #expect(isThere, "\(path)")
        }
    }

    /// A pull with a cache miss is told in few files.
    @Test func theWayOfAPullIsToldInTwentyFiveFiles() throws {
        let page = try text("docs/architecture.md")
        let pull = try #require(page.split(separator: "\n## A pull\n").last?.split(separator: "\n### ").first)
        #expect((10...25).contains(pull.matches(of: /(?m)^\| \d+ \| `.+\.swift` \|/).count))
    }

    /// Every test that a page names exists.
    @Test(arguments: ["docs/protocol.md", "docs/watermelondb.md", "docs/threat-model.md"])
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

    /// The points of WatermelonDB's checklist, one on each line.
    @Test func everyPointOfWatermelonDBsChecklistIsAnswered() throws {
        let points = try text("docs/watermelondb.md").matches(of: /(?m)^\| (\d+) \|/).compactMap { Int($0.output.1) }
        #expect(points == Array(1...45))
    }

    /// A page that the index does not name is found by nobody.
    @Test func theIndexOfOperationsNamesEveryPage() throws {
        let index = try text("docs/operations.md")
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let folder = repository.appending(path: "docs/operations").path()
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(pages.count > 10)
        for page in pages { #expect(index.contains("](operations/\(page))"), "\(page)") }
    }

    @Test func operationsNamesEverySettingItsRangeAndItsDefault() throws {
        let page = try text("docs/operations/settings.md")
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("| `TIDEMARK_") }
        let (settings, defaults) = (Setting.all, ServerSettings())
        for setting in settings {
            let value = setting.kind.text(in: defaults)
            let cells = ["`\(setting.variable)`", "`\(setting.key)`", setting.range, value.isEmpty ? "none" : value]
            let start = "| " + cells.joined(separator: " | ") + " | "
            #expect(lines.contains { $0.hasPrefix(start) && $0.count > start.count + 2 }, "\(start)")
        }
        #expect(lines.count == settings.count)
    }

    @Test func operationsNamesEveryMetricAndItsKind() throws {
        let page = try text("docs/operations/watch.md")
        let lines = page.split(separator: "\n").filter { $0.contains("_total`") || $0.hasPrefix("| `tidemark_") }
        for metric in Metric.all {
            #expect(page.contains("| `\(metric.name)` | \(metric.kind.rawValue) | "), "\(metric.name)")
        }
        #expect(lines.count <= Metric.all.count)
    }

    @Test func operationsNamesEveryCommand() throws {
        let page = try text("docs/operations/commands.md")
        for command in Tidemark.configuration.subcommands {
            #expect(page.contains("`\(command.configuration.commandName ?? "")"))
        }
    }

    /// The file that readers copy equals the built-in one, and the server starts with it.
    @Test func thePrintedFileOfMembershipsIsTheBuiltInOne() throws {
        let section = try #require(try text("docs/schemas.md").split(separator: "### Memberships\n").last)
        let printed = try #require(section.firstMatch(of: /(?s)```json\n(.*?)```/)).output.1
        var served = try #require(try Registry.builtIn().memberships.document.object)
        served["x-order"] = nil
        #expect(try JSON(parsing: printed.utf8) == .object(served))
    }

    /// A server opens a database with the files of each model.
    @Test func thePrintedPermissionModelsStart() throws {
        let page = try text("docs/schemas.md")
        let rest = try #require(page.split(separator: "## Permission models\n").last)
        let models = try #require(rest.split(separator: "\n## ").first).split(separator: "\n### ").dropFirst()
        #expect(models.count == 6)
        let needed = ["projects", "calendars", "memberships"]
        let copied = try Registry.builtIn().collections.filter { needed.contains($0.name) }
            .map { ($0.name, $0.document) }
        for model in models {
            let files = try model.matches(of: /(?s)```json\n(.*?)```/).map { try JSON(parsing: $0.output.1.utf8) }
            #expect(!files.isEmpty, "\(model)")
            let registry = try Registry(documents: copied + files.map { ($0["title"]?.string ?? "", $0) })
            let folder = try TemporaryFolder()
            try SQLiteStore(
                path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()
            ).close()
        }
    }

    /// The version is defined in the code. Files that can't ask the code are compared with it.
    @Test func changelogUpgradingAndAdapterAreOfThisVersion() throws {
        let newest = try text("docs/changelog.md").firstMatch(of: /(?m)^## (\d.+)$/)
        #expect(newest.map { String($0.output.1) } == Release.version)
        #expect(try text("docs/upgrading.md").contains("### \(Release.version)\n"))
        let package = try JSON(parsing: text("clients/watermelondb/package.json").utf8)
        #expect(package["version"] == .string(Release.version))
    }

    @Test func theMetaSchemaNamesEveryRule() throws {
        let page = try text("Schemas/meta-schema.json")
        for rule in RuleName.allCases { #expect(page.contains("\"\(rule.rawValue)\"")) }
    }
}

extension Setting {
    /// The allowed values, as the page writes them.
    fileprivate var range: String {
        switch kind {
        case .number(let range, _): "\(range.lowerBound) to \(range.upperBound)"
        case .limit(let range, _): "none, \(range.lowerBound) to \(range.upperBound)"
        case .flag: "true, false"
        case .text: isSecret ? "text, secret" : "text"
        case .choice(let words, _): words.joined(separator: ", ")
        }
    }
}

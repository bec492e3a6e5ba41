import ArgumentParser
import Foundation
import SyncTestKit
import Testing

@testable import tidemark

/// Where a token comes from.
@Suite struct TokenOptionsTests {
    private let folder: TemporaryFolder
    private var file: String { folder.path("token") }

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, rights: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: file)
    }

    private func token(
        _ arguments: [String], _ environment: [String: String] = [:], warn: (String) -> Void = { _ in }
    ) throws -> String {
        try TokenOptions.parse(arguments).value(in: environment, warn: warn)
    }

    @Test(arguments: ["tmk_a", "tmk_a\n", "tmk_a\r\n"])
    func theEndOfTheFilesLineIsNotOfTheToken(text: String) throws {
        try write(text)
        #expect(try token(["--token-file", file]) == "tmk_a")
    }

    @Test func theCommandLineComesBeforeTheEnvironment() throws {
        try write("tmk_file")
        let environment = ["TIDEMARK_TOKEN": "tmk_environment"]
        #expect(try token([], environment) == "tmk_environment")
        #expect(try token(["--token-file", file], environment) == "tmk_file")
        #expect(try token(["--token", "tmk_option"], environment) == "tmk_option")
        #expect(throws: (any Error).self) { try token(["--token", "t", "--token-file", file]) }
    }

    @Test(arguments: [[:], ["TIDEMARK_TOKEN": ""]])
    func anEmptyVariableIsNone(environment: [String: String]) {
        let error = #expect(throws: ValidationError.self) { try token([], environment) }
        #expect(error?.message.contains("TIDEMARK_TOKEN") == true)
    }

    @Test(arguments: ["", "\n", "tmk_a\ntmk_b\n", "tmk_a tmk_b"])
    func aFileThatHoldsNoOneTokenIsRefused(text: String) throws {
        try write(text)
        #expect(throws: CommandError.self) { try token(["--token-file", file]) }
    }

    @Test func aFileThatIsMissingIsTold() {
        let error = #expect(throws: CommandError.self) { try token(["--token-file", file]) }
        #expect(error?.description.contains(file) == true)
    }

    @Test(arguments: [(0o600, false), (0o400, false), (0o640, true), (0o604, true), (0o644, true)])
    func aFileThatOthersCanReadIsWarnedOf(rights: Int, isWarned: Bool) throws {
        try write("tmk_a\n", rights: rights)
        var warnings: [String] = []
        _ = try token(["--token-file", file]) { warnings.append($0) }
        #expect(warnings.count == (isWarned ? 1 : 0))
        #expect(warnings.allSatisfy { $0.contains("chmod 600 \(file)") && !$0.contains("tmk_a") })
    }
}

import Foundation
import Subprocess
import SyncProtocol
import SyncTestKit
import SystemPackage
import Testing

/// The binary that was built with the tests, run as an operator would: in its own folder, where `plans.db` is.
struct TidemarkProcess: Sendable {
    struct Result: Sendable {
        let status: Int32
        let out: String
        let err: String

        var json: JSON { (try? JSON(parsing: out)) ?? .null }
        var lines: [[String]] {
            out.split(separator: "\n").map {
                $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            }
        }
    }

    let folder: TemporaryFolder
    var environment: [String: String] = [:]
    var database: String { folder.path("plans.db") }

    init() throws { folder = try TemporaryFolder() }

    static var binary: String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path + "/tidemark"
    }

    /// How to run the command. SIGTERM comes before SIGKILL, so a server can close its files.
    func configuration(_ arguments: [String]) -> Configuration {
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(60))]
        // In memory, each server would take 32 MiB.
        var variables: [Environment.Key: String] = [
            "PATH": "/usr/bin:/bin", "HOME": "/", "TIDEMARK_DISK_RESERVE_MB": "0",
        ]
        for (name, value) in environment { variables[.init(stringLiteral: name)] = value }
        return Configuration(
            executable: .path(.init(Self.binary)), arguments: .init(arguments), environment: .custom(variables),
            workingDirectory: .init(folder.url.path), platformOptions: options)
    }

    /// Runs a command to its end.
    func run(_ arguments: String..., input: String = "") async throws -> Result { try await run(arguments, input) }

    /// Runs the command on `plans.db`, and expects it to succeed.
    @discardableResult
    func done(_ arguments: String..., input: String = "") async throws -> Result {
        var operation = self
        operation.environment["TIDEMARK_DATABASE"] = database
        let result = try await operation.run(arguments, input)
        #expect(result.status == 0, "\(arguments): \(result.err)")
        return result
    }

    func run(_ arguments: [String], _ input: String = "") async throws -> Result {
        // Input comes from a file: if a command ended before it had read
        // everything from a pipe, SIGPIPE would end these tests too.
        let typed = try TemporaryFolder()
        try Data(input.utf8).write(to: typed.url.appending(path: "input"))
        let descriptor = try FileDescriptor.open(typed.path("input"), .readOnly)
        let result = try await Subprocess.run(
            configuration(arguments), input: .fileDescriptor(descriptor, closeAfterSpawningProcess: true),
            output: .string(limit: 64 << 20), error: .string(limit: 64 << 20))
        guard case .exited(let status) = result.terminationStatus else {
            throw Killed(arguments: arguments, status: result.terminationStatus)
        }
        return Result(status: status, out: result.standardOutput, err: result.standardError)
    }

    struct Killed: Error {
        let arguments: [String]
        let status: TerminationStatus
    }

    /// The rights of a file in the folder.
    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// The size of a file in the folder; nil if there is none.
    func size(_ name: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: folder.path(name)))?[.size] as? Int
    }
}

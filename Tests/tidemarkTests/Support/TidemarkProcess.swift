import Dispatch
import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// The binary that was built along with the tests, as an operator runs it: in a folder of its own, where `plans.db` is.
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

    private static var binary: URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(
            path: "tidemark")
    }

    /// A process that is not started yet.
    func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = Self.binary
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": "/"].merging(environment) { $1 }
        return process
    }

    /// Runs a command to its end.
    func run(_ arguments: String..., input: String = "") async throws -> Result { try await run(arguments, input) }

    /// The same on `plans.db`, expected to succeed.
    @discardableResult
    func done(_ arguments: String..., input: String = "") async throws -> Result {
        var operation = self
        operation.environment["TIDEMARK_DATABASE"] = database
        let result = try await operation.run(arguments, input)
        #expect(result.status == 0, "\(arguments): \(result.err)")
        return result
    }

    func run(_ arguments: [String], _ input: String = "") async throws -> Result {
        let process = process(arguments)
        let sinks = try TemporaryFolder()
        let (out, err, stdin) = (try Sink(in: sinks), try Sink(in: sinks), Pipe())
        (process.standardOutput, process.standardError, process.standardInput) = (out.handle, err.handle, stdin)
        await withCheckedContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
                try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
                try stdin.fileHandleForWriting.close()
            } catch {
                Issue.record(error)
                if !process.isRunning { continuation.resume() }
            }
        }
        return Result(status: process.terminationStatus, out: try out.text(), err: try err.text())
    }

    /// The rights of a file of the folder.
    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// The size of a file of the folder; nil where there is none.
    func size(_ name: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: folder.path(name)))?[.size] as? Int
    }
}

/// A file that a process writes to: no pipe, which fills up.
private struct Sink {
    let handle: FileHandle
    private let url: URL

    init(in folder: TemporaryFolder) throws {
        url = folder.url.appending(path: "sink-\(UUID().uuidString)")
        try Data().write(to: url)
        handle = try FileHandle(forWritingTo: url)
    }

    func text() throws -> String {
        try handle.close()
        return try String(contentsOf: url, encoding: .utf8)
    }
}

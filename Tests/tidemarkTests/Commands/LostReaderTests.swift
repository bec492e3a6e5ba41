import Foundation
import Subprocess
import SyncAsyncHTTPClient
import SyncClientCore
import SyncTestKit
import SystemPackage
import Testing

/// What becomes of a command whose output nobody takes.
@Suite(.timeLimit(.minutes(30))) struct LostReaderTests {
    private static let full = FilePath("/dev/full")

    /// Runs a command, and gives its stdout to a file descriptor.
    private func run(
        _ operation: TidemarkProcess, _ arguments: [String], output: FileDescriptor
    ) async throws -> (status: TerminationStatus, err: String) {
        let result = try await Subprocess.run(
            operation.configuration(arguments), input: .none,
            output: .fileDescriptor(output, closeAfterSpawningProcess: true), error: .string(limit: 1 << 20))
        return (result.terminationStatus, result.standardError)
    }

    private static let commands = [
        ["schema", "--format", "openapi"], ["--help"], ["user", "list"], ["serve", "--print-config"],
    ]

    @Test(arguments: commands) func aReaderThatIsGoneEndsACommandQuietly(command: [String]) async throws {
        var operation = try TidemarkProcess()
        try await operation.done("user", "add", "alice")
        operation.environment["TIDEMARK_DATABASE"] = operation.database
        let pipe = try FileDescriptor.pipe()
        try pipe.readEnd.close()
        let (status, err) = try await run(operation, command, output: pipe.writeEnd)
        #expect(status == .exited(141))
        #expect(err == "")
    }

    /// A list that lacks its end must not look like one.
    @Test(arguments: commands) func aFullDiskIsAFailure(command: [String]) async throws {
        var operation = try TidemarkProcess()
        try await operation.done("user", "add", "alice")
        operation.environment["TIDEMARK_DATABASE"] = operation.database
        let (status, err) = try await run(operation, command, output: try .open(Self.full, .writeOnly))
        #expect(status == .exited(1))
        #expect(err == "Error: Can't write the result to stdout: No space left on device.\n")
    }

    /// With a line for each request, and a pipe that holds a few of them.
    @Test(arguments: [true, false]) func aServerOutlivesTheReaderOfItsLog(isGone: Bool) async throws {
        var operation = try TidemarkProcess()
        operation.environment["TIDEMARK_LOG_REQUESTS"] = "true"
        let pipe = try FileDescriptor.pipe()
        // Else the server would be a reader of its own log.
        _ = fcntl(pipe.readEnd.rawValue, F_SETFD, FD_CLOEXEC)
        let configuration = operation.configuration(["serve", "--port", "0", "--database", operation.database])
        let running = Task {
            try await Subprocess.run(
                configuration, input: .none, output: .discarded,
                error: .fileDescriptor(pipe.writeEnd, closeAfterSpawningProcess: true))
        }
        let url = try await Task.detached { try Self.url(in: pipe.readEnd) }.value
        if isGone { try pipe.readEnd.close() }
        let transport = AsyncHTTPClientTransport()
        for _ in 0..<(isGone ? 3 : 1000) {
            let request = TransportRequest(
                method: .get, url: url + "/health/", headers: [:], body: Data(), timeout: .seconds(120))
            #expect(try await transport.send(request).status == 200)
        }
        try await transport.shutdown()
        running.cancel()
        _ = await running.result
        if !isGone { try pipe.readEnd.close() }
        #expect(operation.size("plans.db-wal") == nil, "the server ended in order")
    }

    /// Reads until the server has said where it listens.
    private static func url(in log: FileDescriptor) throws -> String {
        var said = ""
        while true {
            if let match = said.firstMatch(of: /on (https?:\/\/[0-9.]+:[0-9]+)\n/) { return String(match.1) }
            let bytes = try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
                Array(buffer.prefix(try log.read(into: buffer)))
            }
            try #require(!bytes.isEmpty, "\(said)")
            said += String(decoding: bytes, as: UTF8.self)
        }
    }
}

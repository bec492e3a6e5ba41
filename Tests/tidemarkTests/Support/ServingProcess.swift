import Dispatch
import Foundation
import SyncClient
import SyncProtocol
import SyncTestKit
import Testing

/// `tidemark serve` on a free port. Ended when the value goes.
final class ServingProcess: Sendable {
    let url: String
    let greeting: String
    private let process: Process

    /// Returns once the server has greeted.
    init(_ operation: TidemarkProcess, _ arguments: String...) async throws {
        let process = operation.process(
            ["serve", "--port", "0", "--database", operation.database] + arguments)
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        self.process = process
        let handle = pipe.fileHandleForReading
        greeting = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: ServingProcess.greeting(from: handle)) }
        }
        url = greeting.firstMatch(of: /https?:\/\/[0-9.]+:[0-9]+/).map { String($0.output) } ?? ""
        #expect(!url.isEmpty, "\(greeting)")
    }

    /// Up to the line about the docs, and what came with it. By `read` itself: `availableData` ends the process where a
    /// signal comes between, such as that of another test's child that has ended.
    private static func greeting(from handle: FileHandle) -> String {
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while !String(decoding: bytes, as: UTF8.self).contains("/docs/\n") {
            let count = read(handle.fileDescriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Ends it as SIGTERM does, and waits for that.
    func stop() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                process.terminate()
                process.waitUntilExit()
                continuation.resume()
            }
        }
    }

    func send(_ method: TransportRequest.Method, _ path: String, token: String? = nil, _ body: JSON? = nil) async throws
        -> TransportResponse
    {
        let transport = HTTPTransport()
        var headers = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        if body != nil { headers["Content-Type"] = "application/json" }
        let request = TransportRequest(
            method: method, url: url + path, headers: headers, body: body.map { Data($0.text.utf8) } ?? Data(),
            timeout: .seconds(120))
        let response: TransportResponse
        do { response = try await transport.send(request) } catch {
            try? await transport.shutdown()
            throw error
        }
        try await transport.shutdown()
        return response
    }

    /// The status of `GET /auth/me/`.
    func me(_ token: String) async throws -> Int { try await send(.get, "/auth/me/", token: token).status }
}

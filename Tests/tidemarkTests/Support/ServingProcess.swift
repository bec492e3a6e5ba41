import Foundation
import Subprocess
import SyncAsyncHTTPClient
import SyncClientCore
import SyncProtocol
import SyncTestKit
import Testing

/// `tidemark serve` on a free port. It ends with this object.
final class ServingProcess: Sendable {
    let url: String
    let greeting: String
    private let running: Task<Void, Never>

    /// Returns once the server has printed its greeting, up to the line about the docs; keeps what it printed.
    init(_ operation: TidemarkProcess, _ arguments: String...) async throws {
        let configuration = operation.configuration(
            ["serve", "--port", "0", "--database", operation.database] + arguments)
        let (greetings, greeted) = AsyncStream<String>.makeStream()
        running = Task {
            defer { greeted.finish() }
            _ = try? await Subprocess.run(configuration, input: .none, output: .discarded, error: .sequence) { server in
                var said = ""
                for try await bytes in server.standardError {
                    said += bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                    if said.contains("/docs/\n") { greeted.yield(said) }
                }
                greeted.yield(said)
            }
        }
        greeting = await greetings.first { _ in true } ?? ""
        url = greeting.firstMatch(of: /https?:\/\/[0-9.]+:[0-9]+/).map { String($0.output) } ?? ""
        #expect(!url.isEmpty, "\(greeting)")
    }

    deinit { running.cancel() }

    /// Ends the server with SIGTERM, and waits until it has ended.
    func stop() async {
        running.cancel()
        await running.value
    }

    func send(
        _ method: TransportRequest.Method, _ path: String, token: String? = nil, _ body: JSON? = nil,
        headers: [String: String] = [:], bytes: Data? = nil
    ) async throws -> TransportResponse {
        let transport = AsyncHTTPClientTransport()
        var headers = headers
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if body != nil { headers["Content-Type"] = "application/json" }
        let request = TransportRequest(
            method: method, url: url + path, headers: headers,
            body: bytes ?? body.map { Data($0.text.utf8) } ?? Data(), timeout: .seconds(120))
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

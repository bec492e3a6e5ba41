import SyncTransport

@testable import SyncAsyncHTTPClient
@testable import SyncURLSession

/// The libraries that a transport is made with. What holds for one holds for the other.
enum HTTPLibrary: CaseIterable {
    case urlSession
    case asyncHTTPClient

    /// Makes a transport for `body`, and shuts it down.
    func withTransport<Result>(
        bodyLimit: Int = 1 << 20, silence: Duration = .seconds(1), onSilence: @escaping @Sendable () -> Void = {},
        _ body: (any Transport) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .urlSession:
            var transport = URLSessionTransport(bodyLimit: bodyLimit, onSilence: onSilence)
            transport.silence = silence
            return try await finishing(transport.shutdown) { [transport] in try await body(transport) }
        case .asyncHTTPClient:
            var transport = AsyncHTTPClientTransport(bodyLimit: bodyLimit, onSilence: onSilence)
            transport.silence = silence
            return try await finishing(transport.shutdown) { [transport] in try await body(transport) }
        }
    }

    private func finishing<Result>(
        _ end: () async throws -> Void, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body()
            try await end()
            return result
        } catch {
            try await end()
            throw error
        }
    }
}

import Foundation

/// Sends one request to the server and returns its response. The rest of the library does no networking. Conform to
/// this for tests or for another HTTP stack.
public protocol Transport: Sendable {
    /// Returns the complete, decompressed response, whatever its status.
    ///
    /// Must not follow redirects or retry. Throws `TransportError` when no complete response arrives within
    /// `request.timeout`, and `CancellationError` when the task is cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

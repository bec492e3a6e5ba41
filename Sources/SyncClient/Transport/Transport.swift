import Foundation

/// Carries one request to the server and its answer back. The rest of the library knows no network: tests and other
/// HTTP stacks conform to this.
public protocol Transport: Sendable {
    /// The answer, complete and decompressed, whatever its status.
    ///
    /// Does not follow redirects and does not retry. Throws `TransportError` when there is no complete answer within
    /// `request.timeout`, and `CancellationError` when the task is cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

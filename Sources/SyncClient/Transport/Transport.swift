import Foundation

/// Sends one request to the server and returns its response. The rest of the library does no networking. Conform to
/// this for tests or for another HTTP stack.
public protocol Transport: Sendable {
    /// Returns the complete, decompressed response, whatever its status.
    ///
    /// Must not follow redirects or retry. Throws `TransportError` when no complete response arrives within
    /// `request.timeout`, and `CancellationError` when the task is cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Sends the request, and returns as soon as the head of the response is there. Returns nil if this transport can't
    /// stream; the client then uses waiting pulls. The default does that.
    ///
    /// Ignores `request.timeout`: the caller cancels the task instead. Must not follow redirects or retry.
    func open(_ request: TransportRequest) async throws -> TransportStream?
}

extension Transport {
    public func open(_ request: TransportRequest) async throws -> TransportStream? { nil }
}

import CPQ

/// Cancels the statement that a connection is running, from any thread.
///
/// The pointer is never changed, and `PQcancel` can be called on any thread:
/// https://www.postgresql.org/docs/15/libpq-cancel.html
final class QueryCanceller: @unchecked Sendable {
    private let request: OpaquePointer

    fileprivate init(_ request: OpaquePointer) { self.request = request }

    deinit { PQfreeCancel(request) }

    /// Asks the server to end the statement. Without one, nothing happens.
    func cancel() {
        var reason = [CChar](repeating: 0, count: 256)
        PQcancel(request, &reason, 256)
    }
}

extension Connection {
    /// Nil if the connection is lost.
    var canceller: QueryCanceller? { PQgetCancel(handle).map { QueryCanceller($0) } }
}

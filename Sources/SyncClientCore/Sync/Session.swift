import SyncProtocol
import Synchronization

/// The server that a sync talks to, the replica that it fills, and how it reaches the outside world.
struct Session: Sendable {
    var remote: Remote
    let transport: any Transport
    let replica: Replica
    let environment: SyncEnvironment
    var device = DeviceInfo()
    /// Whether the replica was not compared yet by this session.
    var firstPull = FirstPull()
    /// Counts what is done, also by pulls and pushes that fail; nil if nobody asks.
    var tally: SyncTally?

    /// Sends a request, with what the device tells of itself. A transport error is a result, not an error that is
    /// thrown: only errors that end a sync at once are thrown.
    func exchange(_ request: TransportRequest) async throws -> Result<TransportResponse, TransportError> {
        do {
            let answer = try await transport.send(named(request))
            return .success(answer.judged(token: remote.token, at: environment.wallClock()))
        } catch let error as TransportError {
            return .failure(error)
        }
    }

    /// Opens a stream; nil if the transport can't.
    func open(_ request: TransportRequest) async throws -> TransportStream? {
        try await transport.open(named(request))
    }

    /// The request, with what the device tells of itself.
    private func named(_ request: TransportRequest) -> TransportRequest {
        var request = request
        if let known = try? replica.device() {
            request.headers.merge(device.headers(id: known.id, comparison: known.comparison)) { $1 }
        }
        return request
    }

    /// Wipes the replica. Returns the error to throw.
    func wipe(_ reason: WipeReason, detail: String) throws -> SyncError {
        let setAside = try replica.wipe(reason, at: environment.wallClock())
        return .wiped(reason, detail: detail, setAside: setAside)
    }
}

/// Whether nothing was pulled yet.
final class FirstPull: Sendable {
    private let isFirst = Mutex(true)

    /// True once.
    func take() -> Bool {
        isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
    }
}

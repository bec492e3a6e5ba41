import SyncClientCore
import Synchronization

/// The way to several servers on one database. Each request goes to another server than the last one.
final class AlternatingTransport: Transport {
    private let transports: [InProcessTransport]
    private let turn = Atomic(0)

    init(_ transports: [InProcessTransport]) { self.transports = transports }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return try await transports[turn % transports.count].send(request)
    }
}

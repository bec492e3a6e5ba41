import SyncClient
import SyncProtocol
import SyncStore
import SyncTestKit

extension World {
    /// Checks that the sender's next drain delivers everything that the upload did not
    /// apply as sent. The client library could mostly do without that; other clients
    /// could not. Throws a `Failure` if such a row does not carry the upload's number.
    func checkPuttingRight(_ response: TransportResponse, to request: TransportRequest) async throws {
        guard request.method == .post, response.status == 200, response.headers["idempotent-replayed"] == nil,
            let answer = try? JSON(parsing: response.body), let number = answer["timestamp"]?.int
        else { return }
        let lists = ["skipped", "conflicts", "rejected", "repaired"].flatMap { answer[$0]?["tasks"]?.array ?? [] }
        let ids = Set(lists.compactMap { $0["id"]?.string })
        let late = try await server.bench.store.read { transaction in
            try ids.filter { id in
                guard let row = try transaction.record(RowKey("tasks", id)) else { return false }
                return row.seq != SyncSeq(number)
            }
        }
        guard late.isEmpty else { throw Failure("not delivered again: \(late.sorted()), after \(answer.text)") }
    }
}

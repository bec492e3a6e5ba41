import SyncAccounts
import SyncClientCore
import SyncProtocol
import SyncStore
import SyncTestKit

extension World {
    /// Checks that the sender's next drain delivers everything that the upload did not
    /// apply as sent. The client library could mostly do without that; other clients
    /// could not. Throws a `Failure` if such a row does not carry the upload's number.
    func checkPuttingRight(_ response: TransportResponse, to request: TransportRequest) async throws {
        guard request.method == .post, response.status == 200, response.headers["idempotent-replayed"] == nil,
            let answer = try? JSON(parsing: response.body)
        else { return }
        let rows = ["skipped", "conflicts", "rejected", "repaired"].reduce(into: Set<RowKey>()) {
            $0.formUnion(reported(in: $1, of: answer))
        }
        let user = sender(of: request).map { server.bench.caller($0).userID } ?? 0
        let late = try await server.bench.store.read { transaction in
            try rows.filter { row in
                guard let record = try transaction.record(row),
                    let number = answer["timestamp"]?.int ?? answer["timestamps"]?[record.project]?.int
                else { return false }
                guard record.seq != SyncSeq(number) else { return false }
                // A row that is not listed for the sender any more is named again by the sender's own entry. Of one
                // that never was, only those in the role are told.
                let isListed = ["inspections", "findings"].contains(row.collection) && !record.isDeleted
                guard isListed else { return true }
                return try transaction.listedSpan(of: row, user: user).map { $0.seq != SyncSeq(number) } ?? false
            }
        }
        guard late.isEmpty else { throw Failure("not delivered again: \(late), after \(answer.text)") }
    }

    /// The rows in a list of the answer, except those that the sender may not know of.
    private func reported(in list: String, of answer: JSON) -> [RowKey] {
        (answer[list]?.object ?? [:]).flatMap { collection, entries in
            (entries.array ?? []).filter { !["id_unavailable", "not_found"].contains($0["code"]?.string) }
                .compactMap { $0["id"]?.string.map { RowKey(collection, $0) } }
        }
    }
}

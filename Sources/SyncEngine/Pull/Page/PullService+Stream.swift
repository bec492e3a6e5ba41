package import SyncAccounts
import SyncProtocol
import SyncStore
import Synchronization

extension PullService {
    /// The whole drain, read in one transaction that lasts until everything is sent. Returns with the first bytes. All
    /// errors that can refuse the request come before that.
    ///
    /// Throws what `page` throws; `invalid_parameter` for a cursor; `busy` if too many long streams are running.
    package func stream(_ request: PullRequest, for caller: Caller) async throws -> PullStream {
        guard request.cursor == nil else {
            throw Problem(.invalidParameter, "A stream has no pages: leave out cursor, or stream.")
        }
        let (pipe, head) = (ChunkPipe(), Head())
        // Not a child task: the transaction outlives this call, and ends when the stream is sent or abandoned.
        Task {
            do {
                try await store.stream(.project(request.project)) { transaction, willLast in
                    var drain = try begin(request, caller, transaction, into: pipe, willLast)
                    head.value = drain.head
                    try drain.run(transaction)
                }
            } catch {
                pipe.fail(error)
            }
        }
        let first = try await pipe.take()
        return PullStream(head: head.value, first: first, pipe: pipe)
    }

    private func begin(
        _ request: PullRequest, _ caller: Caller, _ transaction: any ReadTransaction, into pipe: ChunkPipe,
        _ willLast: @escaping WillLast
    ) throws -> StreamDrain {
        let plan = try plan(request, caller, transaction)
        return StreamDrain(
            plan, total: try total(plan, transaction), digest: try digest(plan, transaction), into: pipe, limits,
            willLast)
    }
}

/// The head that a stream was read at. It is set before the first chunk.
private final class Head: Sendable {
    private let storage = Mutex(SyncSeq.zero)

    var value: SyncSeq {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}

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
        try await stream(.project(request.project), cursor: request.cursor) { transaction, pipe, willLast in
            let plan = try plan(request, caller: caller, in: transaction).choosing(registry, in: transaction)
            let total = try total(plan, transaction)
            let digest = try digest(plan, transaction)
            let head = plan.start.timestamp
            let share = StreamDrain.Share(plan: plan.drain, project: request.project, head: head)
            let drain = StreamDrain(
                [share], collections: request.form.collections(of: registry), for: caller.userID,
                expectedRows: total ?? 0,
                into: pipe, limits: limits, willLast: willLast
            ) { rows in
                PageTrailer(
                    timestamp: head, nextCursor: nil, rows: rows, total: total, digest: digest,
                    isFiltered: plan.drain.isFiltered
                ).bytes
            }
            return (drain, head.rawValue)
        }
    }

    /// The whole drain over all projects, read as that of one project. Throws what `page` throws; `invalid_parameter`
    /// for a cursor; `busy` if too many long streams are running.
    package func stream(_ request: UserPullRequest, for caller: Caller) async throws -> PullStream {
        try await stream(.installation, cursor: request.cursor) { transaction, pipe, willLast in
            let plan = try plan(request, for: caller, in: transaction)
            var trailer = plan.trailer
            trailer.replaced = plan.drain.shares.filter { $0.kind == .replaced }.map(\.project)
            trailer.end = try end(of: plan.drain, request: request, for: caller, in: transaction)
            let shares = try plan.drain.shares.indices.map { index in
                try share(index, of: plan, transaction)
            }
            let drain = StreamDrain(
                shares, collections: request.form.collections(of: registry), for: caller.userID,
                expectedRows: trailer.total ?? 0,
                into: pipe, limits: limits, willLast: willLast, trailerTells: !trailer.isEmpty
            ) { [trailer] rows in
                var trailer = trailer
                trailer.rows = rows
                return trailer.bytes
            }
            return (drain, trailer.head(at: plan.drain.number))
        }
    }

    private func share(
        _ index: Int, of plan: UserPagePlan, _ transaction: any ReadTransaction
    ) throws -> StreamDrain.Share {
        let share = plan.drain.shares[index]
        let head = try plan.drain.head(of: share.project, in: transaction)
        let drain =
            try plan.plan(ofShare: index, from: nil, registry, transaction)?.choosing(registry, in: transaction).drain
            ?? plan.drainPlan(left: share, registry, transaction)
        return StreamDrain.Share(plan: drain, project: share.project, head: head)
    }

    /// `begin` makes the drain, and the watermark of the state that it reads.
    private func stream(
        _ scope: StoreScope, cursor: String?,
        begin: @escaping @Sendable (any ReadTransaction, ChunkPipe, @escaping WillLast) throws -> (StreamDrain, Int64)
    ) async throws -> PullStream {
        guard cursor == nil else {
            throw Problem(.invalidParameter, "A stream has no pages: leave out cursor, or stream.")
        }
        let pipe = ChunkPipe()
        let head = Head()
        // Not a child task: the transaction outlives this call, and ends when the stream is sent or abandoned.
        Task {
            do {
                try await store.stream(scope) { transaction, willLast in
                    var (drain, watermark) = try begin(transaction, pipe, willLast)
                    head.value = watermark
                    try drain.run(transaction)
                }
            } catch {
                pipe.fail(error)
            }
        }
        let first = try await pipe.take()
        return PullStream(head: head.value, first: first, pipe: pipe)
    }
}

/// The head that a stream was read at. It is set before the first chunk.
private final class Head: Sendable {
    private let storage = Mutex<Int64>(0)

    var value: Int64 {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}

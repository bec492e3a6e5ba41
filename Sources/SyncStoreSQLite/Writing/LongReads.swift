import Synchronization

/// The long reads of a store, and up to which size of the log each may go on.
final class LongReads: Sendable {
    private struct Read {
        var limit: Int
        let cut: @Sendable () -> Void
    }

    private let reads = Mutex<[ObjectIdentifier: Read]>([:])

    var isEmpty: Bool { reads.withLock(\.isEmpty) }

    func begin(_ lease: ReadLease, upTo limit: Int, cut: @escaping @Sendable () -> Void) {
        reads.withLock { $0[ObjectIdentifier(lease)] = Read(limit: limit, cut: cut) }
    }

    /// Does nothing if the lease did not begin.
    func end(_ lease: ReadLease) { reads.withLock { $0[ObjectIdentifier(lease)] = nil } }

    /// Cuts the reads for which a log of this size is too long, each of them once. They end a little later.
    func cut(at size: Int) {
        let over = reads.withLock { reads in
            let over = reads.filter { $0.value.limit < size }
            for key in over.keys { reads[key]?.limit = .max }
            return over.values.map(\.cut)
        }
        for cut in over { cut() }
    }
}

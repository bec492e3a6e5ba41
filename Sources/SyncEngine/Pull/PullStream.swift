import Dispatch
package import NIOCore
import Synchronization

/// A whole drain that is being sent. The drain's read transaction ends with this value at the latest.
package final class PullStream: Sendable {
    /// The drain's `timestamp`.
    package let head: Int64
    /// The document's first bytes.
    package let first: ByteBuffer
    /// Whether `first` is the whole document.
    package let isWhole: Bool
    /// Whether the drain has no row and nothing to tell of projects.
    package let isEmpty: Bool
    private let pipe: ChunkPipe

    init(head: Int64, first: ChunkPipe.Chunk, pipe: ChunkPipe) {
        self.head = head
        self.first = first.bytes
        isWhole = first.isLast
        isEmpty = first.isEmpty
        self.pipe = pipe
    }

    deinit { pipe.abandon() }

    /// The next bytes, and whether they are the last. Must not be called after the last ones. Throws
    /// `StreamCut.stalled`, and what the store throws. After an error the document can't be completed.
    package func next() async throws -> (bytes: ByteBuffer, isLast: Bool) {
        let chunk = try await pipe.take()
        return (chunk.bytes, chunk.isLast)
    }

    /// Calls `body` when the stream breaks, or at once if it is broken. A task that
    /// is blocked while it sends does not get to call `next`.
    package func onCut(_ body: @escaping @Sendable (any Error) -> Void) { pipe.onFailure(body) }

    /// Ends the read transaction, because the client is gone.
    package func abandon() { pipe.abandon() }
}

/// Hands the chunks of a stream from the thread that reads them to the task that sends them. At most `capacity` chunks,
/// plus the last one, wait in between. A reader that is ahead blocks, so it must run where a thread may block, as
/// `SyncStore.stream` promises. The task never blocks.
///
/// One thread puts, and one task takes. The pipe ends with the last chunk, or when it breaks.
final class ChunkPipe: Sendable {
    struct Chunk: Sendable {
        let bytes: ByteBuffer
        let isLast: Bool
        /// Whether it ends a drain that had nothing for its reader.
        var isEmpty = false
    }

    fileprivate struct State {
        var chunks: [Chunk] = []
        /// The task, if it came before the chunk.
        var taker: CheckedContinuation<Chunk, any Error>?
        var failure: (any Error)?
        var onFailure: (@Sendable (any Error) -> Void)?
        var isAbandoned = false
        var isCut = false
    }

    private static let capacity = 2

    private let state = Mutex(State())
    /// Counts the free slots. It is created with 0, because Dispatch traps if a semaphore is
    /// released with a lower value than it was created with.
    private let places = DispatchSemaphore(value: 0)

    init() {
        for _ in 0..<ChunkPipe.capacity { places.signal() }
    }

    // MARK: The thread that reads

    /// Blocks until there is room. Throws `StreamCut.stalled` if the deadline passes first,
    /// and what `requireTaker` throws.
    func put(_ bytes: ByteBuffer, _ deadline: inout StreamDeadline) throws {
        guard deadline.wait(for: places) else { throw StreamCut.stalled }
        try requireTaker()
        try hand(Chunk(bytes: bytes, isLast: false))
    }

    /// Does not wait for room, so the reader finishes whatever the client does.
    func putLast(_ bytes: ByteBuffer, isEmpty: Bool) throws {
        try hand(Chunk(bytes: bytes, isLast: true, isEmpty: isEmpty))
    }

    /// Throws `StreamCut.abandoned` if nobody takes chunks any more, and `.outgrown` if the store has cut the stream.
    func requireTaker() throws {
        let cut = state.withLock { $0.isAbandoned ? StreamCut.abandoned : $0.isCut ? .outgrown : nil }
        if let cut { throw cut }
    }

    private func hand(_ chunk: Chunk) throws {
        let taker = try state.withLock { state in
            if state.isAbandoned { throw StreamCut.abandoned }
            defer { state.taker = nil }
            if state.taker == nil { state.chunks.append(chunk) }
            return state.taker
        }
        taker?.resume(returning: chunk)
    }

    /// Breaks the pipe: `take` throws `error`, even if chunks are waiting.
    func fail(_ error: any Error) {
        let (taker, onFailure) = state.withLock { state in
            defer { (state.taker, state.onFailure) = (nil, nil) }
            state.failure = error
            return (state.taker, state.onFailure)
        }
        taker?.resume(throwing: error)
        onFailure?(error)
    }

    // MARK: Any thread

    /// Ends the stream, for the store's sake. Wakes the reader, whose next call throws.
    func cut() {
        state.withLock { $0.isCut = true }
        places.signal()
    }

    // MARK: The task that sends

    /// The next chunk. Must not be called after the last one.
    func take() async throws -> Chunk {
        let chunk = try await withCheckedThrowingContinuation { taker in
            if let outcome = state.withLock({ $0.outcome(for: taker) }) { taker.resume(with: outcome) }
        }
        places.signal()
        return chunk
    }

    /// Calls `body` when the pipe breaks, or at once if it is broken. For a task that is blocked while it sends.
    func onFailure(_ body: @escaping @Sendable (any Error) -> Void) {
        let failure = state.withLock { state in
            if state.failure == nil { state.onFailure = body }
            return state.failure
        }
        if let failure { body(failure) }
    }

    /// To be called when nobody takes chunks any more. Wakes the reader, whose next call throws.
    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            state.chunks = []
            state.onFailure = nil
        }
        places.signal()
    }
}

extension ChunkPipe.State {
    /// What a taker gets at once; nil if it has to wait. In that case it is kept.
    fileprivate mutating func outcome(
        for taker: CheckedContinuation<ChunkPipe.Chunk, any Error>
    ) -> Result<ChunkPipe.Chunk, any Error>? {
        if let failure { return .failure(failure) }
        guard chunks.isEmpty else { return .success(chunks.removeFirst()) }
        self.taker = taker
        return nil
    }
}

/// Why a stream broke off.
package enum StreamCut: Error, Equatable {
    /// The client took nothing for too long.
    case stalled
    /// So much was written during the stream that the store can't wait for it any longer.
    case outgrown
    /// The client is gone.
    case abandoned
}

import Dispatch

/// What can be fed with bytes of a stranger, or of an operator's file; and what must hold whatever they are. The fuzzers of
/// `scripts/fuzz` and `FuzzTests` feed the same.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// The `cursor` of a pull.
    case cursor
    /// The query of a request: a pull's, or a list's.
    case query
    /// The body of an upload, as an envelope and as WatermelonDB's own push.
    case upload
    /// A plan in MSPDI.
    case plan
    /// Schema files; see `SchemaPatch`.
    case schema

    /// Throws `BrokenPromise`. A trap ends the process, which a fuzzer sees as well.
    public func check(_ input: [UInt8]) async throws {
        switch self {
        case .cursor: try CursorPromises.check(input)
        case .query: try QueryPromises.check(input)
        case .upload: try await UploadPromises.check(input)
        case .plan: try await PlanPromises.check(input)
        case .schema: try SchemaPromises.check(input)
        }
    }

    /// For libFuzzer, from a thread that may block: ends the process where a promise is broken.
    public func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        let input = Array(UnsafeBufferPointer(start: bytes, count: count))
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await check(input) } catch { fatalError("\(error)") }
            done.signal()
        }
        done.wait()
        return 0
    }
}

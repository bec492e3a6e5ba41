import Dispatch

/// What reads bytes from strangers or from an operator's files. Each target checks what must hold for any input. The
/// fuzzers of `scripts/fuzz` and the tests `FuzzTests` use the same targets.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// The `cursor` of a pull.
    case cursor
    /// The query of a pull or of a list.
    case query
    /// The body of an upload, read both as an envelope and as WatermelonDB's own push.
    case upload
    /// A plan in MSPDI.
    case plan
    /// Schema files, as a patch; see `SchemaPatch`.
    case schema

    /// Checks one input. Throws `BrokenPromise`. A trap ends the process, which a fuzzer detects too.
    public func check(_ input: [UInt8]) async throws {
        switch self {
        case .cursor: try CursorPromises.check(input)
        case .query: try QueryPromises.check(input)
        case .upload: try await UploadPromises.check(input)
        case .plan: try await PlanPromises.check(input)
        case .schema: try SchemaPromises.check(input)
        }
    }

    /// The entry point for libFuzzer. Blocks the calling thread. Ends the process when a promise is broken.
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

import Crypto
import Dispatch
import SyncProtocol
package import SyncStore
import Synchronization

/// Looks at the files of an `S3Store`. Lists stand for a request for each file.
package final class S3Inspector: FileInspector {
    private static let digits = Array("0123456789abcdef")

    private let store: S3Store
    private let readsBytes: Bool
    /// The files that begin so, as they were listed last.
    private let listed = Mutex<(prefix: String, files: [String: Int64])>(("", [:]))

    package let name: String

    /// With `readsBytes`, the digest of each file is computed. Otherwise its size alone is compared.
    package init(_ bucket: S3Bucket, readsBytes: Bool = false) {
        store = S3Store(bucket)
        name = bucket.name
        self.readsBytes = readsBytes
    }

    package func fault(of file: StoredFile) throws -> FileFault? {
        guard let size = try files(String(file.place.prefix(3)))[file.place] else { return .missing }
        guard size == file.size else { return .damaged }
        guard readsBytes else { return nil }
        return try waiting { [store] in try await store.digest(of: file) } == file.digest ? nil : .damaged
    }

    package func visit(_ body: (_ prefix: String, _ files: [String: Int64]) throws -> Void) throws {
        for first in Self.digits {
            for second in Self.digits { try body("\(first)\(second)/", files("\(first)\(second)/")) }
        }
    }

    private func files(_ prefix: String) throws -> [String: Int64] {
        let known = listed.withLock(\.self)
        if known.prefix == prefix { return known.files }
        let files = try waiting { [store] in try await store.files(prefix) }
        listed.withLock { $0 = (prefix, files) }
        return files
    }

    /// Waits for something asynchronous. The caller is not on one of Swift's own threads.
    private func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        Task.detached {
            do { outcome.tell(.success(try await body())) } catch { outcome.tell(.failure(error)) }
        }
        do { return try outcome.wait().get() } catch FileStoreError.failed(let reason) {
            throw StoreError(reason, hint: "Check the network, the bucket's name and the credentials.")
        }
    }

    /// What became of something that a thread waits for.
    private final class Outcome<Value: Sendable>: Sendable {
        private let result = Mutex<Result<Value, any Error>>(.failure(CancellationError()))
        private let isTold = DispatchSemaphore(value: 0)

        func tell(_ value: Result<Value, any Error>) {
            result.withLock { $0 = value }
            isTold.signal()
        }

        func wait() -> Result<Value, any Error> {
            isTold.wait()
            return result.withLock(\.self)
        }
    }
}

import SyncStore
import SystemPackage
import _NIOFileSystem

/// Calls the file system, and says what went wrong as a file store does.
func telling<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as FileSystemError {
        throw FileStoreError(error)
    }
}

extension FileStoreError {
    fileprivate init(_ error: FileSystemError) {
        let errno = (error.cause as? FileSystemError.SystemCallError)?.errno
        switch errno {
        case .noSpace, .diskQuotaExceeded: self = .full
        default: self = error.code == .notFound ? .missing(error.message) : .failed("\(error)")
        }
    }
}

package import NIOCore
package import SyncProtocol

/// Where the bytes of files are: a folder, or a service. What is recorded of them is in the database, and is written
/// after the bytes are kept and before they are removed. So a file may be there that the database does not know, never
/// the other way around.
///
/// All methods throw a `FileStoreError`.
package protocol FileStore: Sendable {
    /// Begins a file that nobody can read yet. It is unfinished until it is kept.
    func begin() async throws -> any NewFile
    /// Opens a kept file.
    func open(_ place: String) async throws -> any OpenFile
    /// How many bytes a kept file has; nil if there is none.
    func size(of place: String) async throws -> Int64?
    /// Removes a kept file. Does nothing if there is none.
    func remove(_ place: String) async throws
    /// Calls `body` with the places of all files that were kept before the time, some at a time.
    func visitPlaces(keptBefore date: Instant, _ body: ([String]) async throws -> Void) async throws

    /// Opens an unfinished file.
    func openUnfinished(_ name: String) async throws -> any OpenFile
    /// How many bytes an unfinished file has; nil if there is none.
    func size(ofUnfinished name: String) async throws -> Int64?
    /// Removes an unfinished file. Does nothing if there is none.
    func removeUnfinished(_ name: String) async throws
    /// The names of files that are unfinished, and were not appended to since the time.
    func unfinished(before date: Instant) async throws -> [String]
}

/// A file that is being received. It has to end with `keep`, `discard` or `close`.
package protocol NewFile: Sendable {
    /// The name that it has as long as it is unfinished. A name is never used twice.
    var name: String { get }
    func append(_ bytes: ByteBuffer) async throws
    /// When this returns, neither a crash nor a power cut loses what was appended before.
    func sync() async throws
    /// Leaves the file unfinished.
    func close() async
    /// Keeps the bytes under a place that was never used. When this returns, neither a crash nor a power cut loses
    /// them.
    func keep(as place: String) async throws
    func discard() async
}

/// A file that is being read. It has to end with `close`.
package protocol OpenFile: Sendable {
    /// The first of these bytes: some, but no more than fit into memory easily. Throws if the file has none of them.
    func read(_ range: Range<Int64>) async throws -> ByteBuffer
    func close() async
}

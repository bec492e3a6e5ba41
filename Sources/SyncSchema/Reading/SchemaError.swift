import SyncProtocol

/// What is wrong with a schema file. Start-up ends with it, so it says where and what to do.
package struct SchemaError: Error, Sendable, Equatable, CustomStringConvertible {
    package let file: String
    /// RFC 6901, into the file.
    package let pointer: String
    package let reason: String

    package init(file: String, pointer: String, reason: String) {
        self.file = file
        self.pointer = pointer
        self.reason = reason
    }

    package var description: String { pointer.isEmpty ? "\(file): \(reason)" : "\(file)#\(pointer): \(reason)" }
}

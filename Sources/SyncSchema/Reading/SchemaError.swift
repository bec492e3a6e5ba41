import SyncProtocol

/// What is wrong with a schema file. It ends the start of the server, so it says where the error is and what to do.
package struct SchemaError: Error, Sendable, Equatable, CustomStringConvertible {
    package let file: String
    /// RFC 6901 pointer into the file.
    package let pointer: String
    package let reason: String

    package init(file: String, pointer: String, reason: String) {
        self.file = file
        self.pointer = pointer
        self.reason = reason
    }

    package var description: String { pointer.isEmpty ? "\(file): \(reason)" : "\(file)#\(pointer): \(reason)" }
}

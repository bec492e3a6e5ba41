/// What can be wrong in a `FileStore`.
package enum FileStoreError: Error, Sendable {
    /// There is no such file.
    case missing(String)
    /// The disk is full.
    case full
    /// Something else failed. The text is for the operator.
    case failed(String)
}

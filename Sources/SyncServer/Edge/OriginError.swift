import SyncProtocol

/// An entry that can't be used, and what to do.
package struct OriginError: Error, CustomStringConvertible {
    package let description: String

    init(_ text: String) { description = "TIDEMARK_HTTP_ORIGINS (http.origins): \(text)." }
}

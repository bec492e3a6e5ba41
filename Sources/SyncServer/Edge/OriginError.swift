import SyncProtocol

/// Why an entry of the origins can't be used, and what to do about it.
package struct OriginError: Error, CustomStringConvertible {
    package let description: String

    init(_ text: String) { description = "TIDEMARK_HTTP_ORIGINS (http.origins): \(text)." }
}

import HTTPTypes
import Hummingbird
import SyncProtocol

extension Request {
    /// Throws `not_acceptable` where `Accept` allows none of the media types (RFC 9110 section 12.5.1). No header, and
    /// one in which there is no media range, allows all. Refusals are sent as problem documents to everybody.
    func requireAcceptance(ofAny mediaTypes: [String]) throws {
        guard !mediaTypes.isEmpty, let header = headers[.accept], header != "*/*", !mediaTypes.contains(header) else {
            return
        }
        let accepted = QualityValues(header)
        guard accepted.names.contains(where: { $0.contains("/") }) else { return }
        guard mediaTypes.contains(where: accepted.allows) else {
            throw Problem(
                .notAcceptable,
                "This is answered as \(mediaTypes.joined(separator: " or ")), which Accept does not allow.")
        }
    }

    /// Throws `unsupported_media_type` for a body that is said to be something else than JSON. Nothing said is JSON,
    /// and so is `text/plain`, which `fetch` says of each string: WatermelonDB's documented push has no other.
    func requireJSON() throws {
        guard let header = headers[.contentType] else { return }
        let type = String(header.prefix { $0 != ";" }.trimming(while: \.isWhitespace)).lowercased()
        if ["application/json", "text/json", "text/plain"].contains(type) || type.hasSuffix("+json") { return }
        throw Problem(.unsupportedMediaType, "The body must be JSON. Send it with Content-Type: application/json.")
    }

    /// Throws `unsupported_content_encoding`. Nothing is ever unpacked, so that a small body can't become a large one.
    func requirePlainBody() throws {
        guard let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" else { return }
        throw Problem(
            .unsupportedContentEncoding, "Content-Encoding is not supported for requests. Send the body uncompressed.")
    }
}

extension QualityValues {
    /// The most exact range decides.
    fileprivate func allows(_ mediaType: String) -> Bool {
        let type = mediaType.prefix { $0 != "/" }
        return (self[mediaType] ?? self["\(type)/*"] ?? self["*/*"] ?? 0) > 0
    }
}

extension Endpoint {
    /// What its answers with a body are.
    var mediaTypes: [String] {
        answers.filter { $0.schema != nil }.reduce(into: []) { types, answer in
            if !types.contains(answer.mediaType) { types.append(answer.mediaType) }
        }
    }
}

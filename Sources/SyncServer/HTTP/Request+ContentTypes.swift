import HTTPTypes
import Hummingbird
import SyncProtocol

extension Request {
    /// Throws `not_acceptable` if `Accept` allows none of the media types (RFC 9110 section 12.5.1). No header,
    /// or a header without a media range, allows all. Refusals are problem documents, whatever `Accept` says.
    func requireAcceptance(ofAny mediaTypes: [String]) throws {
        guard !mediaTypes.isEmpty, let header = headers[.accept], header != "*/*", !mediaTypes.contains(header) else {
            return
        }
        let accepted = QualityValues(header)
        guard accepted.names.contains(where: { $0.contains("/") }) else { return }
        guard mediaTypes.contains(where: accepted.allows) else {
            throw Problem(
                .notAcceptable,
                "The answer would be \(mediaTypes.joined(separator: " or ")), which the Accept header does not allow.")
        }
    }

    /// Throws `unsupported_media_type` if `Content-Type` says that the body is not
    /// JSON. A missing header counts as JSON. So does `text/plain`: `fetch` sends
    /// it for every string, and WatermelonDB's documented push sets no other type.
    func requireJSON() throws {
        guard let header = headers[.contentType] else { return }
        let type = String(header.prefix { $0 != ";" }.trimming(while: \.isWhitespace)).lowercased()
        if ["application/json", "text/json", "text/plain"].contains(type) || type.hasSuffix("+json") { return }
        throw Problem(.unsupportedMediaType, "The body must be JSON. Send it with Content-Type: application/json.")
    }

    /// Throws `unsupported_content_encoding`. Bodies are never unpacked, so a small body can't become a large one.
    func requirePlainBody() throws {
        guard let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" else { return }
        throw Problem(
            .unsupportedContentEncoding, "Content-Encoding is not supported for requests. Send the body uncompressed.")
    }
}

extension QualityValues {
    /// The most specific range decides.
    fileprivate func allows(_ mediaType: String) -> Bool {
        let type = mediaType.prefix { $0 != "/" }
        return (self[mediaType] ?? self["\(type)/*"] ?? self["*/*"] ?? 0) > 0
    }
}

extension Endpoint {
    /// The media types of the answers that have a body, without repetitions.
    var mediaTypes: [String] {
        answers.filter { $0.schema != nil }.reduce(into: []) { types, answer in
            if !types.contains(answer.mediaType) { types.append(answer.mediaType) }
        }
    }

    /// Whether there is an answer without a body. Its handler asks what `Accept` allows if it answers with one.
    var mayAnswerNothing: Bool { answers.contains { $0.status == .noContent } }
}

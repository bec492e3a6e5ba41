import SyncProtocol

/// Everything that a caller can learn from an answer, without its time, its request id, and what the caller sent. If
/// two answers leave the same impression, they reveal no difference between the rows that they are about.
struct Impression: Hashable, CustomStringConvertible {
    let status: Int
    let headers: [String]
    let body: String

    /// `probe` is the id that the caller sent.
    init(_ answer: Answer, of probe: String) {
        status = answer.status
        let everyAnswersOwn = ["date", "content-length", "x-request-id"]
        let told = answer.headers.filter { !everyAnswersOwn.contains($0.name.lowercased()) }
        headers = told.map { "\($0.name.lowercased()): \($0.value)".replacing(probe, with: "<probe>") }.sorted()
        body = answer.text.replacing(probe, with: "<probe>")
    }

    var description: String { "\(status) \(headers) \(body)" }
}

import SyncProtocol

/// All that a caller can tell from an answer, but for its time and its name, and with what they sent themselves taken out:
/// two answers that leave the same impression tell nothing about what lies behind them.
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

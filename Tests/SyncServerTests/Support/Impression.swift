import SyncProtocol

/// All that a caller can tell from an answer, but for the time, and with what they sent themselves taken out: two answers
/// that leave the same impression tell nothing about what lies behind them.
struct Impression: Hashable, CustomStringConvertible {
    let status: Int
    let headers: [String]
    let body: String

    /// `probe` is the id that the caller sent.
    init(_ answer: Answer, of probe: String) {
        status = answer.status
        let told = answer.headers.filter { !["date", "content-length"].contains($0.name.lowercased()) }
        headers = told.map { "\($0.name.lowercased()): \($0.value)".replacing(probe, with: "<probe>") }.sorted()
        body = answer.text.replacing(probe, with: "<probe>")
    }

    var description: String { "\(status) \(headers) \(body)" }
}

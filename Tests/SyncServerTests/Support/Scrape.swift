import Testing

/// The text of an answer to `GET /metrics`.
struct Scrape {
    /// By name and labels, such as `tidemark_problems_total{code="busy"}`.
    let values: [String: Double]
    let text: String

    init(_ text: String) throws {
        self.text = text
        var values: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let end = try #require(line.lastIndex(of: " "))
            let series = String(line[..<end])
            #expect(values[series] == nil, "\(series) is there twice")
            let value: Double = try #require(Double(String(line[end...].dropFirst())))
            values[series] = value
        }
        self.values = values
    }

    subscript(_ series: String) -> Double? { values[series] }

    /// The number of answered requests.
    func requests(_ method: String, _ route: String, _ status: Int) -> Double {
        self["tidemark_http_requests_total{route=\"\(route)\",method=\"\(method)\",status=\"\(status)\"}"] ?? 0
    }

    func rows(_ outcome: String) -> Double? { self["tidemark_upload_rows_total{outcome=\"\(outcome)\"}"] }
    func pages(_ result: String) -> Double? { self["tidemark_page_cache_requests_total{result=\"\(result)\"}"] }
    func problems(_ code: String) -> Double? { self["tidemark_problems_total{code=\"\(code)\"}"] }
}

extension Scene {
    func scrape() async throws -> Scrape {
        let answer = try await stranger.send("GET", "/metrics")
        #expect(answer.status == 200)
        return try Scrape(answer.text)
    }
}

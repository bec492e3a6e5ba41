import NIOCore

/// A batch of new tasks with ids that no other batch has.
struct UploadBatch: Sendable {
    let body: ByteBuffer
    let ids: [String]

    private static let notes = "Made by tidemark load; long enough for a row of the usual width, as people write them."

    /// Makes a batch. All ids of the run start with `mark`. The batch id is a random UUID drawn from `random`.
    init(mark: String, client: Int, number: Int, rows: Int, since: Int64, random: inout SeededRandom) {
        var (body, ids) = (ByteBuffer(), [String]())
        body.reserveCapacity(160 + rows * 320)
        body.writeString("{\"client_batch_id\":\"\(Self.uuid(&random))\",\"last_pulled_at\":\(since)")
        body.writeString(",\"changes\":{\"tasks\":{\"created\":[")
        for row in 0..<rows {
            let id = "\(mark)-\(client)-\(number)-\(row)"
            ids.append(id)
            body.writeString(row > 0 ? ",{\"id\":\"" : "{\"id\":\"")
            body.writeString(id)
            body.writeString("\",\"name\":\"Load task \(number) of client \(client)\"")
            body.writeString(",\"wbs_path\":\"\(client).\(number % 1000).\(row)\"")
            body.writeString(
                ",\"status\":\"IN_PROGRESS\",\"duration\":\(1 + row % 20),\"percent_complete\":\(row % 101)")
            body.writeString(",\"planned_start\":\"2026-03-02\",\"notes\":\"\(Self.notes)\"}")
        }
        body.writeStaticString("]}}}")
        (self.body, self.ids) = (body, ids)
    }

    /// A UUID of version 4 (RFC 9562).
    private static func uuid(_ random: inout SeededRandom) -> String {
        let digits = Array(Hex.text(random.next()) + Hex.text(random.next()))
        let part = { (range: Range<Int>) in String(digits[range]) }
        return "\(part(0..<8))-\(part(8..<12))-4\(part(13..<16))-8\(part(17..<20))-\(part(20..<32))"
    }
}

import NIOCore
import SyncProtocol

/// A batch of new tasks, under ids that no other batch has.
struct UploadBatch: Sendable {
    let body: ByteBuffer
    let ids: [String]

    private static let notes = "Made by tidemark load; long enough for a row of the usual width, as people write them."

    /// `mark` begins all ids of the run. The batch id is of the form that the server asks for, and drawn from `dice`.
    init(mark: String, client: Int, number: Int, rows: Int, since: Int64, dice: inout Dice) {
        var (body, ids) = (ByteBuffer(), [String]())
        body.reserveCapacity(160 + rows * 320)
        body.writeString(
            "{\"client_batch_id\":\"\(Self.uuid(&dice))\",\"last_pulled_at\":\(since),\"changes\":{\"tasks\":{\"created\":["
        )
        for row in 0..<rows {
            let id = "\(mark)-\(client)-\(number)-\(row)"
            ids.append(id)
            body.writeString(row > 0 ? ",{\"id\":\"" : "{\"id\":\"")
            body.writeString(id)
            body.writeString(
                "\",\"name\":\"Load task \(number) of client \(client)\",\"wbs_path\":\"\(client).\(number % 1000).\(row)\""
            )
            body.writeString(
                ",\"status\":\"IN_PROGRESS\",\"duration\":\(1 + row % 20),\"percent_complete\":\(row % 101)")
            body.writeString(",\"planned_start\":\"2026-03-02\",\"notes\":\"\(Self.notes)\"}")
        }
        body.writeStaticString("]}}}")
        (self.body, self.ids) = (body, ids)
    }

    /// Version 4 of RFC 9562.
    private static func uuid(_ dice: inout Dice) -> String {
        let digits = Array(Hex.text(dice.next()) + Hex.text(dice.next()))
        let part = { (range: Range<Int>) in String(digits[range]) }
        return "\(part(0..<8))-\(part(8..<12))-4\(part(13..<16))-8\(part(17..<20))-\(part(20..<32))"
    }
}

/// The answer to an upload.
enum UploadAnswer {
    /// The batch's commit. Throws where not every row was applied as a new one.
    static func commit(_ body: ByteBuffer, of batch: UploadBatch) throws(Mistake) -> Int64 {
        guard let answer = try? JSON(parsing: body.readableBytesView), let commit = answer["timestamp"]?.int else {
            throw Mistake("An upload's answer is no report.", String(buffer: body).prefix(200).description)
        }
        let applied = answer["applied"]?["tasks"]?["created"]?.array ?? []
        let ids = Set(applied.compactMap { $0["id"]?.string })
        guard ids == Set(batch.ids), applied.count == batch.ids.count else {
            throw Mistake(
                "An upload was answered 200, but not all of its rows are applied.",
                "\(ids.count) of \(batch.ids.count); \(String(buffer: body).prefix(200))")
        }
        return commit
    }
}

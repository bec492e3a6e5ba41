import NIOCore
import SyncProtocol

/// Checks the answer to an upload.
enum UploadAnswer {
    /// The batch's commit. Throws unless every row was applied as a new one.
    static func commit(_ body: ByteBuffer, of batch: UploadBatch) throws(Mistake) -> Int64 {
        guard let answer = try? JSON(parsing: body.readableBytesView), let commit = answer["timestamp"]?.int else {
            throw Mistake("The answer to an upload can't be read.", String(buffer: body).prefix(200).description)
        }
        let applied = answer["applied"]?["tasks"]?["created"]?.array ?? []
        let ids = Set(applied.compactMap { $0["id"]?.string })
        guard ids == Set(batch.ids), applied.count == batch.ids.count else {
            throw Mistake(
                "An upload was answered 200, but not all of its rows were applied.",
                "\(ids.count) of \(batch.ids.count); \(String(buffer: body).prefix(200))")
        }
        return commit
    }
}

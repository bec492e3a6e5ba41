import NIOCore

/// Checks answers for mistakes of the server, and counts them.
extension LoadClient {
    func judge(_ answer: Pending, _ now: NIODeadline) throws(Mistake) {
        guard answer.head.status == 200 else { throw answer.body.refusal(answer.head, group.reader) }
        switch answer.order {
        case .page: try judgePage(answer, now)
        case .upload(let batch): try judgeUpload(batch, answer, now)
        case .get: try judgePlain(answer, now)
        }
    }

    private func judgePage(_ answer: Pending, _ now: NIODeadline) throws(Mistake) {
        guard case .page(let since, let cursor) = answer.order else { return }
        let (facts, scan) = try page(answer, isInspected: script.isInspecting)
        if since == 0, cursor == nil, !group.result.prints.mayBegin(at: facts.timestamp) {
            throw Mistake("A drain ended without a digest, although nothing was written.", "at \(facts.timestamp)")
        }
        let rows = max(0, facts.rowsSoFar - script.rowsSoFar)
        let ended = try script.take(facts)
        group.record(since == 0 ? .page : .poll, from: answer.begun, to: now, bytes: answer.bytes, rows: rows)
        guard let ended else { return }
        if ended.isColdStart {
            group.record(.drain, from: drainBegun, to: now, rows: ended.rowsSoFar)
            end(ended, scan)
        } else {
            group.result.polls += 1
        }
    }

    private func page(
        _ answer: Pending, isInspected: Bool
    ) throws(Mistake) -> (facts: PageFacts, scan: PageScan?) {
        switch answer.body {
        case .stream(var stream):
            guard let facts = stream.finish() else { throw Mistake("The end of a page can't be read.") }
            return (facts, nil)
        case .whole(let body) where isInspected:
            return try group.reader.page(body, isGzip: answer.head.isGzip) { [self] in script.inspect($0) }
        case .whole(let body): return try group.reader.page(body, isGzip: answer.head.isGzip)
        case .plain: throw Mistake("A page can't be read.")
        }
    }

    /// Takes a complete drain from 0.
    private func end(_ drain: Drain, _ scan: PageScan?) {
        guard let timestamp = drain.timestamp else { return }
        guard var inspection = drain.inspection, let scan else {
            return group.result.prints.add(drain.prints, at: timestamp, hasDigest: drain.hasDigest)
        }
        inspection.finish(scan.digest)
        group.result.mistakes += inspection.mistakes
        group.result.prints.addInspected(
            drain.prints, at: timestamp, hasDigest: drain.hasDigest, rows: inspection.rows, empty: scan.emptyPrint)
        group.result.markedRows = inspection.markedRows
        group.result.timestamp = max(group.result.timestamp, timestamp)
        group.endInspection(of: number)
    }

    private func judgeUpload(_ batch: UploadBatch, _ answer: Pending, _ now: NIODeadline) throws(Mistake) {
        guard case .whole(let body) = answer.body else { return }
        let commit = try UploadAnswer.commit(group.reader.text(body, isGzip: answer.head.isGzip), of: batch)
        try script.take(commit: commit)
        group.result.acknowledgedRows += batch.ids.count
        group.result.uploads += 1
        group.record(.upload, from: answer.begun, to: now, bytes: answer.bytes, rows: batch.ids.count)
    }

    private func judgePlain(_ answer: Pending, _ now: NIODeadline) throws(Mistake) {
        guard case .plain(let hash) = answer.body else { return }
        script.takeBytes()
        group.record(.get, from: answer.begun, to: now, bytes: answer.bytes)
        let first = plainPrint ?? hash.value
        plainPrint = first
        guard hash.value == first else { throw Mistake("The URL returned different bytes.") }
    }
}

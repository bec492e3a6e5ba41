import SyncProtocol

/// What the answer to an upload must say about the rows that were sent.
struct UploadAnswerPromises {
    let answer: JSON
    /// The changes as they were sent.
    let changes: JSON

    func check(applied count: Int) throws {
        var applied = 0
        for (collection, buckets) in changes.object ?? [:] {
            let told = ids(["skipped", "conflicts", "rejected"].flatMap { answer[$0]?[collection]?.array ?? [] })
            for (bucket, elements) in buckets.object ?? [:] {
                let elements = (elements.array ?? []).filter { bucket == "deleted" || $0.object != nil }
                let rows = ids(elements).filter(RowID.isValid)
                let list = answer["applied"]?[collection]?[bucket]?.array ?? []
                let names = ids(list)
                try promise(names.count == list.count && names.isSubset(of: rows), "\(list) was applied, \(rows) sent")
                try promise(rows.isSubset(of: names.union(told)), "nothing is said of some of \(rows)")
                applied += list.count
            }
        }
        try promise(applied == count, "\(count) rows are said to be applied, \(applied) are listed")
    }

    private func ids(_ list: [JSON]) -> Set<String> { Set(list.compactMap { $0.string ?? $0["id"]?.string }) }
}

import SyncProtocol

/// What an answered batch makes of one row of the replica.
///
/// Between sending and answer the row may have been edited again, and a drain may have told what the server has by now
/// (`base`). An edit that still stands as it was sent is settled; a column edited since stays unsent.
struct Settlement: Equatable {
    /// What to store; nil removes the row.
    var row: LocalRow?
    /// Why the row as it was is to be kept in `_set_aside`: something that was written here is not on the server.
    var lost: String?
    /// What the server said of it.
    var reasons: [UploadAnswer.Refusal] = []
    /// Why the row is to be held back from further batches until somebody mends it.
    var refusals: [UploadAnswer.Refusal] = []
}

extension Settlement {
    init(of local: LocalRow, sent: SentRow, fate: UploadAnswer.Fate) {
        switch (fate, sent.bucket) {
        // The row goes when a drain brings its tombstone; one that began before could make it anew.
        case (.applied, .deleted): self.init(row: local)
        case (.applied(let version, let kept), _):
            self.init(row: local.settled(sent, at: version, kept: kept), lost: kept.isEmpty ? nil : "parent_deleted")
        case (.skipped, .deleted): self.init(row: nil)
        case (.skipped(let code), _): self.init(row: nil, lost: local.status == .deleted ? nil : code)
        case (.refused(let refusals), .deleted):
            self.init(row: local.takenBack, lost: refusals.first?.code, reasons: refusals)
        case (.refused(let refusals), _):
            self.init(row: local.refused(sent), lost: refusals.first?.code ?? "", reasons: refusals)
        case (.notCreated(let refusals), .created): self.init(row: local, refusals: refusals)
        case (.notCreated(let refusals), _):
            self.init(row: nil, lost: refusals.first?.code ?? "not_found", reasons: refusals)
        }
    }
}

extension LocalRow {
    /// The columns that were edited after they were sent.
    private func editedSince(_ sent: SentRow) -> Set<String> { changed.filter { values[$0] != sent.values[$0] } }

    /// The server took the edit. Where a drain told a state at or after that, it is what the server has; what was not
    /// taken is as it was there in any case.
    fileprivate func settled(_ sent: SentRow, at version: ServerVersion, kept: Set<String>) -> LocalRow {
        var row = self
        let open = editedSince(sent)
        let isTold = (base?.version).map { $0 >= version } ?? false
        let standing = Set(sent.values.keys).subtracting(open)
        row.takeBack(isTold ? standing : standing.intersection(kept))
        row.version = max(self.version, version)
        return row.owing(open, base: isTold ? base : Base(version: version, values: known(with: sent)))
    }

    /// The server's values of what was sent come back.
    fileprivate func refused(_ sent: SentRow) -> LocalRow {
        var row = self
        let open = editedSince(sent)
        row.takeBack(Set(sent.values.keys).subtracting(open))
        return row.owing(open, base: base)
    }

    /// What the server has after it took the edit, as far as it is known here.
    private func known(with sent: SentRow) -> [String: JSON] {
        (base?.values ?? values).merging(sent.values) { $1 }
    }

    private func owing(_ columns: Set<String>, base: Base?) -> LocalRow {
        var row = self
        if status == .deleted {
            row.base = base
        } else if columns.isEmpty {
            row.settle()
        } else {
            (row.status, row.changed, row.base) = (.updated, columns, base)
        }
        return row
    }
}

import SyncProtocol

/// What happens to one row of the replica when its batch is answered.
///
/// Between the request and the answer the row may have been edited again, and a drain may have delivered the
/// server's present values (`base`). A column that still has the value that was sent is settled. A column
/// that was edited since stays unsent.
struct Settlement: Equatable {
    /// The row to store; nil removes it.
    var row: LocalRow?
    /// Why a copy of the row goes to `_set_aside`: something that was written here is not on the
    /// server. Nil when nothing is lost.
    var lost: String?
    /// The server's reasons, if it gave any.
    var reasons: [UploadAnswer.Refusal] = []
    /// Why the row is held back from further batches, until somebody corrects it.
    var refusals: [UploadAnswer.Refusal] = []
}

extension Settlement {
    init(of local: LocalRow, sent: SentRow, fate: UploadAnswer.Fate) {
        switch (fate, sent.bucket) {
        // The row stays until a drain brings its tombstone. If it were removed now, a drain that
        // began earlier could create it again.
        case (.applied, .deleted): self.init(row: local)
        case (.applied(let version, let kept), _):
            self.init(row: local.settled(sent, at: version, kept: kept), lost: kept.isEmpty ? nil : "parent_deleted")
        case (.skipped, .deleted): self.init(row: nil)
        case (.skipped, _) where local.status == .deleted: self.init(row: nil)
        // The row is again as the server had it last, until a drain brings its tombstone with all else of that commit.
        case (.skipped(let code), _): self.init(row: local.base == nil ? nil : local.takenBack, lost: code)
        case (.refused(let refusals), .deleted):
            self.init(row: local.takenBack, lost: refusals.first?.code, reasons: refusals)
        case (.refused(let refusals), _):
            self.init(row: local.refused(sent), lost: refusals.first?.code ?? "", reasons: refusals)
        case (.notCreated(let refusals), .created): self.init(row: local, refusals: refusals)
        // The row waits until its project takes edits again, or is lost for good.
        case (.notCreated(let refusals), _) where refusals.contains(where: \.isOfProject):
            self.init(row: local, refusals: refusals)
        case (.notCreated(let refusals), _):
            self.init(row: nil, lost: refusals.first?.code ?? "not_found", reasons: refusals)
        }
    }
}

extension Settlement {
    /// The settlement of a row whose project is lost for this reason; nil if it is not.
    func gone(with reason: WipeReason?) -> Settlement {
        guard let reason else { return self }
        return Settlement(row: nil, lost: reason.rawValue, reasons: refusals)
    }
}

extension LocalRow {
    /// The columns that were edited again after they were sent, or were not sent. A column without a value is none of
    /// this process's schema, so it was not.
    private func editedSince(_ sent: SentRow) -> Set<String> {
        changed.filter { values[$0] == nil || values[$0] != sent.values[$0] }
    }

    /// The row after the server accepted the edit. Values from a drain at or after the answer are what the server has.
    /// Columns in `kept`, which the server did not accept, return to the server's values.
    fileprivate func settled(_ sent: SentRow, at version: ServerVersion, kept: Set<String>) -> LocalRow {
        var row = self
        let open = editedSince(sent)
        let isTold = (base?.version).map { $0 >= version } ?? false
        let standing = Set(sent.values.keys).subtracting(open)
        row.takeBack(isTold ? standing : standing.intersection(kept))
        row.version = max(self.version, version)
        var known = isTold ? base : answeredBase(sent, at: version)
        // What was edited since the row was made was edited on what this device had made.
        if sent.bucket == .created { known?.noteFirst(open) }
        return row.owing(open, base: known)
    }

    /// The row after the server refused it. The columns that were sent return to the server's values.
    fileprivate func refused(_ sent: SentRow) -> LocalRow {
        var row = self
        let open = editedSince(sent)
        row.takeBack(Set(sent.values.keys).subtracting(open))
        return row.owing(open, base: base)
    }

    /// The server's values after it accepted the edit, as far as they are known here. What the remaining edits were
    /// made on stays: the answer has shown no other values.
    private func answeredBase(_ sent: SentRow, at version: ServerVersion) -> Base {
        Base(
            version: version, values: (base?.values ?? values).merging(sent.values) { $1 }, edited: base?.edited ?? [:])
    }

    /// The row with only `columns` left to send.
    private func owing(_ columns: Set<String>, base: Base?) -> LocalRow {
        var row = self
        if status == .deleted {
            row.base = base
        } else if columns.isEmpty {
            row.settle()
        } else {
            row.status = .updated
            row.changed = columns
            row.base = base
        }
        return row
    }
}

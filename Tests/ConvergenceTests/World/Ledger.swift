import SyncProtocol

/// What is known about each text that was written on a device, from
/// the device's own actions and from its requests and answers.
struct Ledger: Sendable {
    /// A text that an edit wrote.
    struct Entry: Sendable {
        let device: Int
        let id: String
        let field: String
    }

    /// By text.
    private(set) var entries: [String: Entry] = [:]
    /// A device got a 200 for it, without any reservation.
    private(set) var acknowledged: Set<String> = []
    /// A device has learned that it was not applied as sent.
    private(set) var refused: Set<String> = []
    /// Before it was acknowledged, the same device overwrote it or deleted the row.
    private(set) var superseded: Set<String> = []
    /// It was lost with a row that was deleted, or with history that a restore dropped.
    private var excused: Set<String> = []
    /// It may be in its row twice: an import forgets which batches were applied, and restarts versions.
    private var repeatable: Set<String> = []
    /// Its row was deleted and its tombstone purged. A client that edits the row later can't know that.
    private(set) var purged: Set<String> = []

    /// Records that a device took an edit.
    mutating func note(_ edit: Edit, on device: Int) {
        let fields = edit.fields.filter { Edit.tracked.contains($0.key) }
        for (text, entry) in entries where entry.device == device && entry.id == edit.id {
            guard edit.verb == .delete || fields[entry.field] != nil else { continue }
            superseded.insert(text)
        }
        for (field, value) in fields {
            if let text = value.string { entries[text] = Entry(device: device, id: edit.id, field: field) }
        }
    }

    /// The ids of rows that have such texts.
    var ids: Set<String> { Set(entries.values.map(\.id)) }

    /// Whether the text must be in the project: no device has learned otherwise, and its row was not deleted.
    func isPromised(_ text: String) -> Bool {
        acknowledged.contains(text) && !refused.contains(text) && !excused.contains(text)
    }

    /// Whether the text must still be on its device at least.
    func isOwed(_ text: String, _ entry: Entry) -> Bool {
        ![acknowledged, refused, superseded, excused].contains { $0.contains(text) } && !purged.contains(entry.id)
    }

    /// Whether the text must not be written twice.
    func isUnique(_ text: String) -> Bool { !repeatable.contains(text) }

    // MARK: The server's life

    /// Records that the tombstones of these rows are about to be purged.
    mutating func purge(_ ids: Set<String>) {
        bury(ids)
        purged.formUnion(ids)
    }

    /// Records that these rows are tombstones; they may come back.
    mutating func bury(_ ids: Set<String>) {
        for (text, entry) in entries where ids.contains(entry.id) { excused.insert(text) }
    }

    /// The ledger if nothing is left but the rows of an export. Of the
    /// acknowledged texts, only those in `present` stay acknowledged.
    func exported(_ present: Set<String>) -> Ledger {
        var ledger = self
        ledger.acknowledged.formIntersection(present)
        return ledger
    }

    /// Records that an import replaced the project. Its history and tombstones are gone.
    mutating func goBack(toExport export: Ledger, kept: [String], tombstones: Set<String>) {
        purge(tombstones)
        goBack(to: export, kept: kept)
        purged.formUnion(export.purged)
        repeatable.formUnion(entries.keys)
    }

    /// Records that everything since `backup` is gone. `kept` holds what each device still has to send.
    mutating func goBack(to backup: Ledger, kept: [String]) {
        for (text, entry) in entries where !backup.acknowledged.contains(text) {
            if acknowledged.contains(text) || !kept[entry.device].contains("\"\(text)\"") { excused.insert(text) }
        }
    }
}

// MARK: The wire

extension Ledger {
    /// Records that a device got 200 for an upload.
    mutating func note(_ answer: JSON, to upload: JSON, from device: Int) {
        let losses = Losses(answer)
        for bucket in ["created", "updated"] {
            for row in upload["changes"]?["tasks"]?[bucket]?.array ?? [] {
                note(row, limited: bucket == "updated", losses, device)
            }
        }
    }

    private mutating func note(_ row: JSON, limited: Bool, _ losses: Losses, _ device: Int) {
        let changed = (row["_changed"]?.string ?? "").split(separator: ",").map(String.init)
        for field in Edit.tracked where !limited || changed.isEmpty || changed.contains(field) {
            guard let text = row[field]?.string, let entry = entries[text], entry.device == device else { continue }
            if losses.contains(row["id"]?.string ?? "", field) {
                refused.insert(text)
            } else {
                acknowledged.insert(text)
            }
        }
    }

    /// The rows that, according to an answer, were not applied as sent.
    private struct Losses {
        private var rows: Set<String> = []
        private var fields: Set<[String]> = []

        init(_ answer: JSON) {
            for list in ["skipped", "conflicts", "rejected"] {
                for entry in answer[list]?["tasks"]?.array ?? [] { add(entry, hasFields: list == "skipped") }
            }
            for entry in answer["repaired"]?["tasks"]?.array ?? [] { add(entry, hasFields: true) }
        }

        private mutating func add(_ entry: JSON, hasFields: Bool) {
            let id = entry["id"]?.string ?? ""
            if hasFields, let field = entry["field"]?.string {
                fields.insert([id, field])
            } else {
                rows.insert(id)
            }
        }

        func contains(_ id: String, _ field: String) -> Bool { rows.contains(id) || fields.contains([id, field]) }
    }
}

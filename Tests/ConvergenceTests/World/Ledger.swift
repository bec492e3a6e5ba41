import SyncProtocol

/// What is known about each text that was written on a device, from what the device did and what crossed its wire.
struct Ledger: Sendable {
    /// One text of an edit.
    struct Entry: Sendable {
        let device: Int
        let id: String
        let field: String
    }

    /// By text.
    private(set) var entries: [String: Entry] = [:]
    /// A device has a 200 for it that says nothing else.
    private(set) var acknowledged: Set<String> = []
    /// A device was told that it was not applied as sent.
    private(set) var refused: Set<String> = []
    /// The same device wrote over it, or deleted the row, before it was acknowledged.
    private(set) var superseded: Set<String> = []
    /// It went with a row that was deleted, or with the history that a restore gave up.
    private var excused: Set<String> = []
    /// It may be in its row twice: an import forgets which batches were applied, and begins versions anew.
    private var repeatable: Set<String> = []
    /// Deleted and forgotten: a client that edits such a row can't know what it edits.
    private(set) var purged: Set<String> = []

    /// A device took an edit.
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

    /// The rows that texts are in.
    var ids: Set<String> { Set(entries.values.map(\.id)) }

    /// Whether the text must be found where the project keeps it: nobody was told otherwise, and its row did not go.
    func isPromised(_ text: String) -> Bool {
        acknowledged.contains(text) && !refused.contains(text) && !excused.contains(text)
    }

    /// Whether the text must be found at least on its device.
    func isOwed(_ text: String, _ entry: Entry) -> Bool {
        ![acknowledged, refused, superseded, excused].contains { $0.contains(text) } && !purged.contains(entry.id)
    }

    /// Whether the text must not be made again.
    func isUnique(_ text: String) -> Bool { !repeatable.contains(text) }

    // MARK: The server's life

    /// These rows are tombstones that are to be forgotten.
    mutating func purge(_ ids: Set<String>) {
        bury(ids)
        purged.formUnion(ids)
    }

    /// These rows are tombstones, and may come back.
    mutating func bury(_ ids: Set<String>) {
        for (text, entry) in entries where ids.contains(entry.id) { excused.insert(text) }
    }

    /// As it is where nothing is left but the rows of an export: of texts that were acknowledged, `present` ones.
    func exported(_ present: Set<String>) -> Ledger {
        var ledger = self
        ledger.acknowledged.formIntersection(present)
        return ledger
    }

    /// An import takes the project's place. Tombstones are forgotten with the history.
    mutating func goBack(toExport export: Ledger, kept: [String], tombstones: Set<String>) {
        purge(tombstones)
        goBack(to: export, kept: kept)
        purged.formUnion(export.purged)
        repeatable.formUnion(entries.keys)
    }

    /// What the devices were done with since `backup` is gone; `kept` is what each has still to send.
    mutating func goBack(to backup: Ledger, kept: [String]) {
        for (text, entry) in entries where !backup.acknowledged.contains(text) {
            if acknowledged.contains(text) || !kept[entry.device].contains("\"\(text)\"") { excused.insert(text) }
        }
    }
}

// MARK: The wire

extension Ledger {
    /// A device was answered 200 to an upload.
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

    /// What an answer tells of rows that were not applied as sent.
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

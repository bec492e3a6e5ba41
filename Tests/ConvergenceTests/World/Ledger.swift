import SyncProtocol
import SyncStore

/// What is known about each text that was written on a device, from
/// the device's own actions and from its requests and answers.
struct Ledger: Sendable {
    /// A text that an edit wrote.
    struct Entry: Sendable {
        let device: Int
        let row: RowKey
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
    private(set) var purged: Set<RowKey> = []

    /// Records that a device took an edit.
    mutating func note(_ edit: Edit, on device: Int) {
        let fields = edit.fields.filter { Edit.tracked.contains($0.key) }
        for (text, entry) in entries where entry.device == device && entry.row == edit.row {
            guard edit.verb == .delete || entry.field != Edit.tags && fields[entry.field] != nil else { continue }
            superseded.insert(text)
        }
        for (field, value) in fields {
            for text in value.texts { entries[text] = Entry(device: device, row: edit.row, field: field) }
        }
    }

    /// Whether the server has lost a part of its history. What is sent again then has no base, so lists replace each
    /// other.
    private var hasLostHistory = false

    /// The rows that have such texts.
    var rows: Set<RowKey> { Set(entries.values.map(\.row)) }

    /// Whether the text must be in the project: no device has learned otherwise, and its row was not deleted.
    func isPromised(_ text: String) -> Bool {
        acknowledged.contains(text) && !refused.contains(text) && !excused.contains(text)
            && !(hasLostHistory && entries[text]?.field == Edit.tags)
    }

    /// Whether the text must still be on its device at least.
    func isOwed(_ text: String, _ entry: Entry) -> Bool {
        ![acknowledged, refused, superseded, excused].contains { $0.contains(text) } && !purged.contains(entry.row)
    }

    /// Whether the text must not be written twice.
    func isUnique(_ text: String) -> Bool { !repeatable.contains(text) }

    // MARK: The server's life

    /// Records that the tombstones of these rows are about to be purged.
    mutating func purge(_ rows: Set<RowKey>) {
        bury(rows)
        purged.formUnion(rows)
    }

    /// Records that these rows are tombstones; they may come back.
    mutating func bury(_ rows: Set<RowKey>) {
        for (text, entry) in entries where rows.contains(entry.row) { excused.insert(text) }
    }

    /// The ledger if nothing is left but the rows of an export. Of the
    /// acknowledged texts, only those in `present` stay acknowledged.
    func exported(_ present: Set<String>) -> Ledger {
        var ledger = self
        ledger.acknowledged.formIntersection(present)
        return ledger
    }

    /// Records that an import replaced the project. Its history and tombstones are gone.
    mutating func goBack(toExport export: Ledger, kept: [String], tombstones: Set<RowKey>) {
        purge(tombstones)
        goBack(to: export, kept: kept)
        purged.formUnion(export.purged)
        repeatable.formUnion(entries.keys)
    }

    /// Records that everything since `backup` is gone. `kept` holds what each device still has to send.
    mutating func goBack(to backup: Ledger, kept: [String]) {
        hasLostHistory = true
        for (text, entry) in entries where !backup.acknowledged.contains(text) {
            if acknowledged.contains(text) || !kept[entry.device].contains("\"\(text)\"") { excused.insert(text) }
        }
    }
}

extension JSON {
    /// A text, or the texts of a list.
    var texts: [String] { string.map { [$0] } ?? (array ?? []).compactMap(\.string) }
}

// MARK: The wire

extension Ledger {
    /// Records that a device got 200 for an upload.
    mutating func note(_ answer: JSON, to upload: JSON, from device: Int) {
        let losses = Losses(answer)
        for (collection, buckets) in upload["changes"]?.object ?? [:] {
            for bucket in ["created", "updated"] {
                for row in buckets[bucket]?.array ?? [] {
                    note(row, of: collection, limited: bucket == "updated", losses, device)
                }
            }
        }
    }

    private mutating func note(_ row: JSON, of collection: String, limited: Bool, _ losses: Losses, _ device: Int) {
        let changed = (row["_changed"]?.string ?? "").split(separator: ",").map(String.init)
        for field in Edit.tracked where !limited || changed.isEmpty || changed.contains(field) {
            for text in row[field]?.texts ?? [] where entries[text]?.device == device {
                if losses.contains(RowKey(collection, row["id"]?.string ?? ""), field) {
                    refused.insert(text)
                } else {
                    acknowledged.insert(text)
                }
            }
        }
    }

    /// The rows that, according to an answer, were not applied as sent.
    private struct Losses {
        private var rows: Set<RowKey> = []
        private var fields: [RowKey: Set<String>] = [:]

        init(_ answer: JSON) {
            for list in ["skipped", "conflicts", "rejected", "repaired"] {
                for (collection, entries) in answer[list]?.object ?? [:] {
                    for entry in entries.array ?? [] {
                        add(entry, of: collection, hasFields: list == "skipped" || list == "repaired")
                    }
                }
            }
        }

        private mutating func add(_ entry: JSON, of collection: String, hasFields: Bool) {
            let row = RowKey(collection, entry["id"]?.string ?? "")
            if hasFields, let field = entry["field"]?.string {
                fields[row, default: []].insert(field)
            } else {
                rows.insert(row)
            }
        }

        func contains(_ row: RowKey, _ field: String) -> Bool {
            rows.contains(row) || fields[row]?.contains(field) == true
        }
    }
}

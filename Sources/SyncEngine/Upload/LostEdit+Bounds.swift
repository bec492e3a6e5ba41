import SyncProtocol
import SyncStore

extension [LostEdit] {
    /// The most entries that a batch puts into inboxes, unless it has more rows.
    static var mostOfBatch: Int { 1000 }

    /// The same losses in few entries of a bounded size. If there are more than `most`, the fields of a row share one
    /// entry, whose values are objects by field.
    func bounded(to most: Int = mostOfBatch) -> [LostEdit] {
        (count > most ? byRow : self).map(\.shortened)
    }

    private var byRow: [LostEdit] {
        var groups: [Loss: [LostEdit]] = [:]
        var order: [Loss] = []
        for edit in self {
            let loss = Loss(edit)
            if groups[loss] == nil { order.append(loss) }
            groups[loss, default: []].append(edit)
        }
        return order.flatMap { loss in loss.isWhole ? groups[loss]! : [LostEdit(fields: groups[loss]!)] }
    }
}

/// Fields that are lost together. Unknown fields stay apart, because the server looks for them once it gains one.
private struct Loss: Hashable {
    let user: Int64
    let key: RowKey
    let isWhole: Bool
    let isUnknown: Bool

    init(_ edit: LostEdit) {
        user = edit.userID
        key = edit.key
        isWhole = edit.field == nil
        isUnknown = edit.code == .unknownField
    }
}

extension LostEdit {
    /// The most bytes of a value.
    fileprivate static let mostBytes = 64 << 10
    /// The most bytes of an id. One that breaks the rules can have any length, and no index holds it.
    private static let longestID = 256

    /// Several fields of one row in one entry.
    fileprivate init(fields: [LostEdit]) {
        let first = fields[0]
        guard fields.count > 1 else {
            self = first
            return
        }
        func values(_ value: (LostEdit) -> JSON) -> JSON {
            .object(Dictionary(fields.compactMap { edit in edit.field.map { ($0, value(edit)) } }) { $1 })
        }
        self.init(
            userID: first.userID, key: first.key, field: nil, code: first.code, sent: values(\.sent),
            kept: values(\.kept), isCut: fields.contains(where: \.isCut), batchID: first.batchID)
    }

    /// The same with the first part of what is too large.
    fileprivate var shortened: LostEdit {
        let isLarge = max(sent.roughBytes, kept.roughBytes) > LostEdit.mostBytes
        guard isLarge || key.id.utf8.count > LostEdit.longestID else { return self }
        let id = JSON.string(key.id).firstPart(LostEdit.longestID).string ?? ""
        return LostEdit(
            userID: userID, key: RowKey(key.collection, id), field: field, code: code,
            sent: sent.firstPart(LostEdit.mostBytes), kept: kept.firstPart(LostEdit.mostBytes),
            isCut: isCut || isLarge, batchID: batchID)
    }
}

extension JSON {
    /// About as many bytes as the value's text has.
    var roughBytes: Int {
        switch self {
        case .null, .bool: 4
        case .int, .double: 12
        case .string(let text): text.utf8.count + 2
        case .array(let elements): elements.reduce(2) { $0 + $1.roughBytes + 1 }
        case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + $1.value.roughBytes + 4 }
        }
    }

    /// The value if it fits into about as many bytes; otherwise its first part: of a text its beginning, of a list its
    /// first elements, of an object its small members and the beginning of a long text. Nothing nested is walked twice.
    func firstPart(_ bytes: Int) -> JSON {
        guard roughBytes > bytes else { return self }
        var left = bytes
        switch self {
        case .string(let text): return .string(text.firstPart(bytes))
        case .array(let elements):
            return .array(
                Array(
                    elements.prefix { element in
                        left -= element.roughBytes + 1
                        return left >= 0
                    }))
        case .object(let members):
            var kept: [String: JSON] = [:]
            for (name, value, size) in JSON.smallestFirst(members) {
                left -= name.utf8.count + 4
                guard left > 0 else { break }
                if size > left {
                    kept[name] = value.string.map { .string($0.firstPart(left)) }
                    break
                }
                left -= size
                kept[name] = value
            }
            return .object(kept)
        case .null, .bool, .int, .double: return self
        }
    }

    /// Ids and names come before long texts.
    private static func smallestFirst(_ members: [String: JSON]) -> [(name: String, value: JSON, size: Int)] {
        members.map { (name: $0, value: $1, size: $1.roughBytes) }.sorted { ($0.size, $0.name) < ($1.size, $1.name) }
    }
}

extension String {
    /// The first characters that fit into so many bytes.
    fileprivate func firstPart(_ bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var part = Array(utf8.prefix(max(0, bytes)))
        // The last character may be cut in two: its first byte is the only one that does not begin with the bits 10.
        while let last = part.last, last & 0xC0 == 0x80 { part.removeLast() }
        if let last = part.last, last & 0x80 != 0 { part.removeLast() }
        return String(decoding: part, as: UTF8.self)
    }
}

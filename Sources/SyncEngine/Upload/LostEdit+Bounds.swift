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
        (user, key, isWhole) = (edit.userID, edit.key, edit.field == nil)
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

import SyncProtocol
import SyncStore
import SyncTestKit

/// Edits of rows that change hands, and of lists that merge.
extension Planner {
    /// Puts such edits between the operations of a finished plan, which stay as they are.
    func withLists(_ operations: [Operation], seed: UInt64) -> [Operation] {
        var lists = ListPlanner(devices: devices, random: SeededGenerator(seed: seed ^ 0x6C69_7374), mix: mix)
        let edits = (0..<lists.random.below(mix.lists + 1)).map { _ in lists.next() }
        return operations.spreading(edits, by: &lists.random)
    }
}

extension [Operation] {
    /// With these steps, in their order, at random places between the operations.
    func spreading(_ steps: [Operation], by random: inout SeededGenerator) -> [Operation] {
        var operations = self
        var place = 0
        for (done, step) in steps.enumerated() {
            let room = Swift.max(operations.count - 5 - place, 0) / (steps.count - done)
            place += random.below(2 * room + 1)
            operations.insert(step, at: Swift.min(place, operations.count))
        }
        return operations
    }
}

/// Draws these edits.
private struct ListPlanner {
    let devices: [DeviceSpec]
    var random: SeededGenerator
    let mix: Mix
    private var serial = 0
    /// The ids of rows that devices have inserted, by collection.
    private var ids: [String: [String]] = [:]

    init(devices: [DeviceSpec], random: SeededGenerator, mix: Mix) {
        self.devices = devices
        self.random = random
        self.mix = mix
    }

    mutating func next() -> Operation {
        serial += 1
        let device = random.below(devices.count)
        let collection = random.pick(mix.listCollections)!
        return .edit(device: device, edit(of: collection, on: device))
    }

    private mutating func edit(of collection: String, on device: Int) -> Edit {
        guard let id = random.pick(Array((ids[collection] ?? []).suffix(3))), !random.oneIn(5) else {
            let id = "\(collection.prefix(2))\(device)-l\(serial)"
            ids[collection, default: []].append(id)
            return Edit(verb: .insert, row: RowKey(collection, id), fields: fields(of: collection, isNew: true))
        }
        let row = RowKey(collection, id)
        if collection != "labels", random.below(100) < mix.delete { return Edit(verb: .delete, row: row) }
        let isGuess = collection != "labels" && random.oneIn(3)
        return Edit(verb: .update, row: row, fields: fields(of: collection, isNew: false), isGuess: isGuess)
    }

    private mutating func fields(of collection: String, isNew: Bool) -> [String: JSON] {
        switch collection {
        case "labels": return isNew || random.oneIn(3) ? text("title") : ["tags": [.string("tags-l\(serial)")]]
        case "findings":
            let inspection = random.pick(Array((ids["inspections"] ?? []).suffix(3))) ?? "none"
            return text("text").merging(
                isNew || random.oneIn(3) ? ["inspection": .string(inspection)] : [:]
            ) { $1 }
        default:
            var fields = isNew || random.oneIn(2) ? text("title") : [:]
            if isNew || random.oneIn(2) { fields["assignee"] = random.oneIn(6) ? .null : user() }
            if isNew || random.oneIn(2) { fields["reviewers"] = .array((0..<random.below(3)).map { _ in user() }) }
            return fields.isEmpty ? text("title") : fields
        }
    }

    private func text(_ field: String) -> [String: JSON] { [field: .string("\(field)-l\(serial)")] }

    /// The users are numbered from 1, and a row may name one twice or a former member.
    private mutating func user() -> JSON { .int(Int64(1 + random.below(5))) }
}

import Foundation
import SyncProtocol
import SyncStore
import SyncTestKit

/// A file that somebody adds on a device.
struct PlannedFile: Sendable, CustomStringConvertible {
    let size: Int
    let seed: Int

    var bytes: Data { Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed &+ ($0 >> 8)) }) }

    var description: String { "\(size) bytes like \(seed)" }
}

/// The files that devices add, the rows that name them, and what removes them again.
extension Planner {
    /// Puts such steps between the operations of a finished plan, which stay as they are.
    func withFiles(_ operations: [Operation], seed: UInt64) -> [Operation] {
        var files = FilePlanner(planner: self, random: SeededGenerator(seed: seed ^ 0x6669_6C65))
        let steps = (0..<files.random.below(mix.files + 1)).map { _ in files.next() }
        return operations.spreading(steps, by: &files.random)
    }
}

/// Draws these steps.
private struct FilePlanner {
    private static let sizes = [0, 20, 20, 20, 300, 5000, 1_200_000]

    let planner: Planner
    var random: SeededGenerator
    private var serial = 0
    private var files: [PlannedFile] = []
    /// The ids of rows that devices have inserted, each with its device.
    private var ids: [(device: Int, id: String)] = []
    /// Rows that have no file yet.
    private var empty: [(device: Int, id: String)] = []

    init(planner: Planner, random: SeededGenerator) {
        self.planner = planner
        self.random = random
    }

    mutating func next() -> Operation {
        serial += 1
        let device = random.pick(planner.devices.indices.filter { planner.devices[$0].kind == .client })!
        if random.below(100) < planner.mix.fileEnds { return end() }
        switch random.below(9) {
        case 0:
            return .edit(device: device, Edit(verb: .update, row: row(random.pick(ids)?.id), fields: [name.0: name.1]))
        case 1:
            empty.append((device, newID(on: device)))
            return .edit(device: device, Edit(verb: .insert, row: row(ids.last?.id), fields: [name.0: name.1]))
        case 2:
            // A file that the row names later.
            guard let (device, id) = empty.popLast() else { return .sweepFiles }
            return .attach(device: device, file(), Edit(verb: .update, row: row(id)), addsFirst: random.oneIn(2))
        default:
            let row = row(newID(on: device))
            var fields = [name.0: name.1]
            let tasks =
                (planner.rowIDs[Edit.first]?["tasks"] ?? []) + (planner.writes[Edit.first]?.ids(of: "tasks") ?? [])
            if random.oneIn(2), let task = random.pick(tasks) { fields["task"] = .string(task) }
            return .attach(
                device: device, file(), Edit(verb: .insert, row: row, fields: fields), addsFirst: !random.oneIn(3))
        }
    }

    /// Rows go, and then their files. Who has made a row may delete it.
    private mutating func end() -> Operation {
        guard random.oneIn(2), let (device, id) = random.pick(ids) else { return .sweepFiles }
        return .edit(device: device, Edit(verb: .delete, row: row(id)))
    }

    private var name: (String, JSON) { ("name", .string("name-f\(serial)")) }

    private func row(_ id: String?) -> RowKey { RowKey("attachments", id ?? "none") }

    private mutating func newID(on device: Int) -> String {
        ids.append((device, "at\(device)-f\(serial)"))
        return ids.last!.id
    }

    /// A new file, or one that another device has too.
    private mutating func file() -> PlannedFile {
        if random.oneIn(4), let known = random.pick(files) { return known }
        files.append(PlannedFile(size: random.pick(FilePlanner.sizes)!, seed: serial))
        return files.last!
    }
}

import SyncProtocol
import SyncTestKit
import Testing

/// Five devices that edit one row offline, compared with a second implementation, which applies differences: what a
/// device changed since the value that it last saw or sent.
@Suite struct RandomFieldMergeTests {
    @Test(arguments: 1...12 as ClosedRange<UInt64>, ["overwrite", "merge"])
    func everyChangeCountsOnce(seed: UInt64, mode: String) async throws {
        #expect(try await Self.fault(seed: seed, mode) == nil)
    }

    /// A check that misses these proves nothing.
    @Test(arguments: MergingDevice.Mistake.allCases)
    func aClientsMistakesAreFound(mistake: MergingDevice.Mistake) async throws {
        for seed in 1...20 as ClosedRange<UInt64>
        where try await Self.fault(seed: seed, "overwrite", making: mistake) != nil {
            return
        }
        Issue.record("\(mistake) is not found")
    }

    /// What does not hold in a run; nil if all does.
    private static func fault(
        seed: UInt64, _ mode: String, making mistake: MergingDevice.Mistake? = nil
    ) async throws -> String? {
        var random = SeededGenerator(seed: seed)
        let scene = try await Scene(schemas: [MergingDevice.schema])
        let row: JSON = ["id": "n", "tags": ["a", "b"], "marks": ["x": 1], "hits": 50]
        #expect(try await scene.client(.admin).create("notes", row).status == 201)
        var devices: [MergingDevice] = []
        // Two of them belong to one user.
        for (place, role) in [Role.member, .scheduler, .admin, .owner, .member].enumerated() {
            let device = try await MergingDevice(scene.client(role), named: "device \(place)", making: mistake)
            devices.append(device)
        }
        var truth = Differences(row: devices[0].row, devices: devices.count)
        for step in 1...60 {
            let place = random.below(devices.count)
            switch random.below(5) {
            case 0:
                try await devices[place].pull()
                truth.pulled(by: place, open: Set(devices[place].bases.keys))
            case 1, 2:
                let change = change(of: devices[place].row, &random)
                devices[place].edit(change)
                truth.edited(change, by: place)
            default:
                guard !devices[place].bases.isEmpty else { continue }
                let (loses, isNew) = (random.oneIn(3), random.oneIn(2))
                let sent = truth.open(on: place)
                let answer = try await devices[place].push(mode, losesAnswer: loses, isNew: isNew)
                let contested = truth.pushed(sent, by: place, overwrites: mode == "overwrite")
                if !loses { truth.settled(by: place) }
                let told = Set(answer.at("/conflicts/notes/0/fields")?.strings ?? [])
                let stored = try await devices[place].client.read("notes", "n")
                let wrong = truth.server.keys.filter { !isSame(stored.at("/" + $0), truth.server[$0]) }
                guard wrong.isEmpty, told == contested else {
                    return "seed \(seed), \(mode), step \(step): \(sent) gave \(stored.text) and \(told)"
                }
                // The device takes the server's values.
                guard !contested.isEmpty else { continue }
                devices[place].giveUp()
                truth.settled(by: place)
                try await devices[place].pull()
                truth.pulled(by: place, open: [])
            }
        }
        for place in devices.indices {
            if !devices[place].bases.isEmpty { try await devices[place].push(mode) }
        }
        let last = try await devices[0].client.read("notes", "n")
        for place in devices.indices {
            devices[place].giveUp()
            try await devices[place].pull()
            let row = devices[place].row
            if truth.server.keys.contains(where: { row[$0] != last.at("/" + $0) }) { return "device \(place): \(row)" }
        }
        return nil
    }

    /// Everybody's edits of one base give the same in every order.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func theOrderMakesNoDifference(seed: UInt64) async throws {
        var results: [[String: JSON]] = []
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            var random = SeededGenerator(seed: seed)
            let scene = try await Scene(schemas: [MergingDevice.schema])
            let row: JSON = ["id": "n", "tags": ["a", "b"], "marks": ["0": 1, "1": 1, "2": 1], "hits": 50]
            #expect(try await scene.client(.admin).create("notes", row).status == 201)
            var devices: [MergingDevice] = []
            for (place, role) in [Role.member, .scheduler, .admin].enumerated() {
                var device = try await MergingDevice(scene.client(role), named: "device \(place)")
                var marks = device.row["marks"]?.object ?? [:]
                marks["\(place)"] = random.oneIn(2) ? .int(Int64(random.below(9))) : Optional.none
                let tags = ["a", "b", "c", "d", "e"].filter { _ in random.oneIn(2) }
                let hits: JSON = .int(50 + Int64(random.below(9)) - 4)
                device.edit(["tags": .array(tags.map(JSON.string)), "marks": .object(marks), "hits": hits])
                devices.append(device)
            }
            for place in order { try await devices[place].push() }
            let stored = try await devices[0].client.read("notes", "n")
            var result: [String: JSON] = [:]
            for field in ["marks", "hits"] { result[field] = stored.at("/" + field) }
            result["tags"] = .array((stored.at("/tags")?.strings ?? []).sorted().map(JSON.string))
            results.append(result)
        }
        #expect(Set(results).count == 1, "seed \(seed): \(results)")
    }

    private static func isSame(_ one: JSON?, _ other: JSON?) -> Bool {
        guard let list = one?.array, let others = other?.array else { return one == other }
        return list.count == others.count && Set(list) == Set(others)
    }

    private static func change(of row: [String: JSON], _ random: inout SeededGenerator) -> [String: JSON] {
        switch random.below(3) {
        case 0:
            var tags = row["tags"]?.strings ?? []
            let tag = random.pick(["a", "b", "c", "d", "e", "f"])!
            if let index = tags.firstIndex(of: tag) { tags.remove(at: index) } else { tags.append(tag) }
            return ["tags": .array(tags.map(JSON.string))]
        case 1:
            var marks = row["marks"]?.object ?? [:]
            let name = random.pick(["x", "y", "z"])!
            marks[name] = random.oneIn(3) ? Optional.none : .int(Int64(random.below(3)))
            return ["marks": .object(marks)]
        default:
            let hits = row["hits"]?.int ?? 0
            return ["hits": .int(min(100, max(0, hits + Int64(random.below(9)) - 4)))]
        }
    }
}

/// The second implementation. Of each device it knows the values that the device saw or sent last.
private struct Differences {
    private(set) var server: [String: JSON]
    private var known: [[String: JSON]]
    /// What each user has made of the fields that are not sent yet.
    private var local: [[String: JSON]]

    init(row: [String: JSON], devices: Int) {
        server = row.filter { $0.key != "title" }
        known = Array(repeating: server, count: devices)
        local = Array(repeating: [:], count: devices)
    }

    mutating func edited(_ change: [String: JSON], by device: Int) { local[device].merge(change) { $1 } }

    func open(on device: Int) -> [String: JSON] { local[device] }

    mutating func settled(by device: Int) { local[device] = [:] }

    mutating func pulled(by device: Int, open: Set<String>) {
        for field in server.keys where !open.contains(field) { known[device][field] = server[field] }
    }

    /// Applies what the device has changed. Returns the fields in conflict; then nothing is applied.
    mutating func pushed(_ sent: [String: JSON], by device: Int, overwrites: Bool) -> Set<String> {
        var results: [String: JSON] = [:]
        var contested: Set<String> = []
        for (field, value) in sent {
            if let result = changed(field, to: value, by: device) {
                results[field] = result
            } else {
                results[field] = value
                if value != server[field] { contested.insert(field) }
            }
        }
        guard overwrites || contested.isEmpty else { return contested }
        for (field, value) in results {
            known[device][field] = sent[field]
            server[field] = value
        }
        return []
    }

    /// Nil if the two sides can't be brought together.
    private func changed(_ field: String, to sent: JSON, by device: Int) -> JSON? {
        let before = known[device][field]!
        let present = server[field]!
        switch field {
        case "tags":
            let (old, new) = (before.strings, sent.strings)
            var list = present.strings
            for gone in old where !new.contains(gone) { list.removeAll { $0 == gone } }
            for added in new where !old.contains(added) && !list.contains(added) { list.append(added) }
            return list.count <= 6 ? .array(list.map(JSON.string)) : Optional.none
        case "marks":
            var object = present.object ?? [:]
            for name in ["x", "y", "z"] where sent[name] != before[name] {
                guard present[name] == before[name] || present[name] == sent[name] else { return Optional.none }
                object[name] = sent[name]
            }
            return .object(object)
        default:
            let sum = present.int! + sent.int! - before.int!
            return (0...100).contains(sum) ? .int(sum) : Optional.none
        }
    }
}

import SyncProtocol
import SyncTestKit

/// Draws a random plan. It knows which ids were used, but not what became of them. An operation that finds nothing to
/// do does nothing, so every part of a plan is a plan too.
struct Planner {
    let devices: [DeviceSpec]
    let mix: Mix
    var random: SeededGenerator
    /// The writes of others, by project.
    var writes = [Edit.first: RandomWrites(), Edit.second: RandomWrites(prefix: "q")]
    var serial = 0
    /// The ids of the rows that devices have inserted, by project and collection.
    var rowIDs: [String: [String: [String]]] = [:]
    /// The projects that a device has made.
    var made: [Int: [String]] = [:]

    init(seed: UInt64, mix: Mix) {
        random = SeededGenerator(seed: seed)
        self.mix = mix
        devices = Planner.devices(mix, &random)
    }

    /// Two to four devices; sometimes two belong to one user.
    private static func devices(_ mix: Mix, _ random: inout SeededGenerator) -> [DeviceSpec] {
        let users: [Role] = [.member, .viewer, .scheduler, .owner, .member]
        return (0..<2 + random.below(3)).map { index in
            let isNaive = index > 0 && random.below(100) < mix.naive
            return DeviceSpec(
                kind: isNaive ? .naive : .client, user: index == 0 ? .member : random.pick(users)!,
                isUserWide: index > 0 && random.below(100) < mix.userWide)
        }
    }

    mutating func next() -> Operation {
        let device = random.below(devices.count)
        let choices: [(Int, (inout Planner) -> Operation)] = [
            (mix.edit, { $0.edit(on: device) }), (mix.exchange, { $0.exchange(of: device, depth: 0) }),
            (mix.write, { $0.write { $0.next(&$1) } }), (mix.retro, { $0.write { $0.nextRetro(&$1) } }),
            (mix.role, { [mix] in $0.write { _, random in mix.role(&random) } }),
            (mix.purge, { $0.write { _, _ in .purge } }), (mix.archive, { .archive($0.random.oneIn(2)) }),
            (mix.restart, { _ in .restart }), (mix.backUp, { _ in .backUp }), (mix.restore, { _ in .restore }),
            (mix.export, { _ in .export }), (mix.importOver, { _ in .importOver }),
        ]
        var roll = random.below(choices.reduce(0) { $0 + $1.0 })
        for (weight, make) in choices {
            if roll < weight { return make(&self) }
            roll -= weight
        }
        return .restart
    }

    /// A write of somebody else.
    private mutating func write(
        _ draw: (inout RandomWrites, inout SeededGenerator) -> RandomWrites.Write
    ) -> Operation {
        let project = random.below(100) < mix.elsewhere ? Edit.second : Edit.first
        return .write(draw(&writes[project]!, &random), project: project)
    }
}

extension Mix {
    fileprivate func role(_ random: inout SeededGenerator) -> RandomWrites.Write {
        .role(of: random.pick(users)!, to: random.pick(roles)!)
    }
}

// MARK: Edits

extension Planner {
    private mutating func edit(on device: Int) -> Operation {
        serial += 1
        let project = project(on: device)
        if devices[device].isUserWide, random.oneIn(12) { return projectEdit(on: device) }
        if random.below(100) < mix.others { return otherEdit(on: device, in: project) }
        if random.below(100) < mix.delete {
            return .edit(device: device, Edit(verb: .delete, id: knownTask(in: project), project: project))
        }
        switch random.below(18) {
        case 0..<7:
            let id = "d\(device)-\(serial)"
            let fields = fields(["name"] + (random.oneIn(3) ? ["notes"] : []), in: project)
            rowIDs[project, default: [:]]["tasks", default: []].append(id)
            return .edit(device: device, Edit(verb: .insert, id: id, fields: fields, project: project))
        case 7, 8:
            let sprint = random.pick(writes[project]?.ids(of: "sprints") ?? []).map(JSON.string) ?? .null
            return update(knownTask(in: project), ["sprint": sprint], device, project)
        default:
            let names = Edit.taskTexts.filter { _ in random.oneIn(2) }
            return update(
                knownTask(in: project), fields(names.isEmpty ? ["name"] : names, in: project), device, project)
        }
    }

    private func update(_ id: String, _ fields: [String: JSON], _ device: Int, _ project: String) -> Operation {
        .edit(device: device, Edit(verb: .update, id: id, fields: fields, project: project))
    }

    /// The project of an edit.
    private mutating func project(on device: Int) -> String {
        guard devices[device].isUserWide, random.below(100) < mix.elsewhere else { return Edit.first }
        return random.pick([Edit.second] + (made[device] ?? []).suffix(2))!
    }

    /// An id out of a few, which makes devices edit the same tasks.
    mutating func knownTask(in project: String) -> String {
        let (own, others) = (rowIDs[project]?["tasks"] ?? [], writes[project]?.ids(of: "tasks") ?? [])
        return random.pick(Array(own.suffix(6) + others.suffix(4))) ?? "none"
    }

    /// Unique texts; sometimes also a reference that may be dead by then, or a value that the server refuses.
    private mutating func fields(_ names: [String], in project: String) -> [String: JSON] {
        var fields = Dictionary(uniqueKeysWithValues: names.map { ($0, JSON.string("\($0)-\(serial)")) })
        if random.below(100) < mix.parent { fields["parent"] = .string(knownTask(in: project)) }
        if random.oneIn(4), let sprint = random.pick(writes[project]?.ids(of: "sprints") ?? []) {
            fields["sprint"] = .string(sprint)
        }
        if random.oneIn(12) { fields["percent_complete"] = random.oneIn(2) ? 50 : 200 }
        return fields
    }
}

// MARK: Exchanges

extension Planner {
    /// An exchange inside another one has no incidents that contain operations.
    private mutating func exchange(of device: Int, depth: Int) -> Operation {
        let incidents = (0..<random.below(8)).map { _ in incident(device, depth) }
        let verb = random.pick([Exchange.Verb.pull, .push, .sync, .sync])!
        return .exchange(
            device: device, Exchange(verb: verb, pageSize: random.pick(mix.pageSizes)!, incidents: incidents))
    }

    private mutating func incident(_ device: Int, _ depth: Int) -> Incident {
        guard random.below(100) < mix.incidents else { return .nothing }
        switch random.below(depth == 0 ? 18 : 11) {
        case 0: return .requestLost
        case 1, 2: return .answerLost
        case 3: return .doubled(firstAnswer: random.oneIn(2))
        case 4: return .delayed(by: 1 + random.below(8))
        case 5: return .echoed(by: 1 + random.below(20))
        case 6: return .cut(percent: random.below(100))
        case 7:
            return .unavailable(
                status: random.pick([502, 503])!, retryAfter: random.oneIn(2) ? 3 : nil, acted: random.oneIn(2))
        case 8, 9: return .death(acted: random.oneIn(2))
        case 10: return .nothing
        default: return .meanwhile((0...random.below(2)).map { _ in interlude(device) })
        }
    }

    /// Anything that may happen between two requests of a device, except requests of the same device.
    private mutating func interlude(_ device: Int) -> Operation {
        switch random.below(12) {
        case 0..<5: return write { $0.next(&$1) }
        case 5..<8: return edit(on: random.oneIn(2) ? device : random.below(devices.count))
        case 8: return .restart
        case 9: return write { [mix] _, random in mix.role(&random) }
        default:
            let other = random.below(devices.count)
            return other == device ? edit(on: device) : exchange(of: other, depth: 1)
        }
    }
}

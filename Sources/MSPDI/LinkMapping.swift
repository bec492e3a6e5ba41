import SyncProtocol

/// The rows of `dependencies`: the links that the collection can hold. Every other link is listed with the reason.
struct LinkMapping {
    let file: PlanFile
    let outline: Outline
    let time: WorkTime
    let omissions: Omissions
    let newID: () -> String

    /// The types in the order of their numbers in the file.
    static let types = ["FF", "FS", "SF", "SS"]

    private struct Candidate: Hashable {
        var predecessor: Int
        var successor: Int
        var type: String
    }

    func rows() -> [[String: JSON]] {
        let candidates = self.candidates()
        let closing = CycleCheck.closing(
            nodes: outline.nodes.count, links: candidates.map { ($0.0.predecessor, $0.0.successor) })
        return candidates.enumerated().compactMap { number, candidate in
            let (ends, link) = candidate
            if closing.contains(number) {
                drop(link, to: ends.successor, because: "would close a cycle")
                return nil
            }
            return [
                "id": .string(newID()),
                "predecessor": .string(outline.nodes[ends.predecessor].id),
                "successor": .string(outline.nodes[ends.successor].id),
                "dep_type": .string(ends.type),
                "lag": .int(Int64(lag(link, ends))),
            ]
        }
    }

    private func candidates() -> [(Candidate, PlanLink)] {
        var seen: Set<Candidate> = []
        var candidates: [(Candidate, PlanLink)] = []
        for (successor, node) in outline.nodes.enumerated() {
            for link in node.task.links {
                guard let predecessor = predecessor(of: link, successor) else { continue }
                let ends = Candidate(predecessor: predecessor, successor: successor, type: type(link, successor))
                if seen.insert(ends).inserted {
                    candidates.append((ends, link))
                } else {
                    drop(link, to: successor, because: "occurs twice")
                }
            }
        }
        return candidates
    }

    private func predecessor(of link: PlanLink, _ successor: Int) -> Int? {
        if link.isCrossProject {
            drop(link, to: successor, because: "leads to another project")
        } else if let uid = link.predecessorUID {
            guard let predecessor = outline.indexByUID[uid] else {
                drop(link, to: successor, because: missing(uid))
                return nil
            }
            if predecessor == successor {
                drop(link, to: successor, because: "links a task to itself")
            } else if outline.isWithin(successor, predecessor) || outline.isWithin(predecessor, successor) {
                drop(link, to: successor, because: "joins a summary with a task below it")
            } else {
                return predecessor
            }
        } else {
            let text = link.predecessorText
            drop(
                link, to: successor,
                because: text.map { "names \"\($0.prefix(100))\", which is not a UID" } ?? "names no predecessor")
        }
        return nil
    }

    private func missing(_ uid: Int) -> String {
        if uid == file.summary?.uid { return "leads to the project's summary" }
        return file.blankUIDs.contains(uid) ? "leads to a blank line" : "leads to a task that is not in the plan"
    }

    private func type(_ link: PlanLink, _ successor: Int) -> String {
        if LinkMapping.types.indices.contains(link.type) { return LinkMapping.types[link.type] }
        omissions.add("type \(link.type) of \(describe(link, successor)): became FS", kind: "link type")
        return "FS"
    }

    private func drop(_ link: PlanLink, to successor: Int, because reason: String) {
        omissions.add("\(describe(link, successor)): \(reason)", kind: "link")
    }

    private func describe(_ link: PlanLink, _ successor: Int) -> String {
        let from = link.predecessorUID.map(String.init) ?? "?"
        let name = link.predecessorUID.flatMap(name(ofUID:)) ?? "?"
        let node = outline.nodes[successor]
        return "link \(from) -> \(node.task.uid) (\"\(name)\" -> \"\(node.name)\")"
    }

    private func name(ofUID uid: Int) -> String? {
        if let index = outline.indexByUID[uid] { return outline.nodes[index].name }
        return uid == file.summary?.uid ? file.summary?.name : nil
    }
}

// Lags.
extension LinkMapping {
    private func lag(_ link: PlanLink, _ ends: Candidate) -> Int {
        let exact = exactLag(link, ends)
        let days = exact.wholeDays
        let place = "lag of link \(link.predecessorUID ?? 0) -> \(outline.nodes[ends.successor].task.uid):"
        if link.lag != 0, PlanDuration.percentFormats.contains(link.lagFormat) {
            omissions.add("\(place) \(link.lag)% converted to \(counted(days, "day"))", kind: "lag")
        } else if link.lag != 0, PlanDuration.elapsedFormats.contains(link.lagFormat) {
            let elapsed = (Double(link.lag) / 14_400).short
            omissions.add("\(place) \(elapsed) elapsed days converted to \(counted(days, "working day"))", kind: "lag")
        } else if abs(exact.rounded()) > Double(WorkTime.mostDays) {
            omissions.add("\(place) \(exact.short) days cut to \(days)", kind: "lag")
        } else if !exact.isNearly(days) {
            omissions.add("\(place) \(exact.short) days rounded to \(days)", kind: "lag")
        }
        return days
    }

    /// The lag in working days, not rounded.
    private func exactLag(_ link: PlanLink, _ ends: Candidate) -> Double {
        if PlanDuration.percentFormats.contains(link.lagFormat) {
            let predecessor = outline.nodes[ends.predecessor].task.duration.map(time.days) ?? 1
            return Double(link.lag) / 100 * predecessor
        }
        return time.days(tenths: link.lag, isElapsed: PlanDuration.elapsedFormats.contains(link.lagFormat))
    }
}

/// Finds links whose removal leaves no cycle.
enum CycleCheck {
    /// The indexes of the links that lead back to a task on the current path of a depth-first walk. The walk
    /// visits the tasks in their order.
    ///
    /// Without these links there is no cycle. Each of them closes a cycle with links that stay: those on the path. The
    /// walk is one pass without recursion, so a chain of 50,000 links is no problem. If only one link of a cycle leads
    /// to an earlier task, that link is removed and never one that leads to a later task.
    static func closing(nodes: Int, links: [(from: Int, to: Int)]) -> Set<Int> {
        var walk = Walk(nodes: nodes, links: links)
        for node in 0..<nodes { walk.visit(from: node) }
        return walk.closing
    }

    private struct Walk {
        private enum State { case new, onPath, done }

        private let links: [(from: Int, to: Int)]
        private var outgoing: [[Int]]
        private var next: [Int]
        private var state: [State]
        private(set) var closing: Set<Int> = []

        init(nodes: Int, links: [(from: Int, to: Int)]) {
            self.links = links
            outgoing = [[Int]](repeating: [], count: nodes)
            next = [Int](repeating: 0, count: nodes)
            state = [State](repeating: .new, count: nodes)
            for (number, link) in links.enumerated() { outgoing[link.from].append(number) }
        }

        mutating func visit(from start: Int) {
            guard state[start] == .new else { return }
            state[start] = .onPath
            var path = [start]
            while let node = path.last {
                if next[node] == outgoing[node].count {
                    state[node] = .done
                    path.removeLast()
                } else if let entered = follow(outgoing[node][next[node]]) {
                    next[node] += 1
                    path.append(entered)
                } else {
                    next[node] += 1
                }
            }
        }

        /// The task that the link leads to, if the walk has to continue there.
        private mutating func follow(_ number: Int) -> Int? {
            let target = links[number].to
            if state[target] == .onPath { closing.insert(number) }
            guard state[target] == .new else { return nil }
            state[target] = .onPath
            return target
        }
    }
}

import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// By which of its terms a drain looks up the rows of an alternative, where that is not the one that its form suggests.
///
/// Page 1 chooses, by counting, and the cursor keeps it: a page goes on in the order of the one before.
struct PartChoice: Sendable, Hashable {
    /// An alternative of a part.
    struct Place: Sendable, Hashable {
        /// Whether it is of the part that the client had before.
        let isFormer: Bool
        let collection: String
        let index: Int
    }

    private var terms: [Place: Int] = [:]

    init() {}

    /// The index of the term; nil for the one that the form suggests.
    func term(of place: Place) -> Int? { terms[place] }

    var isEmpty: Bool { terms.isEmpty }

    /// For a cursor: `0tasks:0:2,1risks:1:0`, with 1 for the former part.
    var text: String {
        terms.map { "\($0.isFormer ? 1 : 0)\($0.collection):\($0.index):\($1)" }.sorted().joined(separator: ",")
    }

    /// Nil for a text that is not one.
    init?(text: some StringProtocol) {
        for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = entry.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
            guard let kind = entry.first, "01".contains(kind), parts.count == 3, let index = Int(parts[1]),
                let term = Int(parts[2])
            else { return nil }
            terms[Place(isFormer: kind == "1", collection: String(parts[0]), index: index)] = term
        }
    }
}

extension PartChoice {
    /// Counts the rows of alternatives with several terms, as far as the drain is to look them up.
    init(
        for request: PullRequest, access: ProjectAccess, registry: Registry, in transaction: any ReadTransaction
    ) throws {
        guard let asked = request.part, request.isFromZero || request.isRoll else { return }
        let counting = RowCounting(project: request.project, access: access, registry: registry)
        let was = request.isRoll ? asked.was : nil
        terms = try counting.terms(of: asked.part, beside: was, isFormer: false, in: transaction)
        guard let was else { return }
        try terms.merge(counting.terms(of: was, beside: asked.part, isFormer: true, in: transaction)) { $1 }
    }
}

/// Counts the rows of a project that an index has for a term.
private struct RowCounting {
    let project: String
    let access: ProjectAccess
    let registry: Registry

    /// Where each of several terms has more rows, the form decides.
    private static let mostRows = 2000

    func terms(
        of part: Part, beside other: Part?, isFormer: Bool, in transaction: any ReadTransaction
    ) throws -> [PartChoice.Place: Int] {
        var terms: [PartChoice.Place: Int] = [:]
        for (name, alternatives) in part.alternatives {
            let others = other.flatMap { $0.alternatives[name] == nil ? nil : $0 }
            for index in alternatives.indices {
                let place = PartChoice.Place(isFormer: isFormer, collection: name, index: index)
                let scan = SegmentScan.PartScan(
                    part: part, was: others, role: .present, source: .numbered, since: .zero, user: access.caller.userID
                )
                terms[place] = try best(of: index, in: registry.collection(name), like: scan, in: transaction)
            }
        }
        return terms
    }

    /// The term with the fewest rows; nil if that is the one that the form suggests. `scan` names the parts.
    private func best(
        of index: Int, in collection: Collection, like scan: SegmentScan.PartScan, in transaction: any ReadTransaction
    ) throws -> Int? {
        let alternative = scan.part.alternatives[collection.name]?[index] ?? []
        let others = scan.was?.alternatives[collection.name] ?? []
        let ways = alternative.ways(in: collection, beside: others)
        guard let first = ways.first, ways.count > 1, !alternative.isWithin(oneOf: others) else { return nil }
        var best = first.term
        var fewest = RowCounting.mostRows + 1
        for way in ways where fewest > 0 {
            let scans = way.keys.map { key in
                var scan = scan
                scan.source = .alternative(index, by: key)
                return scan
            }
            let count = try count(scans, in: collection, atMost: fewest, in: transaction)
            guard count < fewest else { continue }
            best = way.term
            fewest = count
        }
        return best == first.term ? nil : best
    }

    private func count(
        _ parts: [SegmentScan.PartScan], in collection: Collection, atMost limit: Int,
        in transaction: any ReadTransaction
    ) throws -> Int {
        var count = 0
        for part in parts where count < limit {
            var scan = SegmentScan(
                collection: collection, project: project, rows: access.rows(of: collection, registry),
                position: .after(.zero), upper: access.project.head, knownTombstones: .zero,
                examineLimit: limit - count)
            scan.isLiveOnly = true
            scan.buckets = []
            scan.part = part
            var page = PageWriter(expectedRows: 0)
            count += try transaction.scan(scan, into: &page).examined
        }
        return count
    }
}

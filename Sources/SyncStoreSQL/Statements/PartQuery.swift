package import SyncProtocol
package import SyncSchema
package import SyncStore
import SyncValues

/// The SQL of a scan of a part. Its rows have all columns of the collection, then whether the scan serves the row, and
/// for scans of several tables the place by which they are sorted.
///
/// Which rows are served is no condition of the statement, because a scan counts all rows that it looks at.
package struct PartQuery {
    package private(set) var sql = ""
    private let scan: SegmentScan
    private let part: SegmentScan.PartScan
    private let dialect: any SQLDialect
    private let registry: Registry
    /// The collection, and those that its rows follow, as far as they decide about them.
    private let path: [Collection]
    /// How the scan finds the rows of an alternative; nil for other scans.
    private let lookup: SegmentScan.PartScan.Lookup?
    private var values: [JSON] = []
    /// Where in `values` the position begins.
    private var place = 0

    /// One of the terms that the rows are sorted by.
    private struct SortTerm {
        enum Kind { case number, value, id }

        let sql: String
        let kind: Kind
    }

    /// `scan` must be one of a part.
    package init(_ scan: SegmentScan, of part: SegmentScan.PartScan, in layout: TableLayout, _ registry: Registry) {
        self.scan = scan
        self.part = part
        dialect = layout.dialect
        self.registry = registry
        path = part.path(of: scan.collection, in: registry)
        lookup = part.lookup(in: path)
        let condition = role()
        let own = isListed ? ListedQuery.columns(of: layout, row: "r0") : layout.columns.map { "r0.\($0)" }
        let columns = own + ["CASE WHEN \(condition) THEN 1 ELSE 0 END"] + places
        let order = self.order
        let terms = rows() + after(order)
        sql = """
            SELECT \(columns.joined(separator: ", ")) FROM \(tables) WHERE \(terms.joined(separator: " AND ")) \
            ORDER BY \(order.map(\.sql).joined(separator: ", "))
            """
    }

    /// The values of ?1, ?2 … for rows after the position.
    package func values(after position: KeysetPosition) -> [JSON] {
        let parts = SegmentScan.PartScan.parts(of: position, hasValue: rangeField != nil)
        var ids = parts?.ids[...] ?? []
        var values = values
        for (index, term) in zip(place..., order) {
            values[index] =
                switch term.kind {
                case .number: .int(parts == nil ? firstNumber ?? position.seq.rawValue : position.seq.rawValue)
                case .value: parts?.value ?? lowest
                case .id: .string(ids.popFirst() ?? "")
                }
        }
        return values
    }

    /// A value of the range's field that no other of the range is below.
    private var lowest: JSON {
        guard case .field(_, .values(let ends))? = lookup, let field = rangeField else { return .null }
        if let first = ends.above ?? ends.from { return first }
        return switch field.value.kind {
        case .integer, .boolean: .int(.min)
        case .number: .double(-.greatestFiniteMagnitude)
        case .string, .array, .object: ""
        }
    }

    /// Where a range begins among the rows with its lowest value: before them, or after them; nil for other scans.
    private var firstNumber: Int64? {
        guard case .field(_, .values(let ends))? = lookup else { return nil }
        return ends.above == nil ? 0 : .max
    }

    /// The field by whose values a range is sorted.
    private var rangeField: Field? {
        guard case .field(let place, .values)? = lookup else { return nil }
        return path[level].fields[place]
    }

    /// Whether the rows are those that are listed for a user: their spans are `s`.
    private var isListed: Bool { if case .listed = scan.rows { true } else { false } }

    /// The number by which a row is delivered.
    private var number: String { isListed ? "s.sync_seq" : "r0.sync_seq" }

    private mutating func bind(_ value: JSON) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    private var level: Int {
        switch part.source {
        case .numbered, .created, .ownBirths: 0
        case .moved(let level): level
        case .alternative, .formerAlternative: path.count - 1
        }
    }

    private func name(_ index: Int) -> String { "\"\(path[index].name)\" r\(index)" }

    /// The field by which rows of that collection of the path follow those of the next.
    private func link(_ index: Int) -> String { "r\(index).\"\(path[index].follows ?? "id")\"" }

    // MARK: Which rows

    /// From the rows that moved to those that follow them, then up to what those follow themselves. `CROSS JOIN` keeps
    /// SQLite to this order: https://sqlite.org/optoverview.html#manual_control_of_query_plans_using_cross_join
    private var tables: String {
        var down = (0...level).reversed().map(name)
        if case .field(_, .element)? = lookup { down.insert("tidemark_list_references l", at: 0) }
        if isListed { down.insert("tidemark_listed s", at: level == 0 && lookup == nil ? 0 : down.count) }
        let up = path.indices.dropFirst(level + 1).map { "LEFT JOIN \(name($0)) ON r\($0).id = \(link($0 - 1))" }
        return ([down.joined(separator: " CROSS JOIN ")] + up).joined(separator: " ")
    }

    private var order: [SortTerm] {
        let ids = (0...level).reversed().map { SortTerm(sql: "r\($0).id", kind: .id) }
        let creation = [SortTerm(sql: "r\(level).created_seq", kind: .number)] + ids
        switch (part.source, lookup) {
        case (.numbered, _) where isListed:
            return [SortTerm(sql: number, kind: .number), SortTerm(sql: "s.row_id", kind: .id)]
        case (.numbered, _): return [SortTerm(sql: number, kind: .number)] + ids
        case (.moved, _): return [SortTerm(sql: "r\(level).filter_seq", kind: .number)] + ids
        case (_, .field(let place, .values)):
            return [SortTerm(sql: column(place, of: level), kind: .value)] + creation
        case (_, .field(_, .element)): return [SortTerm(sql: "l.row_id", kind: .id)] + ids.dropFirst()
        case (.created, _), (.ownBirths, _), (.alternative, _), (.formerAlternative, _): return creation
        }
    }

    private mutating func after(_ order: [SortTerm]) -> [String] {
        place = values.count
        let places = order.map { bind($0.kind == .number ? .int(0) : "") }
        let first = order[0].sql
        // The first term alone bounds the range of the index for a join.
        var terms = level > 0 ? ["\(first) >= \(places[0])"] : []
        terms.append("(\(order.map(\.sql).joined(separator: ", "))) > (\(places.joined(separator: ", ")))")
        if scan.upper < .maximum, order[0].kind == .number {
            terms.append("\(first) <= \(bind(.int(scan.upper.rawValue)))")
        }
        return terms
    }

    private func column(_ place: Int, of index: Int) -> String { "r\(index).\"\(path[index].fields[place].name)\"" }

    private mutating func rows() -> [String] {
        var terms = ["r\(level).project_id = \(bind(.string(scan.project)))"]
        switch scan.rows {
        case .own(let field, let user): terms.append("r0.\"\(field)\" = \(bind(.int(user)))")
        case .ungated: terms.append("r0.is_gated = 0")
        case .listed(let user):
            terms += [
                "s.project_id = \(bind(.string(scan.project)))", "s.collection = '\(scan.collection.name)'",
                "s.user_id = \(bind(.int(user)))", "s.row_id = r0.id",
            ]
            if scan.isLiveOnly || part.role != .present || part.source != .numbered {
                terms.append("s.gone_seq IS NULL")
            }
        case .all, .hidden, .beside, .lost, .held, .heldOwn, .heldInserted: break
        }
        if scan.isLiveOnly || part.role != .present { terms.append("r0.is_deleted = 0") }
        if lookup != nil, level > 0 { terms.append("r\(level).is_deleted = 0") }
        switch part.source {
        case .numbered, .created: break
        case .ownBirths: terms.append(ownBirth())
        case .alternative, .formerAlternative:
            terms += (0..<level).map { "r\($0 + 1).id = \(link($0))" } + found()
        case .moved:
            terms += (0..<level).map { "r\($0 + 1).id = \(link($0))" }
            terms += (0..<level).map { isUnmoved($0) }
            if level > 0 { terms.append("(CASE WHEN \(ownBirth()) THEN 1 ELSE 0 END) = 0") }
        }
        return terms
    }

    /// The range of an index in which the rows of an alternative are.
    private mutating func found() -> [String] {
        switch lookup {
        case .creation?: return []
        case .field(let place, .value(let value))?:
            let column = column(place, of: level)
            return [value.isNull ? "\(column) IS NULL" : "\(column) = \(bind(value))"]
        case .field(let place, .values(let ends))?:
            let column = column(place, of: level)
            // The position is never below the range.
            let tops = [("<=", ends.until), ("<", ends.below)]
            return ["\(column) IS NOT NULL"]
                + tops.compactMap { sign, end in end.map { "\(column) \(sign) \(bind($0))" } }
        case .field(let place, .element(let element, _))?:
            let field = path[level].fields[place].name
            let target = bind(element.listTarget)
            return [
                "l.collection = '\(path[level].name)'", "l.field = '\(field)'", "l.target = \(target)",
                "r\(level).id = l.row_id",
            ]
        // The filter has no such alternative.
        case nil: return ["1 = 0"]
        }
    }

    private mutating func isUnmoved(_ index: Int) -> String {
        "(r\(index).filter_seq IS NULL OR r\(index).filter_seq <= \(since()))"
    }

    private mutating func since() -> String { bind(.int(part.since.rawValue)) }

    private mutating func ownBirth() -> String {
        "r0.filter_seq IS NULL AND r0.created_seq > \(since()) AND r0.inserted_by = \(bind(.int(part.user)))"
    }

    // MARK: Which of them are served

    private mutating func role() -> String {
        switch (part.source, part.role) {
        case (.alternative(let index, _), .present):
            return all([first(index, of: part.part), "\(number) <= \(until())", isSettled()])
        case (.alternative(let index, _), _):
            let was = membership(part.was ?? part.part, from: 0)
            return all(
                [first(index, of: part.part), "\(number) <= \(since())", isNot(was), isSettled()]
                    + path.indices.map { isUnmoved($0) })
        case (.formerAlternative(let index, _), _):
            let isIn = membership(part.part, from: 0)
            return all(
                [first(index, of: part.was ?? part.part), isNot(isIn), isNot(ownBirth()), isSettled()]
                    + path.indices.map { isUnmoved($0) })
        case (.numbered, .present): return membership(part.part, from: 0)
        case (.numbered, _), (.moved, _), (.created, _), (.ownBirths, _): break
        }
        let isIn = membership(part.part, from: 0)
        guard part.role == .coming else { return all([isNot(isIn), isSettled(), difference()]) }
        return all(["(\(isIn))", "\(number) <= \(since())", isSettled(), difference()])
    }

    private mutating func isSettled() -> String { "\(moved()) <= \(until())" }

    private func all(_ terms: [String]) -> String { terms.joined(separator: " AND ") }

    private mutating func until() -> String { bind(.int(part.until.rawValue)) }

    /// That the client may have what it should not have, or the other way round.
    private mutating func difference() -> String {
        let hasMoved = "\(moved()) > \(since())"
        guard let was = part.was else {
            return part.role == .coming ? hasMoved : "\(hasMoved) AND (\(mayBeKnown()))"
        }
        // Of a row that has moved nobody knows whether the client has it.
        guard !part.source.isOfNews else { return hasMoved }
        let wasIn = membership(was, from: 0)
        let differed = part.role == .coming ? isNot(wasIn) : "(\(wasIn))"
        return "(\(hasMoved) OR \(moved(in: was)) > \(since()) OR \(differed))"
    }

    /// That a row, or the one that it follows, meets the alternative of the part and none before it.
    private mutating func first(_ index: Int, of part: Part) -> String {
        let alternatives = part.alternatives[path[level].name] ?? []
        guard alternatives.indices.contains(index) else { return "1 = 0" }
        var terms = [way(alternatives[index])]
        terms += alternatives[..<index].map { isNot(way($0)) }
        if case .field(let place, .element(_, let others))? = lookup, !others.isEmpty {
            terms.append(isNot(condition(Part.Term(position: place, condition: .contains(others)), level)))
        }
        return terms.joined(separator: " AND ")
    }

    /// That a row of the last table meets an alternative.
    private mutating func way(_ alternative: Part.Alternative, _ index: Int? = nil) -> String {
        let terms = alternative.map { condition($0, index ?? level) }
        return terms.isEmpty ? "1 = 1" : "(\(terms.joined(separator: " AND ")))"
    }

    private mutating func mayBeKnown() -> String {
        "r0.created_seq <= \(since()) OR \(moved()) > r0.created_seq OR r0.inserted_by = \(bind(.int(part.user)))"
    }

    /// What is not true, which includes what is null.
    private func isNot(_ condition: String) -> String { "(CASE WHEN \(condition) THEN 1 ELSE 0 END) = 0" }

    /// The last commit that changed what decides whether the row is in the part.
    private func moved(in part: Part? = nil) -> String {
        let levels = (part ?? self.part.part).path(of: scan.collection, in: registry).count
        let terms = path.indices.prefix(levels).map { "COALESCE(r\($0).filter_seq, r\($0).created_seq, 0)" }
        // PostgreSQL would take a bare 0, and what it is compared with, for an INTEGER of four bytes.
        return terms.dropFirst().reduce(terms.first ?? "CAST(0 AS BIGINT)", dialect.greatest)
    }

    private mutating func membership(_ part: Part, from index: Int) -> String {
        let collection = path[index]
        if let alternatives = part.alternatives[collection.name] {
            let ways = alternatives.map { way($0, index) }
            return ways.isEmpty ? "1 = 0" : ways.joined(separator: " OR ")
        }
        guard collection.follows != nil, path.indices.contains(index + 1) else { return "1 = 1" }
        return "\(link(index)) IS NULL OR (\(membership(part, from: index + 1)))"
    }

    private mutating func condition(_ term: Part.Term, _ index: Int) -> String {
        let column = column(term.position, of: index)
        switch term.condition {
        case .isOne(let values): return oneOf(column, values)
        case .isNone(let values):
            let others = values.filter { !$0.isNull }
            let isOther = others.isEmpty ? "1 = 1" : "\(column) NOT IN (\(list(others)))"
            return values.count > others.count
                ? "\(column) IS NOT NULL AND \(isOther)" : "(\(column) IS NULL OR \(isOther))"
        case .isWithin(let from, let until):
            let ends = [(">=", from), ("<=", until)].compactMap { sign, end in
                end.map { "\(column) \(sign) \(bind($0))" }
            }
            return (ends.isEmpty ? ["\(column) IS NOT NULL"] : ends).joined(separator: " AND ")
        case .begins(let start):
            let length = bind(.int(Int64(start.unicodeScalars.count)))
            return "substr(\(column), 1, CAST(\(length) AS INTEGER)) = \(bind(.string(start)))"
        case .contains(let elements):
            guard !elements.isEmpty else { return "1 = 0" }
            let targets = list(elements.map(\.listTarget))
            return """
                EXISTS (SELECT 1 FROM tidemark_list_references e WHERE e.collection = '\(path[index].name)' \
                AND e.field = '\(path[index].fields[term.position].name)' AND e.target IN (\(targets)) \
                AND e.row_id = r\(index).id)
                """
        }
    }

    private mutating func oneOf(_ column: String, _ values: [JSON]) -> String {
        let others = values.filter { !$0.isNull }
        var ways = others.isEmpty ? [] : ["\(column) IN (\(list(others)))"]
        if values.count > others.count { ways.append("\(column) IS NULL") }
        return ways.isEmpty ? "1 = 0" : "(\(ways.joined(separator: " OR ")))"
    }

    /// Lists have one of a few lengths, so filters that differ in their values alone have the same text. The last value
    /// comes again as often as it takes.
    private mutating func list(_ values: [JSON]) -> String {
        let length = [1, 2, 4, 8, 16, 32].first { $0 >= values.count } ?? max(values.count, 50)
        let filler = repeatElement(values[values.count - 1], count: length - values.count)
        return (values + filler).map { bind($0) }.joined(separator: ", ")
    }

    // MARK: The columns after those of the rows

    /// The column that says whether the scan serves the row.
    static func status(in collection: Collection) -> Int32 { SystemColumn.count + Int32(collection.fields.count) }

    private var places: [String] {
        let seq: String
        switch (part.source, lookup) {
        case (.numbered, _): return []
        case (.moved, _): seq = "r\(level).filter_seq"
        case (_, .field(_, .element)): seq = "1"
        case (.created, _), (.ownBirths, _), (.alternative, _), (.formerAlternative, _):
            seq = "r\(level).created_seq"
        }
        let ids = (0..<level).reversed().map { "r\($0 + 1).id || '/'" } + ["r0.id"]
        let value: [String] =
            if case .field(let place, .values)? = lookup { [column(place, of: level)] } else { [] }
        return [seq, ids.joined(separator: " || ")] + value
    }

    /// The scan's position at the row.
    package func position(of row: some SQLRow) -> KeysetPosition {
        let status = Self.status(in: scan.collection)
        guard part.source != .numbered else { return KeysetPosition(seq: row.seq(.seq), id: row.string(.id)) }
        let value = rangeField.map { row.value(status + 3, $0.value) }
        let ids = row.string(status + 2)
        return SegmentScan.PartScan.position(seq: SyncSeq(row.integer(status + 1)), value: value, ids: [ids])
    }

    /// Selects a row if there is any of the collection of project ?1, and of user ?4 if these are the rows of one,
    /// whose number in this column is above ?2 and not above ?3.
    static func anyRow(by column: SystemColumn, in collection: Collection, _ rows: SegmentScan.Rows) -> String {
        let owner: String
        switch rows {
        case .listed where column == .seq:
            return """
                SELECT 1 FROM tidemark_listed WHERE project_id = ?1 AND collection = '\(collection.name)' \
                AND user_id = ?4 AND sync_seq > ?2 AND sync_seq <= ?3 LIMIT 1
                """
        case .own(let field, _): owner = " AND \"\(field)\" = ?4"
        case .all, .listed, .beside, .ungated, .hidden, .lost, .held, .heldOwn, .heldInserted: owner = ""
        }
        return """
            SELECT 1 FROM "\(collection.name)" WHERE project_id = ?1\(owner) AND \(column.name) > ?2 \
            AND \(column.name) <= ?3 LIMIT 1
            """
    }
}

extension SQLTransaction {
    package func digest(of scan: SegmentScan) throws -> CollectionDigest? {
        guard let part = scan.part, try !isIdle(scan) else { return .empty }
        try touch(scan.project)
        let query = PartQuery(scan, of: part, in: layout(scan.collection), registry)
        let status = PartQuery.status(in: scan.collection)
        var digest = CollectionDigest.empty
        var examined = 0
        let sql = query.sql + " LIMIT \(scan.examineLimit + 1)"
        try each(sql, query.values(after: scan.position), isKept: false) { row in
            examined += 1
            if row.integer(status) != 0 {
                digest.insert(utf8: row.text(SystemColumn.id.rawValue), ServerVersion(row.integer(.version)))
            }
            return true
        }
        return examined <= scan.examineLimit ? digest : nil
    }

    /// Whether a scan has no rows, because nothing is new, or nothing that it follows has moved. It costs one look into
    /// an index, with the same statement for all parts.
    package func isIdle(_ scan: SegmentScan) throws -> Bool {
        guard let part = scan.part else { return false }
        let path = part.path(of: scan.collection, in: registry)
        switch part.source {
        case .created: return false
        case .alternative, .formerAlternative: return part.lookup(in: path) == nil
        case .numbered:
            // The position may be one of several rows with its number.
            let after = SyncSeq(scan.position.seq.rawValue - 1)
            return try !hasRows(of: scan.collection, by: .seq, after: after, until: scan.upper, in: scan)
        case .ownBirths:
            return try !hasRows(of: scan.collection, by: .seq, after: part.since, until: .maximum, in: scan)
        case .moved(let level):
            guard path.indices.contains(level) else { return true }
            return try !hasRows(of: path[level], by: .filterSeq, after: part.since, until: part.until, in: scan)
        }
    }

    /// Whether the collection, which is that of the scan or one that its rows follow, has rows with such a number.
    private func hasRows(
        of collection: Collection, by column: SystemColumn, after: SyncSeq, until: SyncSeq, in scan: SegmentScan
    ) throws -> Bool {
        let rows = collection.name == scan.collection.name ? scan.rows : .all
        var values: [JSON] = [.string(scan.project), .int(after.rawValue), .int(until.rawValue)]
        switch rows {
        case .own(_, let user): values.append(.int(user))
        case .listed(let user) where column == .seq: values.append(.int(user))
        case .all, .listed, .beside, .ungated, .hidden, .lost, .held, .heldOwn, .heldInserted: break
        }
        return try first(PartQuery.anyRow(by: column, in: collection, rows), values) { _ in true } != nil
    }
}

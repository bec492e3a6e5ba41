import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// Reads `changes` of an upload into rows, in the order in which they apply: created, then updated, then deleted.
struct UploadRowReader {
    let registry: Registry
    let encoding: WireEncoding
    /// Whether the batch may have rows of several projects.
    let isUserWide: Bool
    /// The pointer to `changes` in the body.
    let pointer: String
    /// Halves of surrogate pairs, by the pointer of their row and by field.
    private let halves: [String: [String: MendedJSON.Half]]
    private(set) var rows: [UploadRequest.Row] = []
    private(set) var problems: [RowProblem] = []
    /// Refused rows as they were sent, by pointer.
    private(set) var unreadable: [String: UploadRequest.Unreadable] = [:]
    /// The bytes that are left for members that are not fields.
    private var room = UploadRequest.Row.mostForeign.batch
    /// Number of rows sent, valid or not.
    private(set) var count = 0

    init(
        registry: Registry, encoding: WireEncoding, isUserWide: Bool, pointer: String, halves: [MendedJSON.Half]
    ) {
        self.registry = registry
        self.encoding = encoding
        self.isUserWide = isUserWide
        self.pointer = pointer
        self.halves = UploadRowReader.byRow(halves, below: pointer)
    }

    /// The worst half of each field. Halves outside of rows are left out: the names there are all known.
    private static func byRow(
        _ halves: [MendedJSON.Half], below pointer: String
    ) -> [String: [String: MendedJSON.Half]] {
        // Collection, bucket, index and field follow the path to `changes`.
        let depth = pointer.isEmpty ? 0 : 1
        return halves.reduce(into: [:]) { rows, half in
            guard half.path.count > depth + 3, depth == 0 || half.path[0] == "changes" else { return }
            let row = "\(pointer)/\(half.path[depth..<(depth + 3)].joined(separator: "/"))"
            let field = half.path[depth + 3]
            guard half.hidesMember || rows[row]?[field] == nil else { return }
            rows[row, default: [:]][field] = half.below(depth + 4)
        }
    }

    /// Reads all of `changes`. The mistakes of single rows go to `problems`. Throws `invalid_body`,
    /// `collection_not_uploadable`.
    mutating func read(_ changes: JSON) throws {
        guard let collections = changes.object else {
            throw Problem(.invalidBody, "changes must be an object of collections.")
        }
        for name in collections.keys.sorted() where registry[name]?.isUploadable(userWide: isUserWide) != true {
            throw Problem(.collectionNotUploadable, "\(name) can't be uploaded\(remedy(for: registry[name]))")
        }
        for collection in registry.collections {
            guard let buckets = collections[collection.name] else { continue }
            try read(buckets, of: collection)
        }
    }

    private func remedy(for collection: Collection?) -> String {
        switch collection?.uploads {
        case nil: ". There is no such collection."
        case .userWide: " to one project. Send its rows to POST /sync/, or change them over REST."
        default: ". Change its rows over REST."
        }
    }

    private mutating func read(_ json: JSON, of collection: Collection) throws {
        let name = collection.name
        guard let buckets = json.object else {
            throw Problem(.invalidBody, "changes.\(name) must be an object with created, updated and deleted.")
        }
        if let unknown = buckets.keys.sorted().first(where: { UploadRequest.Bucket(rawValue: $0) == nil }) {
            throw Problem(.invalidBody, "changes.\(name).\(unknown) is not one of created, updated and deleted.")
        }
        for bucket in UploadRequest.Bucket.allCases {
            guard let elements = (buckets[bucket.rawValue] ?? []).array else {
                throw Problem(.invalidBody, "changes.\(name).\(bucket.rawValue) must be a list.")
            }
            read(elements, of: collection, bucket)
        }
    }

    private mutating func read(_ elements: [JSON], of collection: Collection, _ bucket: UploadRequest.Bucket) {
        count += elements.count
        var seen: Set<String> = []
        for (index, element) in elements.enumerated() {
            let pointer = "\(pointer)/\(collection.name)/\(bucket.rawValue)/\(index)"
            let json = bucket == .deleted ? element : element["id"]
            guard let id = json?.string, RowID.isValid(id) else {
                let detail = UploadRowReader.missingID(in: element, bucket)
                // If a whole row was sent in `deleted`, name its id, so the sender can find it.
                refuse(
                    pointer, collection: collection.name, id: json?.string ?? element["id"]?.string, code: .invalidID,
                    detail: detail)
                keep(element, at: pointer)
                continue
            }
            guard seen.insert(id).inserted else {
                refuse(
                    pointer, collection: collection.name, id: id, code: .duplicateID,
                    detail: "The id is in \(bucket.rawValue) twice.")
                continue
            }
            let bases: (row: ServerVersion?, fields: [String: ServerVersion])
            do throws(Violation) {
                bases = try UploadRowReader.bases(of: element, in: collection)
            } catch {
                refuse(pointer, collection: collection.name, id: id, code: error.code, detail: error.detail)
                keep(element, at: pointer)
                continue
            }
            var halves = self.halves.isEmpty ? [:] : self.halves[pointer] ?? [:]
            guard halves["_changed"] == nil else {
                // Nobody knows which columns were meant.
                refuse(
                    pointer + "/_changed", collection: collection.name, id: id, code: .badFormat,
                    detail: "_changed \(Violation.half).")
                keep(element, at: pointer)
                continue
            }
            let sent = element.object ?? [:]
            var row = UploadRequest.Row(
                key: RowKey(collection.name, id), bucket: bucket, pointer: pointer,
                fields: encoding.decoded(sent, of: collection, halves: &halves),
                limits: UploadRowReader.limits(element, bucket),
                base: bases.row.map(EditBase.version),
                wantsDelivery: sent["_redeliver"] == true || encoding.cuts(sent, of: collection),
                // WatermelonDB stores an empty text if the app set nothing.
                project: sent["project_id"]?.string.flatMap { $0.isEmpty ? nil : $0 })
            row.extras.halves = halves
            row.extras.bases = bases.fields
            row.setAsideForeign(sent.keys.filter { collection.position($0) == nil }, room: &room)
            rows.append(row)
        }
    }

    /// The versions in `base_version` and `base_versions`. Names that are no fields count for nothing.
    private static func bases(
        of element: JSON, in collection: Collection
    ) throws(Violation) -> (row: ServerVersion?, fields: [String: ServerVersion]) {
        let row = element["base_version"] ?? .null
        let base = version(row)
        guard base != nil || row.isNull else {
            throw Violation(.wrongType, "base_version must be the version that was edited.")
        }
        // A schema from before may have a field of that name.
        guard let sent = element["base_versions"], !sent.isNull, collection.field("base_versions") == nil else {
            return (base, [:])
        }
        guard let base else {
            throw Violation(.wrongType, "base_versions needs base_version, the base of all other fields.")
        }
        let versions = (sent.object ?? [:]).compactMapValues(version)
        guard versions.count == sent.object?.count else {
            throw Violation(.wrongType, "base_versions must be an object of fields and the versions that were edited.")
        }
        return (base, versions.filter { collection.position($0.key) != nil && $0.value != base })
    }

    private static func version(_ json: JSON) -> ServerVersion? {
        json.int.flatMap { $0 > 0 ? ServerVersion($0) : nil }
    }

    /// Keeps as much of a refused row as there is room for.
    private mutating func keep(_ element: JSON, at pointer: String) {
        let part = element.firstPart(min(room, UploadRequest.Row.mostForeign.row))
        let size = part.roughBytes
        room = max(0, room - size)
        unreadable[pointer] = UploadRequest.Unreadable(sent: part, isCut: size < element.roughBytes)
    }

    private mutating func refuse(
        _ pointer: String, collection: String, id: String?, code: ErrorCode, detail: String
    ) {
        problems.append(RowProblem(pointer: pointer, collection: collection, id: id, code: code, detail: detail))
    }

    private static func missingID(in element: JSON, _ bucket: UploadRequest.Bucket) -> String {
        bucket == .deleted && element.object != nil
            ? "deleted takes ids, not rows." : Violation.invalidID.detail
    }

    /// The columns in `_changed`, WatermelonDB's comma-separated list; nil if all fields count. A
    /// created row that already exists is an echo, of which only the fields edited since count.
    /// An updated row with an empty list counts as a whole.
    private static func limits(_ row: JSON, _ bucket: UploadRequest.Bucket) -> Set<String>? {
        guard let changed = row["_changed"]?.string, bucket == .created || !changed.isEmpty else { return nil }
        return Set(changed.split(separator: ",").map(String.init))
    }
}

extension UploadRequest.Row {
    /// The fields to change if the row is live.
    var patch: [String: JSON] {
        guard let limits else { return fields }
        return fields.filter { limits.contains($0.key) }
    }

    /// The row as it was sent, its fields in normal form.
    var whole: [String: JSON] { extras.others.isEmpty ? fields : fields.merging(extras.others) { $1 } }

    /// What the author loses if nothing of the row is applied. A new row has no other copy, whatever `_changed` says.
    var lost: [String: JSON] {
        guard bucket != .created, let limits else { return whole }
        return whole.filter { limits.contains($0.key) }
    }

    /// The sent value of a member; nil if it was not sent.
    func value(of member: String) -> JSON? { fields[member] ?? extras.others[member] }

    /// The same row with only these fields to change.
    func limited(to names: Set<String>) -> UploadRequest.Row {
        var row = self
        row.limits = names
        return row
    }

    /// The same row with another value of a field, which counts if the field did.
    func setting(_ field: String, to value: JSON) -> UploadRequest.Row {
        var row = self
        row.fields[field] = value
        return row
    }

    func problem(_ problem: Violation) -> RowProblem {
        RowProblem(problem, at: pointer, collection: key.collection, id: key.id)
    }
}

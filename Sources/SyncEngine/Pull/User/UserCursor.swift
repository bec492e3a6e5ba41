import SyncProtocol
import SyncStore

/// The position of a user-wide drain between two pages.
struct UserCursor: Equatable {
    /// The number that page 1 pinned, and when.
    var number: CommitNumber
    var pinnedAt: Instant
    /// `UserDrain.fingerprint` of page 1.
    var fingerprint: String
    /// Rows served by the pages so far.
    var rows: Int
    /// The `progress.total` of page 1.
    var total: Int?
    var place: Place

    /// Where the next page begins.
    struct Place: Equatable {
        var project: String
        /// Nil at the start of the project's part.
        var inside: Inside?
    }

    struct Inside: Equatable {
        /// Index into the segments of the part's drain plan.
        var segment: Int
        var position: KeysetPosition
        /// `ProjectAccess.binding` of the pages before. Empty for a project that the user left.
        var access: String
    }

    var text: String {
        let start = "\(number.rawValue) \(pinnedAt.milliseconds) \(fingerprint) \(rows)"
        let inside = place.inside.map { " \($0.segment) \($0.position.seq) \($0.position.id) \($0.access)" } ?? ""
        return "\(start) \(total.map(String.init) ?? "-") \(place.project)\(inside)"
    }

    init(
        number: CommitNumber, pinnedAt: Instant, fingerprint: String, rows: Int, total: Int?, place: Place
    ) {
        (self.number, self.pinnedAt, self.fingerprint) = (number, pinnedAt, fingerprint)
        (self.rows, self.total, self.place) = (rows, total, place)
    }

    init?(text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6 || parts.count == 10, let number = Int64(parts[0]), let date = Int64(parts[1]),
            let rows = Int(parts[3])
        else { return nil }
        var place = Place(project: parts[5])
        if parts.count == 10 {
            guard let segment = Int(parts[6]), let seq = Int64(parts[7]) else { return nil }
            let position = KeysetPosition(seq: SyncSeq(seq), id: parts[8])
            place.inside = Inside(segment: segment, position: position, access: parts[9])
        }
        self.init(
            number: CommitNumber(number), pinnedAt: Instant(milliseconds: date), fingerprint: parts[2], rows: rows,
            total: Int(parts[4]), place: place)
    }
}

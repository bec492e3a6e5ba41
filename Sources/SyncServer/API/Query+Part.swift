import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// The parameters of a pull of a part: `filter`, `filter_was`, `left`.
extension Query {
    /// The part that is asked for; nil without `filter` and `filter_was`. `since` is the pull's watermark.
    /// `allowsProjects` says whether the filter may name projects.
    ///
    /// Throws `invalid_filter`; `since_expired` if `filter_was` can't be read any more; `invalid_parameter` if one of
    /// the parameters is missing that a pull above 0 needs.
    func part(
        since: SyncSeq, for user: Int64, _ registry: Registry, allowsProjects: Bool
    ) throws -> PartRequest? {
        let filter = text("filter")
        let before = text("filter_was")
        guard filter != nil || before != nil else {
            guard text("left") == nil else { throw Problem(.invalidParameter, "left is for a pull with a filter.") }
            return nil
        }
        let reader = PartReader(
            registry: registry, user: user, parameter: "filter", allowsProjects: allowsProjects)
        let part = try filter.map(reader.part) ?? .whole
        var request = PartRequest(part, left: try left())
        request.wantsDigest = try flag("digest")
        guard text("left") != nil || text("last_pulled_at") == nil else {
            throw Problem(
                .invalidParameter,
                """
                With last_pulled_at, say how you want to be told of rows that leave: left=deleted puts them into \
                deleted, left=left into a list of their own, which WatermelonDB does not know.
                """)
        }
        guard since > .zero else { return request }
        guard let before else {
            throw Problem(
                .invalidParameter,
                "Above 0, filter needs filter_was: the filter of the last drain, `same`, or {} if it had none.")
        }
        return before == "same" ? request : request.from(try earlierPart(before, reader))
    }

    /// The part whose digest is asked for; nil for all rows. Throws `invalid_filter`.
    func partOfDigest(for user: Int64, _ registry: Registry, allowsProjects: Bool) throws -> PartRequest? {
        guard let filter = text("filter") else { return nil }
        let reader = PartReader(
            registry: registry, user: user, parameter: "filter", allowsProjects: allowsProjects)
        var request = PartRequest(try reader.part(filter))
        request.wantsDigest = true
        return request
    }

    private func earlierPart(_ text: String, _ reader: PartReader) throws -> Part {
        do {
            return try reader.part(text)
        } catch {
            throw Problem(
                .sinceExpired, "filter_was can't be read: the schema may have changed since. Resync from 0.")
        }
    }

    private func left() throws -> SegmentScan.Buckets {
        switch text("left") {
        case nil, "left": return .left
        case "deleted": return .deleted
        default: throw Problem(.invalidParameter, "left must be left or deleted.")
        }
    }
}

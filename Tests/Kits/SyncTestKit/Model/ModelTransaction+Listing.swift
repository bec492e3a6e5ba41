import SyncProtocol
import SyncSchema
import SyncStore

extension ModelTransaction {
    func ids(of listing: Listing) -> [String] {
        let query = listing.query
        let met = candidates(listing).filter { row in
            query.filters.allSatisfy { row.values[query.collection.position(of: $0.field)].isSame(as: $0.value) }
        }
        let places = met.map { (place: ListPlace(of: $0, in: query), id: $0.id) }
        let sorted = places.sorted { query.precedes($0.place, $1.place) }
        let following = sorted.filter { row in listing.after.map { query.precedes($0, row.place) } ?? true }
        return following.prefix(listing.limit).map(\.id)
    }

    private func candidates(_ listing: Listing) -> [StoredRow] {
        switch listing.scope {
        case .projects(let user): projects(of: user, after: "", limit: .max)
        case .rows(let rows, let project):
            list(listing.query.collection, project: project, rows: rows, after: .start, limit: .max)
        }
    }
}

extension ListQuery {
    fileprivate func precedes(_ one: ListPlace, _ other: ListPlace) -> Bool {
        for (key, (left, right)) in zip(keys, zip(one.keys, other.keys)) {
            if left.precedes(right) { return !key.isDescending }
            if right.precedes(left) { return key.isDescending }
        }
        return one.creation < other.creation
    }
}

extension JSON {
    fileprivate func isSame(as other: JSON) -> Bool {
        guard case (.string(let left), .string(let right)) = (self, other) else { return self == other }
        return ExactText(left) == ExactText(right)
    }

    fileprivate func precedes(_ other: JSON) -> Bool {
        switch (self, other) {
        case (.null, .null): false
        case (.null, _): true
        case (.bool(let left), .bool(let right)): !left && right
        case (.string(let left), .string(let right)): ExactText(left) < ExactText(right)
        default: (number ?? 0) < (other.number ?? 0) && !other.isNull
        }
    }
}

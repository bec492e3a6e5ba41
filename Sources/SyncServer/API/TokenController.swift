import SyncProtocol

extension Query {
    /// `user`: the id of a user; nil if absent. Throws `invalid_parameter`.
    func userID() throws -> Int64? {
        guard let text = text("user") else { return nil }
        guard let user = Int64(text), user > 0 else {
            throw Problem(.invalidParameter, "user must be the id of a user.")
        }
        return user
    }

    /// `limit` and `after` of a list that is ordered by integer ids. Throws `invalid_parameter`.
    func idPage() throws -> (limit: Int, after: Int64) {
        guard let after = Int64(text("after") ?? "0"), after >= 0 else {
            throw Problem(.invalidParameter, "after must be the next of the previous page.")
        }
        return (try limit(default: 100, maximum: 500), after)
    }

    /// The same for a list that begins with the greatest id. `before` is nil on the first page.
    func newestFirstPage() throws -> (limit: Int, before: Int64?) {
        let (limit, after) = try idPage()
        return (limit, after == 0 ? nil : after)
    }
}

extension Reply {
    /// A page of a list that is ordered by integer ids. `rows` has one row more than `limit` if there is another page.
    init(page rows: [JSON], limit: Int) {
        let last = rows.count > limit ? rows[limit - 1]["id"]?.int : nil
        self.init(results: rows.prefix(limit), next: last.map(String.init))
    }
}

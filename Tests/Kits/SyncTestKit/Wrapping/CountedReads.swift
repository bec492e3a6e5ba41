package import SyncStore

/// Says which of the reads that tell of a single row are made.
package enum CountedReads {
    /// The names of the reads that `body` makes on the transaction that it gets, in order.
    package static func calls(
        on transaction: any WriteTransaction, _ body: (any WriteTransaction) throws -> Void
    ) rethrows -> [String] {
        let noting = NotingTransaction(transaction)
        try body(noting)
        return noting.calls
    }
}

private final class NotingTransaction: ForwardingTransaction {
    private(set) var calls: [String] = []

    override func record(_ key: RowKey) throws -> StoredRow? {
        calls.append("record")
        return try super.record(key)
    }

    override func project(_ id: String) throws -> ProjectState? {
        calls.append("project")
        return try super.project(id)
    }

    override func access(project: String, user: Int64) throws -> Access? {
        calls.append("access")
        return try super.access(project: project, user: user)
    }
}

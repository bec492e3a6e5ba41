import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// The database may hold tables of others. They must not have names that Tidemark's tables and indexes need.
enum TakenNames {
    /// Throws a `StoreError` if somebody else's table, index, view or sequence has the name of a table or an index of
    /// the layouts. `own` are the collections that have a table already; nil in a database without Tidemark's tables.
    static func refuse(_ layouts: [TableLayout], own: Set<String>?, _ session: Session) throws {
        let wanted = layouts.flatMap { [$0.collection.name] + $0.indexes.keys }
        let taken = try session.ask(
            question + (own == nil ? " OR c.relname LIKE 'tidemark\\_%')" : ")") + " ORDER BY 1 LIMIT 1",
            [Parameters.list(wanted), Parameters.list(Array(own ?? []))], isKept: false
        ).first?.string(0)
        guard let taken else { return }
        throw StoreError(
            "The database already has \(taken), which Tidemark did not make and whose name it needs.",
            hint: "Rename that table or index, or give Tidemark a database of its own.")
    }

    /// The names among ?1 that are taken, without the tables ?2 and their indexes.
    private static let question = """
        SELECT CAST(c.relname AS TEXT) FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
          LEFT JOIN pg_class t ON t.oid = i.indrelid
        WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
          AND NOT COALESCE(t.relname, c.relname) = ANY(CAST(?2 AS TEXT[])) AND (c.relname = ANY(CAST(?1 AS TEXT[]))
        """
}

import SyncStore

/// What Tidemark needs of a PostgreSQL server and of its database.
enum ServerRequirements {
    /// The oldest server that all of this works on: `CREATE OR REPLACE TRIGGER` came with it. A number such as 150018.
    private static let oldest = 140_000

    /// Throws a `StoreError` if the server or the database can't be used. `name` is how the server calls its version.
    static func require(server: Int, _ name: String, encoding: String?, _ address: ServerAddress) throws(StoreError) {
        guard server >= oldest else {
            throw StoreError("PostgreSQL \(name) is too old.", hint: "Use PostgreSQL \(oldest / 10_000) or later.")
        }
        guard encoding == "UTF8" else {
            throw StoreError(
                "The database \(address) has the encoding \(encoding ?? "unknown").",
                hint: "Make one with: createdb --encoding=UTF8 --template=template0 NAME")
        }
    }

    /// What an operator should know of the cluster. `dataChecksums` is its setting.
    static func warnings(dataChecksums: String?) -> [String] {
        guard dataChecksums == "off" else { return [] }
        return [
            "The database cluster has no data checksums, so nobody finds out what a disk has changed. Stop it, and run "
                + "`pg_checksums --enable`."
        ]
    }
}

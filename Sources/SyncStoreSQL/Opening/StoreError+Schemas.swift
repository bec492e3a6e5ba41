package import SyncStore

extension StoreError {
    /// A command has other schema files than the server. It must not change tables that the server may be using.
    package static let otherSchemas = StoreError(
        "The database was made with other schema files.",
        hint: "Give the server's --schemas, or start the server with these files first.")
    package static let olderVersion = StoreError(
        "The database was made by an older version of Tidemark.",
        hint: "Start the server once with this version, then try again.")
}

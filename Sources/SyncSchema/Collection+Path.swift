extension Collection {
    /// Throws if the collection has the name of a path of the server. Older versions allowed these names, so a
    /// collection that a database already has keeps its name and its paths. The server's own answer below `/sync/` as
    /// well.
    package func requireFreePath() throws(SchemaError) {
        guard Naming.laterPaths.contains(name) else { return }
        throw SchemaError(
            file: name, pointer: "/title",
            reason: """
                \(name) is a path of the server, and the database has no such collection yet. Give the collection and \
                its file another name.
                """)
    }
}

/// What a server can do to its database besides serving it.
package struct Maintenance: Sendable {
    /// Nil if this server makes no backups.
    package var backups: Backups?
    /// Why there are none, and what to do, in sentences.
    package var withoutBackups = """
        No folder for backups is set. Set TIDEMARK_BACKUP_FOLDER, and start the server again.
        """
    /// Nil if the database can't be checked from here.
    package var checks: Checks?

    package init() {}
}

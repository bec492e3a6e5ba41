import SyncStore

extension Connection {
    /// Connects for a command that reads or writes whole tables. Throws a `StoreError`.
    static func forLongWork(_ address: ServerAddress, onlyReading: Bool = false) throws(StoreError) -> Connection {
        do {
            let connection = try Connection(
                address, settings: SessionSettings.copying, onlyReading: onlyReading)
            connection.patience = .seconds(24 * 3600)
            return connection
        } catch {
            throw StoreError(
                "Can't connect to the database \(address): \((error as? DatabaseError)?.message.trimmed ?? "").",
                hint: "Check the address, and that the server runs.")
        }
    }

    /// Throws a `StoreError` if the server or the database can't be used.
    func requireUsable(_ address: ServerAddress) throws(StoreError) {
        try ServerRequirements.require(
            server: serverVersion, parameter("server_version") ?? "", encoding: parameter("server_encoding"), address)
    }
}

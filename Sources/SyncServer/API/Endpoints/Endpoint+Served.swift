import SyncSchema

extension Endpoint {
    /// All endpoints of a server, in the order in which people read about them. A test checks that they are the routes.
    static func served(_ registry: Registry) -> [Endpoint] {
        [
            pull(registry), upload, userPull(registry), uploadAll, digest(registry), userDigest(registry), listRejected,
            dismissRejected, listAllRejected, dismissAnyRejected, events,
        ] + devices(registry) + [explain(registry), status(registry), audit(registry), listLostEdits(registry)]
            + storageEndpoints(registry) + upkeep(registry) + people(registry) + accounts
            + registry.collections.flatMap { items(of: $0) + [history(of: $0, registry)] }
            + [schemas, frontDoor, health, ready, metrics, openAPI, docs, console(registry)]
    }
}

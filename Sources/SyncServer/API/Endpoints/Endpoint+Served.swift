import SyncSchema

extension Endpoint {
    /// Everything that this server answers, in the order in which people read it. A test holds it equal to the routes.
    static func served(_ registry: Registry) -> [Endpoint] {
        [pull(registry), upload, digest(registry), listRejected, dismissRejected] + accounts
            + registry.collections.flatMap { items(of: $0) }
            + [schemas, frontDoor, health, ready, metrics, openAPI, docs]
    }
}

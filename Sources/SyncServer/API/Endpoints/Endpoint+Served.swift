import SyncSchema

extension Endpoint {
    /// Everything that this server answers, in the order in which people read it. A test holds it equal to the routes.
    static func served(_ registry: Registry) -> [Endpoint] {
        [health, ready, metrics, openAPI, docs] + accounts
            + [schemas, pull(registry), digest(registry), upload, listRejected, dismissRejected]
            + registry.collections.flatMap { items(of: $0) }
    }
}

import SyncProtocol
import SyncSchema

extension Collection {
    /// The least role that sees what the gate hides, the collection's own or its parent's; nil without one.
    func gateRole(_ registry: Registry) -> Role? {
        switch visibility {
        case .everyone, .own: nil
        case .gate(_, _, let needed): needed
        case .inherited(let field):
            self.field(field)?.reference.flatMap { registry[$0.collection] }?.gateRole(registry)
        }
    }
}

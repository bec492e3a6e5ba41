import SyncProtocol
import SyncSchema

extension Collection {
    /// The lowest role that sees what the gate hides. The gate is the
    /// collection's own or its parent's; nil without a gate.
    func gateRole(_ registry: Registry) -> Role? {
        switch visibility {
        case .everyone, .own: nil
        case .gate(_, _, let needed): needed
        case .inherited(let field):
            self.field(field)?.reference.flatMap { registry[$0.collection] }?.gateRole(registry)
        }
    }
    /// Whether who sees a row is decided by the row that this field refers to.
    func inherits(by field: Field) -> Bool {
        switch visibility {
        case .everyone, .own, .gate: false
        case .inherited(let name): name == field.name
        }
    }
}

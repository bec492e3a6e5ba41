/// Mistakes that a server could make with explanations.
package enum PlantedExplainBug: String, Sendable, CaseIterable {
    /// An explanation does not know of gates.
    case gatesNotSeen = "gates-not-seen"
    /// An explanation takes a tombstone's last change for older than it is.
    case tombstonesAreOld = "tombstones-are-old"
    /// An explanation takes a tombstone for a live row.
    case tombstonesNotSeen = "tombstones-not-seen"
}

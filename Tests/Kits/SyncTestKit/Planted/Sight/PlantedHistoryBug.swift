/// Mistakes that a server could make with histories of rows.
package enum PlantedHistoryBug: String, Sendable, CaseIterable {
    /// Every membership counts from the project's beginning.
    case membershipsHaveNoBegin = "memberships-have-no-begin"
    /// A gate that is open now counts as having been open always.
    case gatesWereAlwaysOpen = "gates-were-always-open"
}

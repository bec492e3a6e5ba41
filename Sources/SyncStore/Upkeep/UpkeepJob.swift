/// Work beside requests that one server at a time does.
package enum UpkeepJob: Sendable, CaseIterable {
    /// Deletes what is old enough.
    case purge
}

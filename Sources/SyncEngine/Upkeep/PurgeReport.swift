/// What a purge removed.
package struct PurgeReport: Sendable, Equatable {
    package var tombstones = 0
    /// Number of projects that lost tombstones.
    package var projects = 0

    package init() {}
}

import SyncProtocol

/// A transaction went on with counters of a project that it has moved itself.
package struct StaleProject: Error {
    package init() {}
}

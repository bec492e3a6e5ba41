/// Thrown when a transaction draws a commit number from a `ProjectState` that is no longer current.
package struct StaleProject: Error {
    package init() {}
}

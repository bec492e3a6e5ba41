import Synchronization

/// How far a run is.
package struct LoadProgress: Sendable, Equatable {
    package var requests = 0
    package var mistakes = 0
    package var finishedClients = 0
    /// Since the clients began.
    package var seconds = 0.0
}

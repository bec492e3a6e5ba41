import Synchronization

/// How far a run has come.
package struct LoadProgress: Sendable, Equatable {
    package var requests = 0
    package var mistakes = 0
    /// How many clients have nothing left to do.
    package var finishedClients = 0
    /// Seconds since the clients began.
    package var seconds = 0.0
}

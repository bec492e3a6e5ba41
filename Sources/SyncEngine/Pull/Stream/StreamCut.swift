/// Why a stream ended before its end.
package enum StreamCut: Error, Equatable {
    /// The client took nothing for too long.
    case stalled
    /// The client is gone.
    case abandoned
}

/// Why a stream broke off.
package enum StreamCut: Error, Equatable {
    /// The client took nothing for too long.
    case stalled
    /// The client is gone.
    case abandoned
}

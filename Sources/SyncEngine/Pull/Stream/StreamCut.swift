/// Why a stream broke off.
package enum StreamCut: Error, Equatable {
    /// The client took nothing for too long.
    case stalled
    /// So much was written during the stream that the store can't wait for it any longer.
    case outgrown
    /// The client is gone.
    case abandoned
}

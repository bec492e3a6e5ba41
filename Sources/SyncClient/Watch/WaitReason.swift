/// Why there are waiting pulls instead of events.
public enum WaitReason: Sendable, Equatable {
    /// Something between the server and this client, mostly a proxy, holds back events.
    case heldBack
    /// The server has no events: it is an older version.
    case unsupported
    /// The transport can't stream.
    case noStreaming
    /// The stream was refused, or breaks again and again. The value is a sentence for a person.
    case refused(String)
}

extension WaitReason: CustomStringConvertible {
    /// A sentence for a person.
    public var description: String {
        switch self {
        case .heldBack: "A proxy on the way holds back events."
        case .unsupported: "The server has no events; it is an older version."
        case .noStreaming: "This client can't read events."
        case .refused(let detail): detail
        }
    }
}

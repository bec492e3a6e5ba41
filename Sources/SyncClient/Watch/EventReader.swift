import Foundation
import SyncProtocol

/// Reads one event stream, from its opening to its end.
struct EventReader: Sendable {
    let session: Session
    /// The id of the last event of an earlier stream.
    let lastEvent: String?

    /// Calls `tell` for all that happens, with the last id of the stream. Returns at the end of the stream.
    func run(_ tell: (WatchLoop.Event, String?) -> Void) async {
        var parser = EventParser()
        do {
            guard let stream = try await session.open(session.remote.events(after: lastEvent)) else {
                return tell(.cannotStream, nil)
            }
            guard stream.isOfEvents else {
                let response = try await stream.collected(upTo: 64 << 10)
                return tell(.refused(Verdict(response) { _ in UnreadBody() }, status: stream.status), nil)
            }
            tell(.opened, nil)
            for try await bytes in stream.body {
                let events = try parser.read(bytes)
                tell(.heard(events, retry: parser.retry.map { .milliseconds($0) }), parser.lastID)
            }
            tell(.ended(.interrupted("the server closed it")), parser.lastID)
        } catch {
            guard !Task.isCancelled else { return }
            tell(.ended(error as? TransportError ?? .interrupted("the answer was cut")), parser.lastID)
        }
    }
}

extension TransportStream {
    package var isOfEvents: Bool {
        status == 200 && headers["content-type"]?.lowercased().hasPrefix("text/event-stream") == true
    }
}

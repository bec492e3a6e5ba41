package import Logging
import SyncProtocol
package import SyncStore

/// Writes one line for each event, as text or as JSON. An event never takes several lines: a text that is not
/// plain ASCII is written as a JSON string. Metadata that are `.stringConvertible` numbers stay numbers in JSON.
package struct ServerLog: LogHandler {
    package enum Format: String, Sendable, CaseIterable {
        case text, json
    }

    /// The metadata key for Hummingbird's request id. It is logged as `request_id`.
    static let requestID = "hb.request.id"

    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel = Logger.Level.notice
    private let format: Format
    private let clock: WallClock
    private let write: @Sendable (String) -> Void

    /// `write` gets each line without a line break, from any thread.
    package init(format: Format, clock: WallClock = .system, write: @escaping @Sendable (String) -> Void) {
        self.format = format
        self.clock = clock
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let time = clock.now().text
        var members = members(event)
        switch format {
        case .json:
            members["time"] = .string(time)
            members["level"] = .string(event.level.rawValue)
            members["message"] = .string(event.message.description)
            write(JSON.object(members).text)
        case .text:
            let pairs = members.sorted { $0.key < $1.key }.map { " \($0.key)=\(ServerLog.word($0.value))" }
            write("\(time) \(event.level.rawValue) \(ServerLog.line(event.message.description))\(pairs.joined())")
        }
    }

    private func members(_ event: LogEvent) -> [String: JSON] {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        if let id = all.removeValue(forKey: ServerLog.requestID) { all["request_id"] = id }
        return all.mapValues(JSON.init(logged:))
    }

    private static func word(_ value: JSON) -> String {
        guard case .string(let text) = value, isPlain(text, besides: "") else { return value.text }
        return text
    }

    private static func line(_ text: String) -> String { isPlain(text, besides: " ") ? text : JSON.string(text).text }

    private static func isPlain(_ text: String, besides more: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                more.unicodeScalars.contains(scalar)
                    || scalar.value > 0x20 && scalar.value < 0x7F && !"\"=\\".unicodeScalars.contains(scalar)
            }
    }
}

extension JSON {
    fileprivate init(logged value: Logger.Metadata.Value) {
        switch value {
        case .string(let text): self = .string(text)
        case .stringConvertible(let value as any BinaryInteger): self = .int(Int64(clamping: value))
        case .stringConvertible(let value as Double) where value.isFinite: self = JSON(value)
        case .stringConvertible(let value as Bool): self = .bool(value)
        case .stringConvertible(let value): self = .string(value.description)
        case .array(let values): self = .array(values.map(JSON.init(logged:)))
        case .dictionary(let members): self = .object(members.mapValues(JSON.init(logged:)))
        }
    }
}

/// The operator's settings for the log.
package struct LogSettings: Sendable, Equatable {
    /// The lowest level that is logged; `TIDEMARK_LOG_LEVEL`.
    package var level = Logger.Level.notice
    /// The format of a line; `TIDEMARK_LOG_FORMAT`.
    package var format = ServerLog.Format.text
    /// Whether each request is logged, whatever `level` is, and not only at `debug`; `TIDEMARK_LOG_REQUESTS`.
    package var requests = false

    package init() {}

    /// The level of the line that each request gets.
    var requestLevel: Logger.Level { requests ? .info : .debug }

    /// A logger that hands each line to `write`. If requests are to be logged, its level is `info` or lower.
    package func logger(write: @escaping @Sendable (String) -> Void) -> Logger {
        var logger = Logger(label: "tidemark") { _ in ServerLog(format: format, write: write) }
        logger.logLevel = requests ? min(level, .info) : level
        return logger
    }
}

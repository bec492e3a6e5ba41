package import Logging

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

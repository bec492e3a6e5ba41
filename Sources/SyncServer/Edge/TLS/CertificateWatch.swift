import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the certificate again every minute and on SIGHUP, in case its files have
/// changed. If the new one can't be used, that is logged and the old one stays.
struct CertificateWatch: Service {
    enum Occasion {
        case time
        /// SIGHUP: files that failed before are tried again.
        case signal
    }

    private let certificates: Certificates
    private let logger: Logger
    private let occasions: @Sendable () async -> AsyncStream<Occasion>

    init(
        _ certificates: Certificates, logger: Logger,
        occasions: @escaping @Sendable () async -> AsyncStream<Occasion> = CertificateWatch.minutesAndSignals
    ) {
        self.certificates = certificates
        self.logger = logger
        self.occasions = occasions
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await occasion in await occasions() { reload(occasion) }
        }
    }

    private func reload(_ occasion: Occasion) {
        do {
            if try certificates.reload(again: occasion == .signal) { logger.notice("a new certificate is in use") }
        } catch {
            logger.error("the new certificate can't be used; the old one stays", metadata: ["error": "\(error)"])
        }
    }

    private static func minutesAndSignals() async -> AsyncStream<Occasion> {
        let (stream, occasions) = AsyncStream.makeStream(of: Occasion.self)
        let signals = await UnixSignalsSequence(trapping: .sighup)
        let tasks = [
            Task { for await _ in signals { occasions.yield(.signal) } },
            Task { while (try? await Task.sleep(for: .seconds(60))) != nil { occasions.yield(.time) } },
        ]
        occasions.onTermination = { _ in for task in tasks { task.cancel() } }
        return stream
    }
}

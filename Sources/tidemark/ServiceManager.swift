import Foundation
import ServiceLifecycle

/// Tells systemd how the server is: that it listens, that the process lives, and that it stops.
/// https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
///
/// The watchdog is answered by the process, not by the database: a slow disk is no reason to kill it.
struct ServiceManager: Service {
    /// The socket that systemd names; `@` stands for an abstract one.
    private let socket: String
    /// Half of the time within which the watchdog waits for a sign of life. Nil if there is none.
    private let interval: Duration?

    /// Nil if the process was not started by systemd, or by a unit of another type.
    init?(environment: [String: String]) {
        guard let socket = Variables.value(of: "NOTIFY_SOCKET", in: environment), "/@".contains(socket.prefix(1))
        else { return nil }
        self.socket = socket
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        interval = isMeant && limit > 0 ? .microseconds(limit) / 2 : nil
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if interval != nil { tell("WATCHDOG=1") }
                do { try await Task.sleep(for: interval ?? .seconds(3600)) } catch { break }
            }
        }
        tell("STOPPING=1")
    }

    /// Says that the server listens.
    func tellReady(_ status: String) { tell("READY=1\nSTATUS=\(status)") }

    /// A message that can't be sent is not missed: systemd ends a service that it does not hear of.
    private func tell(_ message: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(socket.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                message.withCString {
                    sendto(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL), address, length)
                }
            }
        }
    }
}

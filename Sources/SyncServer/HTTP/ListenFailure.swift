import Foundation
import NIOCore

/// Why the server can't listen or has stopped, and what to do about it.
package struct ListenFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ error: any Error, host: String, port: Int) {
        description =
            switch error {
            case let error as IOError: ListenFailure.text(error.errnoCode, host: host, port: port)
            case is SocketAddressError.UnknownHost:
                "There is no host \(host). Give an address of this machine: --host 127.0.0.1, "
                    + "or --host 0.0.0.0 for all addresses."
            default: "Can't serve on \(host):\(port): \(error)"
            }
    }

    private static func text(_ code: CInt, host: String, port: Int) -> String {
        switch code {
        case EADDRINUSE:
            "Another program listens on \(host):\(port). Stop it, or choose another port with --port; "
                + "--port 0 takes a free one."
        case EADDRNOTAVAIL:
            "\(host) is not an address of this machine. Choose one: --host 127.0.0.1, "
                + "or --host 0.0.0.0 for all addresses."
        case EACCES, EPERM:
            "The user \(NSUserName()) may not listen on \(host):\(port). Choose a port from 1024 on with --port."
        default: "Can't serve on \(host):\(port): \(String(cString: strerror(code)))."
        }
    }
}

import Foundation
import NIOSSL

/// What the two files hold.
struct PEMPair: Equatable {
    let certificate: [UInt8]
    let key: [UInt8]
}

import Foundation
import NIOSSL

/// The content of the two files.
struct PEMPair: Equatable {
    let certificate: [UInt8]
    let key: [UInt8]
}

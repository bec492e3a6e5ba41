import Crypto
import CryptoExtras
import Foundation
import SyncProtocol

/// A password as it is stored: `$scrypt$ln=15,r=8,p=1$salt$hash`, in the PHC
/// string format (https://github.com/P-H-C/phc-string-format). It names its own
/// cost, so the cost can rise while old hashes stay valid.
struct ScryptHash {
    private static let saltBytes = 16
    private static let keyBytes = 32
    let cost: PasswordCost
    private let salt: Data
    private let key: SymmetricKey

    /// Derives the key with a random salt.
    init(of password: String, cost: PasswordCost) throws {
        self.cost = cost
        salt = SymmetricKey(size: .init(bitCount: ScryptHash.saltBytes * 8)).data
        key = try ScryptHash.derive(password, salt: salt, cost: cost)
    }

    /// A hash that no known password has, and that takes as long to compare with as a real one.
    init(decoyOf cost: PasswordCost) {
        self.cost = cost
        salt = SymmetricKey(size: .init(bitCount: ScryptHash.saltBytes * 8)).data
        key = SymmetricKey(size: .bits256)
    }

    /// Nil unless the text has the form that `text` writes.
    init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt",
            let cost = PasswordCost(parts[2]), let salt = PHCBase64.decode(parts[3]),
            let key = PHCBase64.decode(parts[4]),
            key.count == ScryptHash.keyBytes
        else { return nil }
        self.cost = cost
        self.salt = salt
        self.key = SymmetricKey(data: key)
    }

    var text: String {
        "$scrypt$ln=\(cost.logRounds),r=\(cost.blockSize),p=\(cost.parallelism)"
            + "$\(PHCBase64.encode(salt))$\(PHCBase64.encode(key.data))"
    }

    /// Compares in constant time, as `==` of `SymmetricKey` does.
    func matches(_ password: String) throws -> Bool {
        try ScryptHash.derive(password, salt: salt, cost: cost) == key
    }

    private static func derive(_ password: String, salt: Data, cost: PasswordCost) throws -> SymmetricKey {
        try KDF.Scrypt.deriveKey(
            from: Data(password.utf8), salt: salt, outputByteCount: keyBytes, rounds: 1 << cost.logRounds,
            blockSize: cost.blockSize, parallelism: cost.parallelism)
    }
}

extension PasswordCost {
    /// `ln=15,r=8,p=1`.
    fileprivate init?(_ text: Substring) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let names = ["ln=", "r=", "p="]
        let numbers = zip(parts, names).compactMap { PasswordCost.number(after: $1, in: $0) }
        guard parts.count == 3, numbers.count == 3, numbers[0] < 100 else { return nil }
        self.init(logRounds: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
    }

    private static func number(after name: String, in text: Substring) -> Int? {
        let digits = text.dropFirst(name.count)
        guard text.hasPrefix(name), (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        return Int(digits)
    }
}

/// Base64 without padding.
private enum PHCBase64 {
    static func encode(_ data: Data) -> String { data.base64EncodedString().replacing("=", with: "") }

    static func decode(_ text: some StringProtocol) -> Data? {
        Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }
}

extension SymmetricKey {
    /// The key's bytes.
    var data: Data { withUnsafeBytes { Data($0) } }
}

/// The cost of a derivation with scrypt (RFC 7914).
package struct PasswordCost: Sendable, Equatable {
    /// Binary logarithm of the rounds.
    package let logRounds: Int
    package let blockSize: Int
    package let parallelism: Int

    package init(logRounds: Int, blockSize: Int, parallelism: Int) {
        self.logRounds = logRounds
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// Takes 32 MiB of memory, and about a tenth of a second.
    package static let standard = PasswordCost(logRounds: 15, blockSize: 8, parallelism: 1)
}

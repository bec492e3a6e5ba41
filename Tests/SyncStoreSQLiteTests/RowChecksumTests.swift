import Foundation
import GRDB
import SyncTestKit
import Testing

@testable import SyncStoreSQLite

/// Checksums in files of every version are compared with those that this one computes, so they never change.
@Suite struct RowChecksumTests {
    /// CRC-32 bit by bit.
    private static func crc(_ bytes: [UInt8]) -> Int64 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return Int64(~crc)
    }

    /// A value as it is counted: its type, then its content or its length.
    private static func record(_ value: DatabaseValue) -> [UInt8] {
        func number(_ type: UInt8, _ content: UInt64) -> [UInt8] {
            [type] + withUnsafeBytes(of: content.littleEndian) { Array($0) }
        }
        switch value.storage {
        case .null: return number(3, 0)
        case .int64(let integer): return number(1, UInt64(bitPattern: integer))
        case .double(let double):
            let whole = Int64(exactly: double)
            return whole.map { number(1, UInt64(bitPattern: $0)) } ?? number(2, double.bitPattern)
        case .string(let text): return number(4, UInt64(text.utf8.count)) + Array(text.utf8)
        case .blob(let data): return number(4, UInt64(data.count)) + Array(data)
        }
    }

    private static func value(_ random: inout SeededGenerator) -> DatabaseValue {
        switch random.below(6) {
        case 0: .null
        case 1: Int64.random(in: .min ... .max, using: &random).databaseValue
        case 2: Double.random(in: -1e9...1e9, using: &random).databaseValue
        case 3: Double(Int.random(in: -9...9, using: &random)).databaseValue
        default:
            String(
                repeating: random.pick(["a", "é", "😀"])!, count: random.pick([0, 1, 36, 113, 300, 1015, 1024, 5000])!
            )
            .databaseValue
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func theyAreThoseOfAllBytesInARow(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try RowChecksum.register(on: db)
            for _ in 0..<60 {
                let values = (0..<random.pick([1, 2, 12, 48, 100])!).map { _ in Self.value(&random) }
                let terms = RowChecksum.expression(of: values.map { _ in "?" })
                let sum = try Int64.fetchOne(
                    db, sql: "SELECT \(terms)", arguments: StatementArguments(values))
                #expect(sum == Self.crc(values.flatMap(Self.record)), "seed \(seed): \(values)")
            }
        }
    }
}

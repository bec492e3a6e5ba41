import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol
import SyncSchema
import Testing

@testable import SyncServer

/// How parameters of a pull are read.
@Suite struct QueryTests {
    private func query(_ text: String) throws -> Query {
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/sync/?" + text)
        return try Query(Request(head: head, body: RequestBody(buffer: ByteBuffer())))
    }

    @Test(
        arguments: [
            ("", 0), ("since=7", 7), ("last_pulled_at=", 0), ("last_pulled_at=null", 0), ("last_pulled_at=0", 0),
            ("last_pulled_at=7", 7), ("last_pulled_at=7&since=7", 7), ("last_pulled_at=null&since=0", 0),
            ("last_pulled_at=9007199254740991", 9_007_199_254_740_991),
        ]) func lastPulledAtIsAnotherNameForSince(text: String, watermark: Int64) throws
    {
        #expect(try query(text).watermark() == SyncSeq(watermark))
    }

    @Test(arguments: ["-1", "1.5", "abc", "undefined", "9007199254740992", "+1"])
    func aLastPulledAtThatIsNoSinceIsRefused(text: String) throws {
        let problem = #expect(throws: Problem.self) { try query("last_pulled_at=\(text)").watermark() }
        #expect(problem?.code == .invalidSince)
    }

    @Test func twoWatermarksAreRefused() throws {
        let problem = #expect(throws: Problem.self) { try query("last_pulled_at=7&since=8").watermark() }
        #expect(problem?.code == .invalidParameter)
    }

    @Test func whoUsesTheNameOfWatermelonDBGetsItsEncoding() throws {
        #expect(try query("").encoding() == .json)
        #expect(try query("last_pulled_at=null").encoding() == .watermelondb)
        #expect(try query("last_pulled_at=7&encoding=json").encoding() == .json)
        #expect(try query("encoding=watermelondb").encoding() == .watermelondb)
    }

    @Test(
        arguments: [
            ("", 500), ("page_size=1000", 1000), ("page_size=0", 1), ("page_size=-3", 1), ("page_size=007", 7),
            ("page_size=1e2", 100), ("page_size=2.5E%2B1", 25), ("page_size=12.9", 12), ("page_size=99999", 5000),
            ("page_size=99999999999999999999", 5000), ("page_size=1e-400", 1), ("page_size=-0", 1),
        ]) func aPageSizeIsAnyNumberAndIsClamped(text: String, size: Int) throws
    {
        #expect(try query(text).pageSize(default: 500, maximum: 5000) == size)
    }

    @Test(arguments: [
        "", "abc", "1.", ".5", "1e", "1e+", "+1", "--1", "0x10", "nan", "inf", "-", "1_000", "%D9%A3", "1%20", "%201",
        "1e999",
        "1.5.2", "1e1e1",
    ])
    func whatIsNoNumberIsNoPageSize(text: String) throws {
        let problem = #expect(throws: Problem.self) {
            try query("page_size=\(text)").pageSize(default: 500, maximum: 5000)
        }
        #expect(problem?.code == .invalidPageSize)
    }
}

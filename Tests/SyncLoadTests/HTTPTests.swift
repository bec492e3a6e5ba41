import NIOCore
import Testing

@testable import SyncLoad

@Suite struct HTTPTests {
    private static let answers =
        "HTTP/1.1 200 OK\r\ncontent-LENGTH: 5\r\nContent-Encoding: gzip\r\n\r\nhello"
        + "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        + "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n"
        + "HTTP/1.1 204 No Content\r\n\r\n"

    private func read(_ text: String, pieces: Int) throws -> [(head: AnswerHead, body: String)] {
        var (parser, answers) = (AnswerParser(), [(head: AnswerHead, body: String)]())
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            parser.append(ByteBuffer(bytes: bytes[start..<min(bytes.count, start + pieces)]))
            while let event = try parser.next() {
                switch event {
                case .head(let head): answers.append((head, ""))
                case .body(let part): answers[answers.count - 1].body += String(buffer: part)
                case .end: answers[answers.count - 1].body += "."
                }
            }
        }
        return answers
    }

    @Test(arguments: [1, 2, 3, 17, 1000])
    func answersAreReadHoweverTheyAreCut(pieces: Int) throws {
        let answers = try read(Self.answers, pieces: pieces)
        #expect(answers.map(\.head.status) == [200, 404, 204])
        #expect(answers.map(\.body) == ["hello.", "abcde.", "."])
        #expect(answers.map(\.head.isGzip) == [true, false, false])
        #expect(answers.map(\.head.keepsAlive) == [true, false, true])
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ])
    func whatIsNoAnswerIsRefused(text: String) {
        #expect(throws: AnswerParser.Malformed.self) { try read(text, pieces: 1000) }
    }

    @Test func urlsAreTakenApart() {
        #expect(LoadTarget("http://[::1]:8080/x/")?.authority == "[::1]:8080")
        #expect(LoadTarget("http://a")?.port == 80)
        #expect(LoadTarget("http://a/api/v1/")?.base == "/api/v1")
        #expect(LoadTarget("http://a/t")?.base == "/t/api/v1")
        for text in ["", "a", "https://a", "http://", "ftp://a"] { #expect(LoadTarget(text) == nil) }
    }

    @Test(arguments: [0, 1, 31, 32, 33, 100])
    func aHashDoesNotDependOnTheCuts(cut: Int) {
        let bytes = (0..<200).map { UInt8($0) }
        var hash = XXHash64()
        bytes[..<cut].withUnsafeBytes { hash.update($0) }
        bytes[cut...].withUnsafeBytes { hash.update($0) }
        #expect(hash.value == bytes.withUnsafeBytes { XXHash64.of($0) })
    }

    /// The values come from the reference implementation.
    @Test(arguments: [
        ("", 0xEF46_DB37_51D8_E999), ("abc", 0x44BC_2CF5_AD77_0999),
        ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1 as UInt64),
    ])
    func theHashIsXXH64(text: String, value: UInt64) {
        #expect(Array(text.utf8).withUnsafeBytes { XXHash64.of($0) } == value)
    }

    @Test func aNeedleIsFoundWhereItIs() {
        let text = Array("ababcabcabd abcabd".utf8)
        text.withUnsafeBytes { bytes in
            #expect(BytePattern("abcabd").first(in: bytes) == 5)
            #expect(BytePattern("abcabd").last(in: bytes) == 12)
            #expect(BytePattern("abcabe").first(in: bytes) == nil)
            #expect(BytePattern("longer than all of the text").first(in: bytes) == nil)
            #expect(BytePattern("longer than all of the text").last(in: bytes) == nil)
        }
    }
}

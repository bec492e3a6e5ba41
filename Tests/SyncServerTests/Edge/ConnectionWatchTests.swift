import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Testing

@testable import SyncServer

/// Which clients are too slow, by a clock that the test moves.
@Suite struct ConnectionWatchTests {
    private var watch: ConnectionWatch
    private let head = HTTPRequestPart.head(
        HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/"))
    private let waitingHead = HTTPRequestPart.head(
        HTTPRequest(
            method: .post, scheme: "http", authority: "a", path: "/", headerFields: [.expect: "100-continue"]))
    private let part = HTTPRequestPart.body(ByteBuffer(string: "x"))
    private let answerHead = HTTPResponsePart.head(HTTPResponse(status: .ok))

    init() {
        var limits = EdgeLimits()
        (limits.idle, limits.stall, limits.transfer) = (.seconds(75), .seconds(30), .seconds(600))
        limits.body = limits.transfer
        watch = ConnectionWatch(limits, at: .uptimeNanoseconds(0))
    }

    private func second(_ seconds: UInt64) -> NIODeadline { .uptimeNanoseconds(seconds * 1_000_000_000) }

    private mutating func isOverdue(at seconds: UInt64, unsent: Int = 0) -> Bool {
        watch.isOverdue(at: second(seconds), unsent: unsent)
    }

    /// A request without a body, and its answer.
    private mutating func exchange(at seconds: UInt64) {
        watch.came(head, at: second(seconds))
        watch.came(.end(nil), at: second(seconds))
        watch.wrote(answerHead, at: second(seconds))
        watch.wrote(.end(nil), at: second(seconds))
    }

    @Test mutating func aConnectionWithoutARequestIsOverdueWhenTheTimeIsOver() {
        watch.asked(at: second(0))
        #expect(!isOverdue(at: 74))
        #expect(isOverdue(at: 75))
        exchange(at: 76)
        #expect(!isOverdue(at: 150))
        #expect(isOverdue(at: 151))
    }

    @Test mutating func theServersOwnTimeDoesNotCount() {
        watch.came(head, at: second(0))
        watch.came(.end(nil), at: second(0))
        #expect(!isOverdue(at: 100_000))
    }

    private let fileHead = HTTPRequestPart.head(
        HTTPRequest(method: .put, scheme: "http", authority: "a", path: "/projects/p/files/0/"))

    /// A file comes, so many bytes each second, and the server takes each part at once.
    private mutating func file(_ bytes: Int, from begin: UInt64, to end: UInt64) -> UInt64? {
        let part = HTTPRequestPart.body(ByteBuffer(repeating: 0, count: bytes))
        for now in begin..<end {
            watch.asked(at: second(now))
            if isOverdue(at: now) { return now }
            watch.came(part, at: second(now + 1))
        }
        return nil
    }

    @Test mutating func aFileMayTakeHours() {
        watch.came(fileHead, at: second(0))
        #expect(file(16 << 10, from: 0, to: 10_000) == nil)
    }

    @Test mutating func aFileThatComesTooSlowlyIsOverdueAfterAMinute() {
        watch.came(fileHead, at: second(0))
        #expect(file(16 << 10, from: 0, to: 600) == nil)
        #expect(file(15 << 10, from: 600, to: 700) == 660)
    }

    @Test mutating func aFileThatStopsIsOverdue() {
        watch.came(fileHead, at: second(0))
        #expect(file(1 << 20, from: 0, to: 10) == nil)
        watch.asked(at: second(10))
        #expect(!isOverdue(at: 39))
        #expect(isOverdue(at: 40))
    }

    /// A disk that is slow costs no client its upload.
    @Test mutating func theTimeOfTheDiskDoesNotCountForAFile() {
        watch.came(fileHead, at: second(0))
        for minute in 0..<100 as Range<UInt64> {
            #expect(!isOverdue(at: minute * 60 + 50))
            watch.asked(at: second(minute * 60 + 59))
            watch.came(.body(ByteBuffer(repeating: 0, count: 20_000)), at: second(minute * 60 + 60))
        }
    }

    /// Nobody has a place for it who shows no token: the server never asks for the body.
    @Test mutating func aFileThatIsNotAskedForIsOverdueAsEver() {
        watch.came(fileHead, at: second(0))
        #expect(!isOverdue(at: 599))
        #expect(isOverdue(at: 600))
    }

    @Test mutating func aFileMayBeReadSlowly() {
        let fields: HTTPFields = [.contentLength: String(100 << 20), .acceptRanges: "bytes"]
        exchange(at: 0)
        watch.came(head, at: second(0))
        watch.came(.end(nil), at: second(0))
        watch.wrote(.head(HTTPResponse(status: .ok, headerFields: fields)), at: second(0))
        // 6,400 seconds at 16 KiB each.
        for now in stride(from: 0, to: 6390, by: 10) as StrideTo<UInt64> {
            #expect(!isOverdue(at: now, unsent: Int(10_000 - now)))
        }
        #expect(isOverdue(at: 6400, unsent: 1))
    }

    @Test mutating func aBodyThatStopsIsOverdue() {
        watch.came(head, at: second(0))
        watch.asked(at: second(1))
        #expect(!isOverdue(at: 30))
        watch.came(part, at: second(30))
        watch.asked(at: second(30))
        #expect(!isOverdue(at: 59))
        #expect(isOverdue(at: 60))
    }

    @Test mutating func aBodyThatTricklesIsOverdueInTheEnd() {
        watch.came(head, at: second(0))
        for moment in stride(from: UInt64(0), to: 600, by: 20) {
            watch.asked(at: second(moment))
            #expect(!isOverdue(at: moment))
            watch.came(part, at: second(moment))
        }
        #expect(isOverdue(at: 600))
    }

    /// Overdue at the second, though a byte comes every 10 seconds.
    private mutating func expectOverdue(at end: UInt64, after head: HTTPRequestPart, _ first: Int = 1) {
        watch.came(head, at: second(0))
        watch.asked(at: second(0))
        for moment in stride(from: UInt64(1), to: end, by: 10) {
            watch.asked(at: second(moment))
            watch.came(.body(ByteBuffer(repeating: 0, count: moment == 1 ? first : 1)), at: second(moment))
            watch.asked(at: second(moment))
            #expect(!isOverdue(at: min(moment + 9, end - 1)))
        }
        #expect(isOverdue(at: end))
    }

    private func head(announcing bytes: Int) -> HTTPRequestPart {
        .head(
            HTTPRequest(
                method: .post, scheme: "http", authority: "a", path: "/",
                headerFields: [.contentLength: String(bytes)]))
    }

    @Test(arguments: [(100, 60), (81_920, 70), (1 << 20, 188), (16 << 20, 600), (Int.max, 600)])
    mutating func aWholeBodyHasAMinuteAndASecondForEachEightKilobytes(bytes: Int, seconds: Int) {
        var limits = EdgeLimits()
        (limits.idle, limits.stall, limits.transfer) = (.seconds(75), .seconds(30), .seconds(600))
        watch = ConnectionWatch(limits, at: .uptimeNanoseconds(0))
        expectOverdue(at: UInt64(seconds), after: head(announcing: bytes))
    }

    @Test mutating func theTimeOfABodyBeginsWhenTheServerAsksForIt() {
        watch = ConnectionWatch(EdgeLimits(), at: .uptimeNanoseconds(0))
        watch.came(head(announcing: 100), at: second(0))
        #expect(!isOverdue(at: 300))
        watch.asked(at: second(300))
        for moment in stride(from: UInt64(310), to: 360, by: 10) {
            watch.came(part, at: second(moment))
            watch.asked(at: second(moment))
            #expect(!isOverdue(at: moment + 9))
        }
        #expect(isOverdue(at: 360))
    }

    @Test mutating func ofABodyWithoutALengthCountsWhatHasCome() {
        watch = ConnectionWatch(EdgeLimits(), at: .uptimeNanoseconds(0))
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "a", path: "/", headerFields: [.transferEncoding: "chunked"])
        expectOverdue(at: 70, after: .head(head), 81_920)
    }

    @Test mutating func aBodyThatTheServerDoesNotAskForIsNotOverdue() {
        watch.asked(at: second(0))
        watch.came(head, at: second(0))
        #expect(!isOverdue(at: 599))
        watch.asked(at: second(599))
        #expect(!isOverdue(at: 599))
    }

    @Test mutating func aClientThatWaitsToBeAskedIsNotOverdueBefore() {
        watch.came(waitingHead, at: second(0))
        watch.asked(at: second(0))
        // Other interim answers ask for nothing.
        watch.wrote(.head(HTTPResponse(status: .init(code: 104))), at: second(10))
        #expect(!isOverdue(at: 5000))
        watch.wrote(.head(HTTPResponse(status: .continue)), at: second(5000))
        #expect(!isOverdue(at: 5029))
        #expect(isOverdue(at: 5030))
    }

    @Test mutating func anAnswerThatIsNotReadIsOverdue() {
        exchange(at: 10)
        #expect(!isOverdue(at: 39, unsent: 5000))
        #expect(!isOverdue(at: 68, unsent: 4999))
        #expect(!isOverdue(at: 97, unsent: 4999))
        #expect(isOverdue(at: 98, unsent: 4999))
    }

    @Test mutating func anAnswerThatIsReadByTheByteIsOverdueInTheEnd() {
        exchange(at: 0)
        for moment in 1..<UInt64(600) { #expect(!isOverdue(at: moment, unsent: 5000 - Int(moment))) }
        #expect(isOverdue(at: 600, unsent: 4400))
    }

    /// Endless requests whose answers nobody reads: the second answer can't be written.
    @Test mutating func answersThatAreNotReadAreOverdueThoughRequestsWait() {
        exchange(at: 0)
        watch.came(head, at: second(0))
        watch.came(.end(nil), at: second(0))
        #expect(!isOverdue(at: 29, unsent: 5000))
        #expect(isOverdue(at: 59, unsent: 5000))
    }

    /// The end of the answer waits until the client has read.
    @Test mutating func aPageThatIsNotReadIsOverdueThoughItsEndIsNotWritten() {
        watch.came(head, at: second(0))
        watch.came(.end(nil), at: second(0))
        watch.wrote(.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "5000"])), at: second(20))
        watch.wrote(.body(ByteBuffer(string: "x")), at: second(20))
        #expect(!isOverdue(at: 49, unsent: 5000))
        #expect(isOverdue(at: 50, unsent: 5000))
        for moment in 51..<UInt64(620) { #expect(!isOverdue(at: moment, unsent: 5000 - Int(moment))) }
        #expect(isOverdue(at: 620, unsent: 4000))
    }

    @Test mutating func aStreamThatIsStillWrittenHasLimitsOfItsOwn() {
        watch.came(head, at: second(0))
        watch.came(.end(nil), at: second(0))
        watch.wrote(answerHead, at: second(0))
        #expect(!isOverdue(at: 59, unsent: 100_000))
        #expect(isOverdue(at: 60, unsent: 100_000))
        for moment in 61..<UInt64(1200) { #expect(!isOverdue(at: moment, unsent: 100_000 - Int(moment))) }
        #expect(isOverdue(at: 1200, unsent: 90_000))
    }

    /// While the server works, nothing is waiting to be sent.
    @Test mutating func aStreamThatTheServerWorksOnIsNotOverdue() {
        watch.came(head, at: second(0))
        watch.came(.end(nil), at: second(0))
        watch.wrote(answerHead, at: second(0))
        #expect(!isOverdue(at: 5000))
    }
}

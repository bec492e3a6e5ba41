import Logging
import SyncProtocol
import SyncServer
import SyncStore
import SyncTestKit
import Synchronization
import Testing

/// How a log line looks.
@Suite struct ServerLogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// The line for one event.
    private func line(
        _ format: ServerLog.Format, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]
    ) -> String {
        let lines = Lines()
        let logger = Logger(label: "test") { _ in
            ServerLog(format: format, clock: WallClock { Instant(milliseconds: 0) }) { line in
                lines.all.withLock { $0.append(line) }
            }
        }
        logger.error(message, metadata: metadata)
        return lines.all.withLock { $0.joined(separator: "\n") }
    }

    @Test func aTextLineHasTimeLevelMessageAndMembersByName() {
        #expect(
            line(.text, "request failed", ["route": "/x/{id}/", "error": "no such table"])
                == #"1970-01-01T00:00:00.000Z error request failed error="no such table" route=/x/{id}/"#)
    }

    @Test func aJSONLineIsADocument() throws {
        let text = line(.json, "request failed", ["n": .stringConvertible(7), "list": ["a", ["k": "v"]]])
        let expected: JSON = [
            "time": "1970-01-01T00:00:00.000Z", "level": "error", "message": "request failed", "n": 7,
            "list": ["a", ["k": "v"]],
        ]
        #expect(try JSON(parsing: text.utf8) == expected)
    }

    @Test func numbersAreNumbersInJSONAndTextsStayTexts() throws {
        let metadata: Logger.Metadata = [
            "whole": .stringConvertible(UInt16(200)), "part": .stringConvertible(1.5), "flag": .stringConvertible(true),
            "text": "200",
        ]
        let json = try JSON(parsing: line(.json, "m", metadata).utf8)
        #expect(json["whole"] == 200 && json["part"] == .double(1.5) && json["flag"] == true && json["text"] == "200")
        #expect(line(.text, "m", metadata).hasSuffix(" m flag=true part=1.5 text=200 whole=200"))
    }

    @Test(arguments: ServerLog.Format.allCases)
    func nothingMakesTwoLinesOfOne(format: ServerLog.Format) {
        let hostile = "a\nb\r\u{1B}[2J\u{0}"
        let text = line(format, "\(hostile)", ["key": "\(hostile)", "list": .array([.string(hostile)])])
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test func aTextThatLooksLikeAMemberIsQuoted() {
        #expect(line(.text, "m", ["a": "x b=y"]).hasSuffix(#" m a="x b=y""#))
        #expect(line(.text, "m", ["a": "b=y"]).hasSuffix(#" m a="b=y""#))
        #expect(line(.text, "m", ["a": ""]).hasSuffix(#" m a="""#))
    }

    @Test func requestsAreShownWhereTheyAreWantedWhateverTheLevel() {
        var settings = LogSettings()
        settings.level = .error
        #expect(settings.logger { _ in }.logLevel == .error)
        settings.requests = true
        #expect(settings.logger { _ in }.logLevel == .info)
        settings.level = .trace
        #expect(settings.logger { _ in }.logLevel == .trace)
    }
}

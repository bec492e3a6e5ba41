import Foundation
import Testing

@testable import SyncServer

/// Lines of a log that nobody reads, or that can't be written.
@Suite struct LogQueueTests {
    /// Two ends of a pipe.
    private struct Ends {
        let reader: Int32
        let writer: Int32

        init() {
            Output.prepareProcess()
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            reader = ends[0]
            writer = ends[1]
        }

        /// All that is written until the other end is closed.
        func text() -> String {
            let file = FileHandle(fileDescriptor: reader, closeOnDealloc: true)
            return String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
        }
    }

    @Test func linesComeWholeAndInOrder() {
        let ends = Ends()
        let queue = LogQueue(Output(descriptor: ends.writer))
        for number in 0..<100 { queue.write("line \(number)\n") }
        queue.flush(within: .seconds(600))
        close(ends.writer)
        #expect(ends.text() == (0..<100).map { "line \($0)\n" }.joined())
        #expect(queue.dropped == 0)
    }

    @Test func aFullDiskDropsEveryLineAndNothingElse() {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let queue = LogQueue(Output(descriptor: full))
        for number in 0..<3 { queue.write("line \(number)\n") }
        queue.flush(within: .seconds(600))
        #expect(queue.dropped == 3)
    }

    @Test func aReaderThatIsGoneDropsEveryLineAndNothingElse() {
        let ends = Ends()
        close(ends.reader)
        defer { close(ends.writer) }
        let queue = LogQueue(Output(descriptor: ends.writer))
        for number in 0..<3 { queue.write("line \(number)\n") }
        queue.flush(within: .seconds(600))
        #expect(queue.dropped == 3)
    }

    /// Neither whoever logs nor the end of the process waits. What found room comes when somebody reads again.
    @Test func aReaderThatDoesNotReadHoldsNobodyUp() async {
        let ends = Ends()
        let queue = LogQueue(Output(descriptor: ends.writer), room: 100_000)
        let lines = (0..<2000).map { "\($0) " + String(repeating: "x", count: 200) + "\n" }
        for line in lines { queue.write(line) }
        #expect(queue.dropped > 0)
        queue.flush(within: .milliseconds(1))
        let reading = Task.detached { ends.text() }
        queue.flush(within: .seconds(600))
        close(ends.writer)
        let read = await reading.value.split(separator: "\n").map { String($0) + "\n" }
        #expect(read.count + queue.dropped == lines.count)
        #expect(read == lines.filter(Set(read).contains))
    }
}

import SyncClientCore
import Synchronization
import Testing

@testable import tidemark

/// What the sync itself reports if the server can't be reached.
@Suite struct OutageTests {
    @Test func anOutageIsToldOnceAndSoIsItsEnd() {
        let said = Mutex<[String]>([])
        let outage = Outage(of: "http://h") { sentence in said.withLock { $0.append(sentence) } }
        outage.end()
        for _ in 0..<3 { outage.silent() }
        outage.end()
        outage.end()
        outage.silent()
        #expect(
            said.withLock { $0 } == [
                "The server at http://h does not answer; still trying …", "The server at http://h answers again.",
                "The server at http://h does not answer; still trying …",
            ])
    }
}

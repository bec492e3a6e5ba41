import SyncProtocol
import Testing

@Suite struct NormalTimestampTests {
    private func read(_ text: String) -> Instant? {
        var text = text
        return text.withUTF8 { Instant(normal: $0) }
    }

    @Test(
        arguments: [0, -1, 1, 1_780_315_200_123, -62_135_596_800_000, 253_402_300_799_999, 951_782_400_000] as [Int64])
    func whatWasWrittenIsRead(milliseconds: Int64) {
        let timestamp = Instant(milliseconds: milliseconds)
        #expect(read(timestamp.text) == timestamp)
    }

    @Test(
        arguments: [
            "", "2026-06-01", "2026-06-01T12:00:00Z", "2026-06-01 12:00:00.000Z", "2026-06-01T12:00:00.000+",
            "2026-02-30T12:00:00.000Z", "2026-06-01T24:00:00.000Z", "2026-06-01T12:60:00.000Z",
            "2026-06-0xT12:00:00.000Z",
        ]) func anotherFormIsNotRead(text: String)
    {
        #expect(read(text) == nil)
    }
}

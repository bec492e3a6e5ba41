import Testing

@testable import SyncEngine

/// Short ids as text.
@Suite struct ShortIDTests {
    @Test func aTextIsItsNumber() {
        for number in [1, 255, Int64(Int32.max)] { #expect(ShortID.number(ShortID.text(number)) == number) }
    }

    /// Otherwise the numbers after these would not be short ids.
    @Test(arguments: ["", "-5", "+FF", "G", "7FFFFFFFFFFFFFFF", "FFFFFFFF", "80000000"])
    func whatLeavesNoRoomIsNone(text: String) { #expect(ShortID.number(text) == nil) }
}

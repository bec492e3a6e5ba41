import SyncProtocol
import Testing

@Suite struct CountedTests {
    @Test(arguments: [
        (0, "0"), (7, "7"), (999, "999"), (1000, "1,000"), (12_345, "12,345"), (123_456, "123,456"),
        (1_234_567, "1,234,567"), (-1234, "-1,234"), (Int.min, "-9,223,372,036,854,775,808"),
    ])
    func digitsAreGrouped(number: Int, text: String) {
        #expect(number.grouped == text)
    }

    @Test func oneIsNoPlural() {
        #expect(counted(1, "row") == "1 row" && counted(0, "row") == "0 rows" && counted(1200, "row") == "1,200 rows")
        #expect(
            counted(2, "batch", plural: "batches") == "2 batches" && counted(1, "batch", plural: "batches") == "1 batch"
        )
    }
}

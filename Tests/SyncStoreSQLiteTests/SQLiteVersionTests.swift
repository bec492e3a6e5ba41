import Testing

@testable import SyncStoreSQLite

/// The releases are listed at https://sqlite.org/wal.html.
@Suite struct SQLiteVersionTests {
    @Test(arguments: [3_007_000, 3_040_001, 3_044_005, 3_045_000, 3_050_006, 3_051_000, 3_051_002])
    func releasesWithTheFaultAreKnown(number: Int) { #expect(SQLiteVersion(number: number).hasLogResetFault) }

    @Test(arguments: [3_006_023, 3_044_006, 3_050_007, 3_051_003, 3_052_000])
    func mendedReleasesAreKnown(number: Int) { #expect(!SQLiteVersion(number: number).hasLogResetFault) }

    @Test func aReleaseIsWrittenAsPeopleDo() { #expect(SQLiteVersion(number: 3_040_001).text == "3.40.1") }
}

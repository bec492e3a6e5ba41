import Testing

@testable import SyncServer

@Suite struct ConnectionLimitTests {
    /// When memory is returned to the system.
    @Test func eachThousandThatGoIsTold() {
        let places = ConnectionLimit(5000)
        for _ in 0..<3500 { _ = places.take() }
        let told = (1...3500).filter { _ in places.giveBack() }
        #expect(told == [1000, 2000, 3000])
    }

    @Test func theComingAndGoingOfFewIsNotTold() {
        let places = ConnectionLimit(5000)
        for _ in 0..<3 {
            for _ in 0..<999 { _ = places.take() }
            let told = (1...999).filter { _ in places.giveBack() }
            #expect(told == [])
        }
    }

    @Test func beyondTheLimitTheFirstIsToldApart() {
        let places = ConnectionLimit(1)
        #expect(places.take() == .taken && places.take() == .full && places.take() == .stillFull)
        _ = places.giveBack()
        #expect(places.take() == .taken && places.take() == .full)
    }

    @Test func theCLibraryIsAskedWhereItCan() {
        #if canImport(Glibc)
            #expect(FreeMemory.isReturned)
        #endif
    }
}

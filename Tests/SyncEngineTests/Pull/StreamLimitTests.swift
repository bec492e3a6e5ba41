import SyncProtocol
import Testing

@testable import SyncEngine

/// Who may have a large stream.
@Suite struct StreamLimitTests {
    @Test func oneUserLeavesAPlaceToOthers() throws {
        let places = StreamLimit(2)
        try places.enter(1)
        #expect(throws: Problem.self) { try places.enter(1) }
        try places.enter(2)
        #expect(throws: Problem.self) { try places.enter(3) }
        places.leave(1)
        try places.enter(1)
    }

    @Test func theOnlyPlaceIsForEverybody() throws {
        let places = StreamLimit(1)
        for user in [1, 1, 2] as [Int64] {
            try places.enter(user)
            #expect(throws: Problem.self) { try places.enter(user) }
            places.leave(user)
        }
    }

    @Test func ofThreePlacesAUserMayHaveTwo() throws {
        let places = StreamLimit(3)
        for _ in 0..<3 {
            try places.enter(1)
            try places.enter(1)
            #expect(throws: Problem.self) { try places.enter(1) }
            for _ in 0..<2 { places.leave(1) }
        }
    }
}

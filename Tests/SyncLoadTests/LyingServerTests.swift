import SyncLoad
import Testing

/// A server that is fast but wrong must fail the test.
@Suite struct LyingServerTests {
    private func mistakes(_ lie: Lie?, _ profile: LoadProfile) async throws -> [String] {
        let liar = try await Liar(lie)
        do {
            return try await LoadRun(liar.plan(profile)).run().mistakes.entries.map(\.what)
        } catch let error as LoadError {
            return [error.description]
        }
    }

    @Test(arguments: [LoadProfile.coldStart, .poll, .upload, .storm])
    func anHonestServerPasses(profile: LoadProfile) async throws {
        #expect(try await mistakes(nil, profile) == [])
    }

    @Test(arguments: [
        Lie.doublesAnID, .dropsARow, .inventsADigest, .withholdsTheDigest, .changesTheTimestamp, .showsOthersOtherRows,
        .endsTooEarly, .repeatsTheCursor, .breaksPages, .isBusy,
    ])
    func aWrongDrainIsCaught(lie: Lie) async throws {
        #expect(try await !mistakes(lie, .coldStart).isEmpty)
    }

    @Test(arguments: [Lie.doublesAnID, .dropsARow, .inventsADigest, .showsOthersOtherRows, .endsTooEarly])
    func aWrongDrainIsCaughtInAStorm(lie: Lie) async throws {
        #expect(try await !mistakes(lie, .storm).isEmpty)
    }

    @Test(arguments: [Lie.pollsWithRows, .goesBack])
    func aWrongPollIsCaught(lie: Lie) async throws {
        #expect(try await !mistakes(lie, .poll).isEmpty)
    }

    @Test(arguments: [Lie.appliesLess, .forgetsUploads])
    func aWrongUploadIsCaught(lie: Lie) async throws {
        #expect(try await !mistakes(lie, .upload).isEmpty)
    }

    @Test func aMistakeSaysWhatWasWrong() async throws {
        #expect(try await mistakes(.doublesAnID, .coldStart).contains("An id occurred twice in one drain."))
        #expect(
            try await mistakes(.showsOthersOtherRows, .coldStart).contains(
                "Drains with one timestamp carried different rows.")
        )
        #expect(
            try await mistakes(.forgetsUploads, .upload) == ["Uploaded rows are missing from a drain after the run."])
    }
}

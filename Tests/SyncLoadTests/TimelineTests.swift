import Testing

@testable import SyncLoad

/// The seconds of a run as the report shows them.
@Suite struct TimelineTests {
    private func seconds(_ counts: Int...) -> [Measurements.Second] { counts.map { Measurements.Second(count: $0) } }

    private func rates(_ timeline: Timeline) -> [Double] { timeline.steps.map { $0.rate { Double($0.count) } } }

    @Test func theLastSecondIsAsLongAsItWas() {
        let timeline = Timeline(seconds(10, 10, 5), warmUp: 0, end: 2.5)
        #expect(timeline.steps.map(\.end) == [1, 2, 2.5])
        #expect(rates(timeline) == [10, 10, 10])
    }

    @Test func aStretchThatIsTooShortForARateGoesWithTheSecondBefore() {
        let timeline = Timeline(seconds(10, 10, 2), warmUp: 0, end: 2.125)
        #expect(timeline.steps.map(\.end) == [1, 2.125])
        #expect(timeline.steps.map(\.second.count) == [10, 12])
    }

    @Test func aServerThatFellSilentIsSeenToTheEnd() {
        let timeline = Timeline(seconds(10), warmUp: 0, end: 4)
        #expect(rates(timeline) == [10, 0, 0, 0] && timeline.end == 4)
    }

    @Test func theWarmUpIsInFrontOfZero() {
        let timeline = Timeline(seconds(1, 2, 3, 4), warmUp: 2, end: 2)
        #expect(timeline.steps.map(\.start) == [-2, -1, 0, 1] && rates(timeline) == [1, 2, 3, 4])
    }

    @Test func aRunShorterThanASecondIsOneStep() {
        #expect(rates(Timeline(seconds(3), warmUp: 0, end: 0.0625)) == [48])
        #expect(Timeline([], warmUp: 0, end: 0).steps.count == 1)
    }

    @Test func digitsAreGroupedForPeople() {
        #expect(LoadReport.number(12_345) == "12,345" && LoadReport.number(12_345.6) == "12,346")
        #expect(LoadReport.number(0.1234) == "0.123" && LoadReport.number(45.67) == "45.7")
    }

    @Test func theGreatestValueIsOnThePlot() {
        let plot = Plot(title: "t", unit: "ms", x: .nines, points: [(0, 1), (3, 12_345.6)], colour: 0)
        #expect(plot.html.contains(">max 12,346 ms<") && plot.html.contains(">99.9 %<"))
        let seconds = Plot(
            title: "t", unit: "", x: .seconds(from: -5, to: 23), points: [(-5, 1), (23, 1)], colour: 0)
        #expect(seconds.html.contains(">23 s<") && seconds.html.contains("warm-up"))
    }
}

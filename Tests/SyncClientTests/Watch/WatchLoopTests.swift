import SyncProtocol
import Testing

@testable import SyncClientCore

/// The state machine, as values.
@Suite struct WatchLoopTests {
    private let away = TransportError.unreachable("the connection was refused")

    // MARK: Events

    @Test func aWatchSyncsAndListensAtOnceAndPullsAfterHello() {
        var bench = WatchBench()
        #expect(bench.works == [.sync] && bench.opened == 1)
        bench.hello()
        #expect(bench.works == [.sync] && bench.said == [.events])
        bench.finish()
        #expect(bench.works == [.sync, .pull(hold: 0)])
        bench.finish()
        #expect(bench.works.count == 2)
    }

    @Test func pokesDuringAPullAskForExactlyOneMore() {
        var bench = WatchBench.listening()
        let before = bench.works.count
        bench.poke()
        for _ in 0..<5 { bench.poke() }
        #expect(bench.works.count == before + 1)
        bench.finish(rows: 1)
        #expect(bench.works.count == before + 2)
        bench.finish(rows: 1)
        bench.pass(.seconds(1))
        #expect(bench.works.count == before + 2 && bench.works.last == .pull(hold: 0))
    }

    /// No poke may follow: nothing is written after the last drain.
    @Test func aPullThatDidNotSettleIsFollowedByAnotherOne() {
        var bench = WatchBench.listening()
        let before = bench.works.count
        bench.poke()
        bench.finish(rows: 1, isSettled: false)
        #expect(bench.works.count == before + 1)
        bench.pass(.seconds(5))
        #expect(bench.works.count == before + 2 && bench.works.last == .pull(hold: 0))
        bench.finish(rows: 1)
        bench.pass(.seconds(5))
        #expect(bench.works.count == before + 2)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func aSpreadDelaysThePull(seed: UInt64) {
        var bench = WatchBench.listening(seed: seed)
        let before = bench.works.count
        #expect(!bench.poke(spread: 4000).contains(.begin(.pull(hold: 0))))
        bench.pass(.seconds(4))
        #expect(bench.works.count == before + 1)
    }

    @Test func aPokeWithoutASpreadDoesNotWaitForOneWith() {
        var bench = WatchBench.listening()
        bench.poke(spread: 600_000)
        #expect(bench.poke().contains(.begin(.pull(hold: 0))))
    }

    @Test func aPokeThatNamesNoProjectIsNone() {
        var bench = WatchBench.listening()
        #expect(bench.event("poke", ["_spread_ms": 0, "_later": 1]).isEmpty)
    }

    @Test func aStreamThatIsSilentFor2AndAHalfHeartbeatsIsReplaced() {
        var bench = WatchBench.listening()
        bench.pass(.seconds(62))
        #expect(bench.opened == 1)
        bench.handle(.heard([], retry: nil))
        bench.pass(.seconds(62))
        #expect(bench.opened == 1)
        #expect(bench.pass(.seconds(2)).contains(.close) && bench.said == [.events])
        #expect(bench.opened == 2)
    }

    @Test func aPollComesEvery15MinutesWhileAStreamLives() {
        var bench = WatchBench.listening()
        let before = bench.works.count
        for _ in 0..<100 {
            bench.pass(.seconds(20))
            bench.handle(.heard([], retry: nil))
            if bench.works.count > before, bench.now < .seconds(921) { bench.finish() }
        }
        #expect(bench.works.count == before + 2)
    }

    // MARK: Reconnects

    @Test func aByeIsFollowedAtTheTimeThatItNames() {
        var bench = WatchBench.listening()
        #expect(bench.event("bye", ["reason": "restart", "retry_ms": 7300]) == [.close])
        bench.pass(.milliseconds(7299))
        #expect(bench.opened == 1)
        bench.pass(.milliseconds(1))
        #expect(bench.opened == 2 && bench.said == [.events])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func reconnectsWaitRandomlyLongerAndLonger(seed: UInt64) {
        var bench = WatchBench.listening(seed: seed)
        bench.handle(.heard([], retry: .seconds(2)))
        var most = Duration.seconds(2)
        for attempt in 1...8 {
            bench.handle(.ended(away))
            let before = bench.opened
            bench.pass(most)
            #expect(bench.opened == before + 1, "attempt \(attempt)")
            most = min(most * 2, .seconds(30))
        }
    }

    @Test func anOutageIsSaidWhenTheStreamCanNotBeOpenedAgain() {
        var bench = WatchBench.listening()
        bench.handle(.ended(.interrupted("the server closed it")))
        bench.pass(.seconds(1))
        #expect(bench.said == [.events] && bench.opened == 2)
        bench.handle(.ended(away))
        guard case .disconnected(let trouble, let pause)? = bench.said.last else { return #expect(Bool(false)) }
        #expect(trouble == SyncTrouble(away) && pause <= .seconds(2))
        bench.pass(.seconds(2))
        bench.hello()
        #expect(bench.said.count == 3 && bench.said.last == .events)
    }

    @Test func retryAfterIsAFloor() {
        var bench = WatchBench.listening()
        bench.handle(.ended(away))
        bench.pass(.seconds(1))
        bench.handle(.refused(.retry(after: .seconds(20), reason: "Busy."), status: 503))
        bench.pass(.milliseconds(19_999))
        #expect(bench.opened == 2)
        bench.pass(.milliseconds(1))
        #expect(bench.opened == 3)
    }

    @Test func tooManyStreamsMeansWaitingPullsUntilTheyMayBeTriedAgain() {
        var bench = WatchBench()
        bench.finish()
        bench.handle(.refused(.retry(after: .seconds(15), reason: "Too many."), status: 429))
        #expect(bench.said == [.waitingPulls(.refused("Too many."))] && bench.works.last == .pull(hold: 25))
        bench.pass(.milliseconds(14_999))
        #expect(bench.opened == 1)
        bench.pass(.milliseconds(1))
        #expect(bench.opened == 2)
    }

    /// A pull that waits for its next attempt, or that the server holds, would keep a change waiting.
    @Test func helloEndsWorkThatCanOnlyWait() {
        var bench = WatchBench.listening()
        bench.poke()
        bench.handle(.trouble(SyncTrouble(away)))
        bench.handle(.ended(away))
        bench.pass(.seconds(1))
        #expect(bench.hello().contains(.cancel))
        bench.cancelled()
        #expect(bench.works.last == .pull(hold: 0))
        bench.finish(rows: 1)
        #expect(bench.loop.alarm.map { $0 > bench.now } == true)
    }

    // MARK: Waiting pulls

    @Test func aProxyThatHoldsBackEventsIsFoundAfter5SecondsAndSaidOnce() {
        var bench = WatchBench()
        bench.finish()
        bench.handle(.opened)
        #expect(bench.pass(.milliseconds(4999)).isEmpty)
        let actions = bench.pass(.milliseconds(1))
        #expect(actions == [.close, .tell(.waitingPulls(.heldBack)), .begin(.pull(hold: 25))])
        for _ in 0..<143 {
            bench.pass(.seconds(25))
            bench.finish()
        }
        #expect(bench.opened == 1 && bench.said.count == 1 && bench.works.last == .pull(hold: 25))
        bench.pass(.seconds(25))
        #expect(bench.opened == 2)
        bench.pass(.seconds(5))
        #expect(bench.said.count == 1)
    }

    @Test func aProxyThatHoldsBackTheHeadIsFoundByAPullThatSucceeds() {
        var bench = WatchBench()
        bench.finish()
        #expect(bench.pass(.seconds(5)) == [.close, .begin(.pull(hold: 0))] && bench.said.isEmpty)
        #expect(bench.finish() == [.tell(.waitingPulls(.heldBack)), .begin(.pull(hold: 25))])
    }

    @Test func aServerThatDoesNotAnswerAtAllIsAwayAndNoProxy() {
        var bench = WatchBench()
        bench.finish()
        bench.pass(.seconds(5))
        bench.handle(.trouble(SyncTrouble(.timeout)))
        guard case .disconnected? = bench.said.last else { return #expect(Bool(false)) }
        bench.pass(.seconds(30))
        #expect(bench.opened > 1 && bench.said.count == 1)
    }

    /// It accepts connections and answers nothing for a while, as if it were suspended.
    @Test func aServerThatWasFrozenIsNoProxy() {
        var bench = WatchBench()
        bench.pass(.seconds(12))
        #expect(bench.handle(.progress).isEmpty && bench.said.isEmpty)
        #expect(bench.finish() == [.begin(.pull(hold: 0))])
        bench.pass(.seconds(12))
        bench.finish()
        bench.pass(.seconds(2))
        #expect(bench.opened == 2 && bench.said.isEmpty)
    }

    @Test func aHelloAfterAnHourEndsTheWaitingPulls() {
        var bench = WatchBench()
        bench.finish()
        bench.handle(.opened)
        bench.pass(.seconds(5))
        bench.pass(.seconds(3600))
        #expect(bench.opened == 2 && bench.hello().contains(.cancel))
        bench.cancelled()
        #expect(bench.works.last == .pull(hold: 0) && bench.said.last == .events)
        #expect(bench.finish().isEmpty)
    }

    @Test(arguments: [404, 405, 406]) func aServerWithoutEventsGetsWaitingPulls(status: Int) {
        var bench = WatchBench()
        bench.finish()
        bench.handle(
            .refused(.refuse(.refused(status: status, code: "", detail: "No.")), status: status))
        #expect(bench.said == [.waitingPulls(.unsupported)] && bench.works.last == .pull(hold: 25))
    }

    @Test func aTransportThatCanNotStreamGetsWaitingPullsForGood() {
        var bench = WatchBench()
        bench.finish()
        bench.handle(.cannotStream)
        bench.pass(.seconds(86400))
        #expect(bench.opened == 1 && bench.said == [.waitingPulls(.noStreaming)])
    }

    @Test func aServerThatDoesNotHoldPullsIsAskedAfterPauses() {
        var bench = WatchBench()
        bench.finish()
        bench.handle(.cannotStream)
        let before = bench.works.count
        var pauses: [Duration] = []
        for _ in 0..<5 {
            let began = bench.now
            bench.finish()
            while bench.works.count == before + pauses.count { bench.pass(.seconds(1)) }
            pauses.append(bench.now - began)
        }
        #expect(pauses == [5, 10, 20, 30, 30].map { .seconds($0) })
        bench.finish(rows: 1)
        #expect(bench.works.count == before + 6)
    }

    @Test func aServerThatHoldsPullsIsAskedAgainAtOnce() {
        var bench = WatchBench()
        bench.finish()
        bench.handle(.cannotStream)
        bench.pass(.seconds(25))
        #expect(bench.finish() == [.begin(.pull(hold: 25))])
        bench.pass(.seconds(1))
        #expect(bench.finish(rows: 1) == [.begin(.pull(hold: 25))])
    }

    @Test func eventsThatFailWhilePullsSucceedGiveWayToWaitingPulls() {
        var bench = WatchBench()
        bench.finish()
        for _ in 0..<3 {
            bench.handle(.refused(.retry(after: nil, reason: "Bad gateway."), status: 502))
            let before = bench.opened
            while bench.opened == before { bench.pass(.milliseconds(100)) }
        }
        #expect(bench.works.last == .pull(hold: 25))
        bench.finish()
        #expect(bench.said.last == .waitingPulls(.refused("Bad gateway.")))
    }

    // MARK: Edits

    @Test func anEditIsSentAtOnceAndEndsAHeldPull() {
        var bench = WatchBench()
        bench.finish()
        bench.handle(.cannotStream)
        #expect(bench.handle(.edited) == [.cancel])
        bench.cancelled()
        #expect(bench.works.last == .send)
        #expect(bench.finish(batches: 1) == [.begin(.pull(hold: 0))])
        #expect(bench.finish() == [.begin(.pull(hold: 25))])
    }

    @Test func anEditDuringAPushIsSentAfterIt() {
        var bench = WatchBench.listening()
        bench.handle(.edited)
        #expect(bench.works.last == .send)
        #expect(bench.handle(.edited).isEmpty)
        #expect(bench.finish(batches: 1, hasMore: true) == [.begin(.send)])
        #expect(bench.finish(batches: 1).isEmpty)
    }

    @Test func anEditDuringAPullIsSentAfterIt() {
        var bench = WatchBench.listening()
        bench.poke()
        #expect(bench.handle(.edited).isEmpty)
        #expect(bench.finish(rows: 1, hasMore: true) == [.begin(.send)])
    }

    /// The push itself writes to the replica, and that looks like an edit.
    @Test func editsThatTheServerRefusesAreNotSentAgainAtOnce() {
        var bench = WatchBench.listening()
        bench.handle(.edited)
        var outcome = SyncOutcome(pushed: nil)
        outcome.refusal = .refused(status: 403, code: "forbidden", detail: "No.")
        bench.handle(.finished(.done(outcome, hasMore: true)))
        let before = bench.works.count
        bench.handle(.edited)
        bench.pass(.seconds(29))
        #expect(bench.works.count == before)
        bench.pass(.seconds(1))
        #expect(bench.works.count == before + 1 && bench.works.last == .send)
    }

    @Test func whoOnlyPushesDoesNotListen() {
        var bench = WatchBench(.push)
        bench.finish(batches: 0)
        bench.pass(.seconds(86400))
        #expect(bench.opened == 0 && bench.works == [.sync])
        bench.handle(.edited)
        #expect(bench.works.last == .send)
    }

    // MARK: Tokens

    private let unauthorized = SyncError.refused(status: 401, code: "unauthorized", detail: "No.")

    @Test func a401WithoutAnotherTokenEndsTheWatch() {
        var bench = WatchBench()
        #expect(bench.handle(.refused(.refuse(unauthorized), status: 401)) == [.fail(unauthorized)])
        bench = WatchBench(canRenew: true)
        #expect(bench.handle(.refused(.refuse(unauthorized), status: 401)).contains(.renew))
        #expect(bench.handle(.renewed(false)) == [.fail(unauthorized)])
    }

    @Test func a401WithAnotherTokenGoesOnWhereItWas() {
        var bench = WatchBench.listening(canRenew: true)
        bench.poke()
        let actions = bench.handle(.finished(.unauthorized(unauthorized)))
        #expect(actions == [.close, .renew])
        bench.pass(.seconds(100))
        #expect(bench.opened == 1 && bench.handle(.renewed(true)) == [.open, .begin(.pull(hold: 0))])
    }

    @Test func aTokenIsRenewed30SecondsBeforeItsEndAndTheStreamOpenedAgain() {
        var bench = WatchBench.listening(canRenew: true, expiresIn: 60)
        #expect(bench.pass(.milliseconds(29_999)).isEmpty)
        #expect(bench.pass(.milliseconds(1)) == [.renew])
        #expect(bench.handle(.renewed(true)) == [.close, .open])
        bench.hello(expiresIn: 3600)
        #expect(bench.works.last == .pull(hold: 0) && bench.said == [.events])
    }

    @Test(arguments: ["token_expired", "revoked"]) func aByeAboutTheTokenAsksForAnother(reason: String) {
        var bench = WatchBench.listening(canRenew: true)
        #expect(bench.event("bye", ["reason": .string(reason), "retry_ms": 4000]) == [.close, .renew])
        #expect(bench.handle(.renewed(true)) == [.open])
        bench = .listening(canRenew: true)
        _ = bench.event("bye", ["reason": .string(reason), "retry_ms": 4000])
        #expect(bench.handle(.renewed(false)).isEmpty)
        bench.pass(.seconds(4))
        #expect(bench.opened == 2)
    }
}

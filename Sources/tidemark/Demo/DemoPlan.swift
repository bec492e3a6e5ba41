import Foundation
import SyncProtocol

/// The plan of the demo. It is under way: something is done, something late, a path critical. A task was begun before
/// the one that it waits for has ended, so one link is broken, and its notes say that this is meant.
enum DemoPlan {
    /// The Monday of the week in which the embedded plan is read.
    private static let monday = CalendarDate("2026-04-13")!

    /// The plan as it stands in the week of `today`. It moves by whole weeks, so nobody works on a Sunday.
    static func xml(on today: CalendarDate) -> Data {
        let days = today.daysSinceEpoch - monday.daysSinceEpoch
        let shift = days - (days % 7 + 7) % 7
        let text = String(decoding: PackageResources.demo_plan_xml, as: UTF8.self)
        let moved = text.replacing(/\d{4}-\d{2}-\d{2}(?=T)/) { match in
            CalendarDate(match.output).map { CalendarDate(daysSinceEpoch: $0.daysSinceEpoch + shift).text } ?? ""
        }
        return Data(moved.utf8)
    }
}

extension CalendarDate {
    /// The day of an instant in UTC.
    init(_ instant: Instant) { self.init(daysSinceEpoch: Int(instant.milliseconds / 86_400_000)) }
}

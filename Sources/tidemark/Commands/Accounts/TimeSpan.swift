import ArgumentParser
import SyncProtocol
import SyncStore

/// A time span on the command line: a whole number and `d`,
/// `h`, `m` or `s`. Nil for other texts, and above 36,525 days.
struct TimeSpan: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let units: [Character: Int] = ["d": 86_400, "h": 3600, "m": 60, "s": 1]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int(argument.dropLast()), count >= 0,
            count <= 36_525 * 86_400 / unit
        else { return nil }
        duration = .seconds(count * unit)
    }
}

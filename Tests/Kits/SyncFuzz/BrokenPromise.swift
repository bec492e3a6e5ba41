/// A property that must hold for every input and does not hold for this one.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String
}

/// Throws `BrokenPromise` unless `holds`.
func promise(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    if !holds { throw BrokenPromise(description: what()) }
}

/// The value of `body`, or nil if it throws a `Refusal`. Any other error breaks the promise.
func accepted<Value, Refusal: Error>(or _: Refusal.Type, _ body: () throws -> Value) throws -> Value? {
    do {
        return try body()
    } catch is Refusal {
        return nil
    } catch {
        throw BrokenPromise(description: "\(Refusal.self) was promised, \(type(of: error)) was thrown: \(error)")
    }
}

/// The values of a field that may have only some. One that this version of the app does not know, because the server's
/// schema is newer, hides no row: it is `unknown`, and stays as it is.
public protocol RowEnum: RawRepresentable, Codable, Hashable, CaseIterable, Sendable where AllCases == [Self] {
    /// A value by what is sent.
    init(rawValue: RawValue)
    /// A value that the app does not know.
    static func unknown(_ rawValue: RawValue) -> Self
}

extension RowEnum where RawValue == String {
    /// Texts are compared by their bytes, as the server does.
    public init(rawValue: String) {
        self = Self.allCases.first { $0.rawValue.utf8.elementsEqual(rawValue.utf8) } ?? .unknown(rawValue)
    }
}

extension RowEnum where RawValue == Int {
    public init(rawValue: Int) { self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue) }
}

/// A value of a row, as its engine has read it. Bytes are valid until the engine's next step.
package enum Cell {
    case null
    case integer(Int64)
    case double(Double)
    case text(UnsafeBufferPointer<UInt8>)
}

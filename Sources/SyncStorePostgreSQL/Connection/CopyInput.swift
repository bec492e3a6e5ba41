/// What a `COPY … FROM STDIN` takes.
struct CopyInput {
    let connection: Connection

    func send(_ bytes: UnsafeRawBufferPointer) throws { try connection.put(bytes) }
}

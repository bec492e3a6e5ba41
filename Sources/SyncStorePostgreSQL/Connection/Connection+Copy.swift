import CPQ

/// `COPY`, which the pipeline mode does not allow. So that mode is left meanwhile, and nothing may be queued.
/// https://www.postgresql.org/docs/15/libpq-copy.html
extension Connection {
    /// Sends what `body` gives to a `COPY … FROM STDIN`. If `body` throws, the statement fails.
    func copyIn(_ sql: String, _ body: (CopyInput) throws -> Void) throws {
        try outsideOfPipeline {
            try start(sql, PGRES_COPY_IN)
            do {
                try body(CopyInput(connection: self))
            } catch {
                PQputCopyEnd(handle, "The program gave up.")
                _ = try? end()
                throw error
            }
            guard PQputCopyEnd(handle, nil) == 1 else { throw lost() }
            try end()
        }
    }

    func put(_ bytes: UnsafeRawBufferPointer) throws {
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard PQputCopyData(handle, start, Int32(bytes.count)) == 1 else {
            // Either the statement has failed, or the connection is lost.
            try end()
            throw lost()
        }
    }

    /// Calls `read` with each message of a `COPY … TO STDOUT`. If it throws, the statement fails.
    func copyOut(_ sql: String, _ read: (UnsafeRawBufferPointer) throws -> Void) throws {
        try outsideOfPipeline {
            try start(sql, PGRES_COPY_OUT)
            do {
                while let message = try message() {
                    defer { PQfreemem(message.baseAddress.map(UnsafeMutableRawPointer.init(mutating:))) }
                    try read(message)
                }
            } catch {
                cancel()
                while let message = try message() {
                    PQfreemem(message.baseAddress.map(UnsafeMutableRawPointer.init(mutating:)))
                }
                _ = try? end()
                throw error
            }
            try end()
        }
    }

    /// The next message; nil after the last one.
    private func message() throws -> UnsafeRawBufferPointer? {
        var start: UnsafeMutablePointer<CChar>?
        let count = PQgetCopyData(handle, &start, 0)
        guard count >= 0 else {
            if count == -1 { return nil }
            throw lost()
        }
        return UnsafeRawBufferPointer(start: start, count: Int(count))
    }

    private func outsideOfPipeline(_ body: () throws -> Void) throws {
        guard PQexitPipelineMode(handle) == 1, PQsetnonblocking(handle, 0) == 0 else { throw lost() }
        defer {
            PQsetnonblocking(handle, 1)
            if PQenterPipelineMode(handle) != 1 { _ = lost() }
        }
        try body()
    }

    private func start(_ sql: String, _ expected: ExecStatusType) throws {
        let result = PQexec(handle, sql)
        defer { PQclear(result) }
        guard PQresultStatus(result) == expected else { throw DatabaseError(result, handle) }
    }

    /// Waits for the statement's result.
    private func end() throws {
        var failure: DatabaseError?
        while let result = PQgetResult(handle) {
            if PQresultStatus(result) != PGRES_COMMAND_OK, failure == nil { failure = DatabaseError(result, handle) }
            PQclear(result)
        }
        if PQstatus(handle) != CONNECTION_OK { throw lost() }
        if let failure { throw failure }
    }

    private func cancel() { canceller?.cancel() }
}

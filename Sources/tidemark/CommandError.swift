import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncValues

/// An error of a command, for which there is no other type.
struct CommandError: OperatorError {
    let description: String
    init(_ description: String) { self.description = description }
}

/// An error whose description tells an operator what to do. It is printed as it is, and the exit status is 1.
protocol OperatorError: Error, CustomStringConvertible {}

extension StoreError: OperatorError {}
extension SchemaError: OperatorError {}
extension UploadLimitError: OperatorError {}

extension Problem: OperatorError {}

extension IdentityError: OperatorError {}

extension CertificateError: OperatorError {}
extension OriginError: OperatorError {}

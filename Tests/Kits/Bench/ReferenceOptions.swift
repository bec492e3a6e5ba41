import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

struct ReferenceOptions: ParsableArguments {
    @Option(help: "The port to listen on.") var port: Int
    @Option(help: "Bytes of the answer.") var bytes = 1024
}

import ArgumentParser
import HTTPTypes
import Hummingbird

/// What sending and reading files is compared with: routes that write a body into a folder, unsynced and unchecked, and
/// read a file from there.
struct FilesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "files", abstract: "Write files into a folder, and serve them from there.")

    @Option(help: "The port to listen on.") var port: Int
    @Option(help: "The folder.") var folder: String

    func run() async throws {
        let (files, folder) = (FileIO(), folder)
        let router = Router(context: BasicRequestContext.self)
        let place = "/api/v1/projects/:project/files/:digest/"
        router.get(RouterPath(place)) { _, context in
            let path = folder + "/" + (try context.parameters.require("digest"))
            let headers: HTTPFields = [.contentType: "application/octet-stream"]
            return Response(
                status: .ok, headers: headers, body: try await files.loadFile(path: path, context: context))
        }
        router.put(RouterPath(place)) { request, context in
            let path = folder + "/" + (try context.parameters.require("digest"))
            try await files.writeFile(contents: request.body, path: path, context: context)
            return HTTPResponse.Status.created
        }
        try await ReferenceServer.run(router, port: port)
    }
}

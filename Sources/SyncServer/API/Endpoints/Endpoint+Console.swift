import HTTPTypes
import SyncSchema

extension Endpoint {
    /// An older schema may have a collection of this name, which keeps its path.
    static func console(_ registry: Registry) -> Endpoint {
        let folder = registry["console"] == nil ? "/console/" : "/sync/console/"
        return Endpoint(
            method: .get, path: folder, otherPaths: [folder + "**"], id: "console", tag: serverTag,
            summary: "The console: projects and plans, as a page for people.",
            details: "The page is a client of this API. It keeps a copy in the browser, and works without a network.",
            isOpen: true, parameters: [.ifNoneMatch], answersFiles: true,
            answers: [
                Answer(status: .ok, summary: "A page.", schema: Schema.text, mediaType: "text/html", headers: [.eTag]),
                .notModified,
                Answer(
                    status: .permanentRedirect, summary: "Below `/api/v1`: the console is at `\(folder)`.",
                    headers: [.location]),
            ])
    }
}

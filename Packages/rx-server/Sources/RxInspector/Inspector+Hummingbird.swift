#if Hummingbird
    public import Hummingbird
    import HTTPTypes
    import NIOCore
    import ServiceLifecycle

    extension Inspector {
        /// Adds the inspector to a Hummingbird `router`, or to a group of its routes, at `path`. Requires the trait
        /// `Hummingbird` of this package.
        ///
        /// ```swift
        /// inspector.addRoutes(to: router.group().add(middleware: authentication), at: "debug/inspector")
        /// ```
        ///
        /// Put the page behind authentication, or on a port that only administrators can reach. The page's connection
        /// ends when the server shuts down.
        public func addRoutes(to router: some RouterMethods<some RequestContext>, at path: String = "inspector") {
            let path = path.split(separator: "/").joined(separator: "/")
            for part in ["", "/events", "/snapshot.json"] {
                router.on(RouterPath("/\(path)\(part)"), method: .get) { _, _ in self.response(to: part) }
            }
        }

        /// The response to a request for `path`; see ``respond(to:)``. The body of `/events` ends when the server shuts
        /// down or the client leaves.
        public func response(to path: String) -> Response {
            let response = respond(to: path)
            var headers = HTTPFields()
            headers[.contentType] = response.contentType
            for (name, value) in response.headers {
                if let name = HTTPField.Name(name) { headers[name] = value }
            }
            let body: ResponseBody =
                switch response.body {
                case .bytes(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
                case .events(let events):
                    ResponseBody { writer in
                        for await event in events.cancelOnGracefulShutdown() {
                            try await writer.write(ByteBuffer(bytes: event))
                        }
                        try await writer.finish(nil)
                    }
                }
            return Response(status: .init(code: response.status), headers: headers, body: body)
        }
    }
#endif

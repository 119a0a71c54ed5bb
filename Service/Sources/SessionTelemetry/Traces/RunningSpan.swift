internal import SessionDomain
internal import Tracing

/// A span while its work goes on, for the domain.
struct RunningSpan: WorkSpan {
    let span: ServiceSpan

    var traceID: String? {
        guard let trace = span.context.trace, span.isRecording || trace.isContinued else { return nil }
        return trace.parent.traceID.description
    }

    var traceparent: String { span.context.trace?.parent.text ?? "" }

    func discard() { span.discard() }

    func note(_ detail: WorkDetail) {
        guard span.isRecording else { return }
        switch detail {
        case .requestID(let id): span.attributes["prelude_session.request_id"] = id
        case .app(let app): span.attributes["prelude_session.app"] = app.rawValue
        case .host(let host): span.attributes["server.address"] = host
        case .status(let status):
            span.attributes["http.response.status_code"] = status
            // Of a request that this service has sent, so a status of 400 is an error, too.
            if status >= 400 { fail("\(status)") }
        case .batch(let writes, let waited):
            span.attributes["prelude_session.commit.writes"] = writes
            span.attributes["prelude_session.commit.wait"] = waited
        case .waited(let seconds): span.attributes["prelude_session.password_hash.wait"] = seconds
        case .failed(let name): fail(name)
        case .answered(let method, let route, let status, let code):
            span.operationName = "\(method) \(route)"
            span.updateAttributes { attributes in
                attributes["http.request.method"] = method
                attributes["http.route"] = route
                attributes["http.response.status_code"] = status
                if let code { attributes["error.type"] = code }
            }
            if status >= 500 { span.setStatus(SpanStatus(code: .error)) }
        }
    }

    private func fail(_ name: String) { span.fail(name) }
}

extension ServiceSpan {
    /// - Parameter name: A name that the source code contains.
    fileprivate func fail(_ name: String) {
        attributes["error.type"] = name
        setStatus(SpanStatus(code: .error))
    }

    /// Notes an error by a name. A refusal is an answer to the caller, and no failure of the service.
    func fail(with error: any Error) {
        guard isRecording else { return }
        switch error {
        case let refusal as Refusal: attributes["error.type"] = RefusalReason(refusal).name
        case is CancellationError: attributes["error.type"] = "cancelled"
        case let error as EgressError: fail(EgressCall.Result(error).rawValue)
        default: fail("\(type(of: error))")
        }
    }
}

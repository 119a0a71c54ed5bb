import HTTPTypes
import Hummingbird
import SessionDomain
import SessionHTTP

/// Adds pages and forms of the console to a router. The type of a handler's argument says who may call it.
struct ConsoleRoutes {
    typealias Show = @Sendable (ConsoleContext) async throws -> Page
    typealias Submit = @Sendable (ConsoleContext, FormBody) async throws -> FormOutcome
    typealias ShowApp = @Sendable (ConsoleAppContext) async throws -> Page
    typealias IsDangerous = @Sendable (FormBody) -> Bool
    typealias Answer = @Sendable (ConsoleContext) async throws -> Response
    typealias AnswerApp = @Sendable (ConsoleAppContext) async throws -> Response
    typealias SubmitApp = @Sendable (ConsoleAppContext, FormBody) async throws -> FormOutcome

    let router: Router<ServiceRequestContext>
    let responder: ConsoleResponder

    /// A page for every operator.
    func page(_ path: String, _ show: @escaping Show) {
        router.get(RouterPath("/console" + path)) { [responder] request, context in
            try await responder.answer(request, context) { console in .page(try await show(console)) }
        }
    }

    /// A form.
    ///
    /// - Parameters:
    ///   - role: The least role of an operator who may send it.
    ///   - isDangerous: Whether the operator must have confirmed a short time ago who they are, given the fields.
    ///   - page: Shown again with the message if the form is refused.
    func form(
        _ path: String, for role: OperatorRole = .admin, confirming isDangerous: @escaping IsDangerous = never,
        on page: @escaping Show, _ submit: @escaping Submit
    ) {
        router.post(RouterPath("/console" + path)) { [responder] request, context in
            try await responder.answerForm(request, context, for: role, confirming: isDangerous) { console, form in
                do {
                    return try await submit(console, form)
                } catch let refusal as Refusal {
                    guard let action = ConsolePath(returning: request.uri.path) else { throw refusal }
                    let problem = Problem(refusal, of: form, to: action)
                    var again = console
                    again.problem = problem
                    guard var shown = try? await page(again) else { throw refusal }
                    (shown.status, shown.retryAfter) = (problem.status, problem.retryAfter)
                    shown.problem = problem
                    return .page(shown)
                }
            }
        }
    }

    /// An action that needs no confirmation.
    static let never: IsDangerous = { _ in false }
    /// An action that needs a confirmation.
    static let always: IsDangerous = { _ in true }

    /// A page of an app, for operators who work with the app.
    func appPage(_ path: String, _ show: @escaping ShowApp) {
        page("/apps/:app_id" + path) { [responder] console in try await show(try await responder.app(console)) }
    }

    /// What is no page, such as a file, for every operator. Only a page of the console can ask for it: it costs work, and is
    /// reported.
    func file(_ path: String, _ answer: @escaping Answer) {
        router.get(RouterPath("/console" + path)) { [responder] request, context in
            try await responder.answer(request, context) { console in
                guard ["same-origin", "none", nil].contains(request.headers[.secFetchSite]) else {
                    throw Refusal.forbidden("a page of another site asks for this file; download it from the console")
                }
                return .response(request.method == .head ? Response(status: .ok) : try await answer(console))
            }
        }
    }

    /// What is no page, such as a file, of an app, for operators who work with the app.
    func appFile(_ path: String, _ answer: @escaping AnswerApp) {
        file("/apps/:app_id" + path) { [responder] console in try await answer(try await responder.app(console)) }
    }

    /// A form of an app, for operators who work with the app. The parameters are those of `form`.
    func appForm(
        _ path: String, for role: OperatorRole = .admin, confirming isDangerous: @escaping IsDangerous = never,
        on page: @escaping ShowApp, _ submit: @escaping SubmitApp
    ) {
        form(
            "/apps/:app_id" + path, for: role, confirming: isDangerous,
            on: { [responder] console in try await page(try await responder.app(console)) },
            { [responder] console, form in
                let console = try await responder.app(console)
                if let seen = form.text(FormView.versionField), seen != console.app.version {
                    throw Refusal.conflict("the settings of the app have changed meanwhile; load the page again")
                }
                return try await submit(console, form)
            })
    }
}

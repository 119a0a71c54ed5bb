package import Hummingbird
package import SessionDomain
package import SessionHTTP

/// The console: pages on which operators look at a service and change it.
///
/// Its pages call the services of `SessionDomain` that the management API calls, so both have the same rules and events.
/// They work without scripts, except the playground. Graphs have one that keeps them up to date.
package struct Console: Sendable {
    private let responder: ConsoleResponder

    /// - Parameters:
    ///   - mailbox: Set in development only. It adds the page of the messages that were sent.
    ///   - activity: What the graphs show.
    package init(
        service: SessionService, edge: EdgeOptions, mailbox: Mailbox? = nil,
        activity: ActivityRecorder = ActivityRecorder(node: "", startedAt: Timestamp(seconds: 0))
    ) {
        responder = ConsoleResponder(service: service, edge: edge, mailbox: mailbox, activity: activity)
    }

    /// Adds the pages below `/console`.
    package func add(to router: Router<ServiceRequestContext>) {
        for asset in Asset.all {
            router.get(RouterPath(asset.path.text)) { request, context in
                try await asset.show(request, context: context)
            }
        }
        let signIn = SignInPage(responder: responder)
        router.get(RouterPath(ConsolePath.signIn.text), use: signIn.show)
        router.post(RouterPath(ConsolePath.signIn.text), use: signIn.signIn)
        router.post(RouterPath(ConsolePath.signOut.text), use: signIn.signOut)

        let routes = ConsoleRoutes(router: router, responder: responder)
        OverviewPage.add(to: routes)
        AppPage.add(to: routes)
        UsersPage.add(to: routes)
        UserPage.add(to: routes)
        EventsPage.add(to: routes)
        ActorPage.add(to: routes)
        WebhooksPage.add(to: routes)
        KeysPage.add(to: routes)
        LoginsPage.add(to: routes)
        SessionPolicyPage.page.add(to: routes)
        SettingsPage.page.add(to: routes)
        OperatorsPage.add(to: routes)
        AccountPage.add(to: routes)
        StepUpPage.add(to: routes)
        ClaimsPage.add(to: routes)
        LimitsPage.add(to: routes)
        NoticesPage.page.add(to: routes)
        MigrationPage.page.add(to: routes)
        PasskeyPage.page.add(to: routes)
        DeliveryPage.add(to: routes)
        TemplatesPage.add(to: routes)
        PlaygroundPage.add(to: routes)
        ActivityPage.add(to: routes)
        APIPage.add(to: routes)
        if responder.mailbox != nil { MailboxPage.add(to: routes) }
        routes.page("/**") { _ in throw Refusal.notFound("there is no such page") }
    }
}

internal import SessionDomain

/// Describes an attempt at a mail server for people.
struct SMTPReport {
    let job: SMTPJob
    let outcome: SMTPWorker.Outcome
    let text: ReasonText

    var value: RouteReport {
        guard let problem = outcome.problem else {
            let reply = outcome.conversation.replies[.content]?.text ?? ""
            let reference = text.clean(reply)
            return RouteReport(
                steps: steps, result: .accepted(reference: reference.isEmpty ? nil : reference), remedy: nil)
        }
        // Before the mail itself, the server has nothing.
        if problem == .cancelled, outcome.conversation.step != .content {
            let failure = SendingFailure(.timeout, "the attempt was cancelled", isAbandoned: true)
            return RouteReport(steps: steps, result: .failed(failure), remedy: nil)
        }
        return RouteReport(
            steps: steps, result: problem.result(text, server: job.server),
            remedy: Remedy.text(for: problem, job: job))
    }

    private var steps: [RouteReport.Step] {
        let (conversation, server) = (outcome.conversation, job.server)
        var steps: [RouteReport.Step] = [
            .init(.nameResolution, "\(server.host) is \(job.addresses.joined(separator: ", "))")
        ]
        guard !conversation.replies.isEmpty || outcome.problem == nil else { return steps }
        steps.append(
            .init(.connection, "connected to \(server.place)\(outcome.isReused ? ", on an open connection" : "")"))
        guard hasTLS else { return steps }
        let way = server.tls == .implicit ? "from the first byte" : "after STARTTLS"
        steps.append(.init(.tls, "\(way), and the certificate is valid for \(server.host)"))
        if let user = server.username, isPast(.authentication) {
            steps.append(.init(.authentication, "signed in as \(user)"))
        }
        if isPast(.sender) { steps.append(.init(.sender, "the server accepts mail from \(job.sender)")) }
        if isPast(.recipient) { steps.append(.init(.recipient, "the server accepts mail to \(job.recipient)")) }
        if outcome.problem == nil { steps.append(.init(.content, "the server has accepted the mail")) }
        return steps
    }

    /// The first step after TLS is EHLO; with STARTTLS there is another one before.
    private var hasTLS: Bool {
        switch outcome.problem {
        case .noSTARTTLS, .notImplicitTLS, .untrustedCertificate, .tlsFailed, .cannotConnect, .timedOut(.startTLS),
            .disconnected(.startTLS), .refused(.startTLS, _), .timedOut(.greeting), .refused(.greeting, _):
            false
        default: outcome.isReused || job.server.tls == .implicit || outcome.conversation.replies[.startTLS] != nil
        }
    }

    /// 3xx asks for more, such as the challenge of AUTH (RFC 5321 §4.2.1).
    private func isPast(_ step: SMTPConversation.Step) -> Bool {
        outcome.problem == nil || outcome.conversation.replies[step].map { (200..<300).contains($0.code) } == true
    }
}

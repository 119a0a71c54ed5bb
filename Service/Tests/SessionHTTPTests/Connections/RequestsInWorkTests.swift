import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Requests in work")
struct RequestsInWorkTests {
    // Proves: N1
    @Test("Under overload, reads are rejected first, then changes, then logins, and refreshes last")
    func classes() {
        let work = RequestsInWork(limit: 10)
        var admitted: [RequestClass: Int] = [:]
        for requestClass in RequestClass.allCases.reversed() {
            while work.admit(requestClass) { admitted[requestClass, default: 0] += 1 }
        }
        #expect(admitted == [.read: 4, .change: 2, .login: 2, .session: 2])
        #expect(work.count == 10)
        #expect(work.counts == admitted)
    }

    // Proves: N2
    @Test("Requests that wait for an endpoint leave each class its part of the other places")
    func waiting() {
        let work = RequestsInWork(limit: 10) { 5 }
        for _ in 0..<5 { #expect(work.admit(.login)) }
        var admitted: [RequestClass: Int] = [:]
        for requestClass in RequestClass.allCases.reversed() {
            while work.admit(requestClass) { admitted[requestClass, default: 0] += 1 }
        }
        #expect(admitted == [.read: 2, .change: 1, .login: 1, .session: 1])
        #expect(work.count == 10)
    }

    @Test("A place is free again when its request is finished")
    func finishing() {
        let work = RequestsInWork(limit: 2)
        #expect(work.admit(.session) && work.admit(.session))
        #expect(!work.admit(.session))
        work.finish(.session)
        #expect(work.counts == [.session: 1, .login: 0, .change: 0, .read: 0])
        #expect(work.admit(.session))
        work.finish(.session)
        work.finish(.session)
        #expect(work.count == 0)
    }

    @Test("Each class has at least one place", arguments: RequestClass.allCases)
    func smallLimit(requestClass: RequestClass) {
        #expect(RequestsInWork(limit: 1).admit(requestClass))
    }

    @Test("The class follows from path and method; a query has no effect")
    func paths() {
        let table: [(isRead: Bool, target: String, requestClass: RequestClass)] = [
            (false, "/v1/session/refresh", .session), (false, "/v1/session/revoke?x=1", .session),
            (true, "/.well-known/jwks.json", .session), (false, "/v1/session/otp", .login),
            (false, "/v1/session/otp/check", .login), (false, "/v1/session/login/finalize", .login),
            (false, "/v1/session/stepup/request", .login), (true, "/v1/session/me/list?limit=1", .read),
            (false, "/v1/session/me/revoke", .session), (true, "/metrics", .session),
            (true, "/.well-known/oauth-authorization-server", .session), (true, "/v2/session/log-level", .session),
            (false, "/v2/session/log-level", .session),
            (false, "/v2/session/apps/a/users/b/sessions/invalidate", .session),
            (false, "/v2/session/apps/a/users/b/sessions/c", .session),
            (false, "/v2/session/apps/a/keys/b", .session), (false, "/v2/session/apps/a/keys", .change),
            (false, "/console/sign-in", .session), (true, "/v2/session/apps/a/users/b/sessions", .read),
            (false, "/v2/session/apps/a/users/b/limits", .change), (false, "/v1/session/me/password/reset", .change),
            (true, "/v2/session/apps/a/users", .read),
            (false, "/v2/session/apps/a/users", .change), (true, "/v1/session/refreshed", .read),
        ]
        for (isRead, target, requestClass) in table {
            #expect(RequestClass(isRead: isRead, target: target) == requestClass, "\(target)")
        }
    }
}

public import Foundation
public import HTTPTypes

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The transport of every platform that has Foundation: an ephemeral URLSession, no cookies, no caches, no redirects.
public final class URLSessionTransport: SessionTransport {
    private let session: URLSession

    /// A transport with a URLSession of its own.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: RefusesRedirects(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval
    ) async throws -> (HTTPResponse, Data) {
        guard let scheme = request.scheme, let authority = request.authority,
            let url = URL(string: "\(scheme)://\(authority)\(request.path ?? "/")")
        else { throw PreludeSessionError.invalidConfiguration("the request has no valid URL") }
        var native = URLRequest(url: url, timeoutInterval: timeout)
        native.httpMethod = request.method.rawValue
        native.httpBody = body
        for field in request.headerFields { native.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        do {
            let (data, response) = try await session.data(for: native)
            return (try Self.convert(response), data)
        } catch let error as URLError where error.code == .timedOut {
            throw PreludeSessionError.timeout
        } catch let error as PreludeSessionError {
            throw error
        } catch {
            throw PreludeSessionError.network(underlying: error)
        }
    }

    private static func convert(_ response: URLResponse) throws -> HTTPResponse {
        guard let response = response as? HTTPURLResponse else {
            throw PreludeSessionError.network(underlying: URLError(.badServerResponse))
        }
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            fields.append(HTTPField(name: name, value: value))
        }
        return HTTPResponse(status: .init(code: response.statusCode), headerFields: fields)
    }
}

/// A proof and a token are made for one URL: neither may travel on to where a redirect points.
private final class RefusesRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

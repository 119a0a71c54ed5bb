package import Foundation
package import Hummingbird
import NIOCore
import SessionDomain

extension Request {
    /// The most bytes of a body, of JSON and of forms.
    static let maximumBody = 64 * 1024

    /// Reads the body.
    ///
    /// - Throws: `HTTPError` for 413; `Refusal.invalidField("body")` if it does not arrive whole.
    package func bodyData() async throws -> Data {
        do {
            return Data(try await body.collect(upTo: Self.maximumBody).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge)
        } catch let error as CancellationError {
            throw error
        } catch {
            // The client's side of the connection failed. This is not an error of the service.
            throw Refusal.invalidField("body", "is incomplete, or its length or chunks are wrong")
        }
    }
}

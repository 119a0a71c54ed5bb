/// The header fields that authorize one request to the app's backend.
struct AppAuthorization: Sendable {
    /// The value of `Authorization`.
    let authorization: String
    /// The value of `DPoP`, for a token that is bound to the device key.
    var proof: String?
}

internal import Foundation
internal import SessionTokens

extension KeyRing {
    /// Seals the secret of a route. It can be opened for the same app, channel and kind of route only.
    func seal(
        _ secret: String, of kind: RouteSettings.Kind, channel: OTPLoginConfig.Channel, app: AppID
    ) throws -> String {
        Base64URL.encode(try seal(Data(secret.utf8), context: Self.context(kind, channel, app)))
    }

    /// - Throws: `KeyRingError` if the secret was sealed for something else, or if its master key is missing.
    func openSecret(of route: DeliveryConfig.Route, channel: OTPLoginConfig.Channel, app: AppID) throws -> RouteSecret?
    {
        guard let sealed = route.sealedSecret else { return nil }
        guard let data = Base64URL.decode(sealed) else { throw KeyRingError.cannotOpen }
        let secret = try open(data, context: Self.context(route.settings.kind, channel, app))
        return .value(String(decoding: secret, as: UTF8.self))
    }

    /// Returns the configuration with every secret sealed with the current master key, and how many were not.
    func resealed(_ config: DeliveryConfig, app: AppID) throws -> (config: DeliveryConfig, count: Int) {
        var (new, count) = (config, 0)
        for channel in OTPLoginConfig.Channel.allCases {
            for (index, route) in config[channel].enumerated() {
                guard let data = route.sealedSecret.flatMap({ Base64URL.decode($0) }),
                    MasterKey.id(ofKeyThatSealed: data) != currentID,
                    case .value(let secret) = try openSecret(of: route, channel: channel, app: app)
                else { continue }
                new[channel][index].sealedSecret = try seal(
                    secret, of: route.settings.kind, channel: channel, app: app)
                count += 1
            }
        }
        return (new, count)
    }

    private static func context(
        _ kind: RouteSettings.Kind, _ channel: OTPLoginConfig.Channel, _ app: AppID
    ) -> String {
        "\(app)/delivery/\(channel.rawValue)/\(kind.rawValue)"
    }
}

extension DeliveryConfig {
    /// The ids of the master keys with which the secrets are sealed.
    package var sealingKeyIDs: Set<String> {
        Set(OTPLoginConfig.Channel.allCases.flatMap { self[$0] }.compactMap(\.sealingKeyID))
    }

    /// Removes the routes whose secret is sealed with another master key than these.
    mutating func removeRoutes(exceptSealedWith ids: Set<String>) {
        for channel in OTPLoginConfig.Channel.allCases {
            self[channel].removeAll { route in route.sealingKeyID.map { !ids.contains($0) } ?? false }
        }
    }
}

extension DeliveryConfig.Route {
    /// The id of the master key with which the secret is sealed. `nil` without a secret.
    fileprivate var sealingKeyID: String? {
        sealedSecret.flatMap { Base64URL.decode($0) }.map(MasterKey.id(ofKeyThatSealed:))
    }
}

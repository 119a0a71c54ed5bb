import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("The stored form of an app")
struct StoredAppTests {
    /// A record of version 0.1.0, and later settings, with another value than the default in each.
    private static let record = """
        {"id":"abc1234","name":"Shop","createdAt":1,"domains":["a.example.com"],
        "allowedOrigins":["https://a.example.com"],"signingAlgorithm":"ES256","signUp":false,
        "passwordChangeEndsOtherSessions":false,"registerInOneStep":true,"freshLogin":1,"newIdentifierHold":1,"eventRetention":2,
        "developmentTokens":true,"scopes":["a"],"sessions":{"absoluteLifetime":70000,"accessTokenBinding":"dpop",
        "accessTokenLifetime":61,"boundGraceLimit":11,"deviceKey":"required","idleLifetime":60000,
        "knownDeviceLifetime":86401,"maximumSessions":2,"noncePolicy":"always","proofWindow":11,"unboundGrace":1},
        "otpLimits":{"allowedPrefixes":["+33"],"appSendsPerDay":1,"callingCodeSendsPerDay":2,"checksPerCode":3,
        "codeLifetime":61,"consecutiveFailures":4,"deliveryTests":{"limit":1,"window":2},"failedChecks":{"limit":3,
        "window":4},"failedChecksPerDay":5,"failuresPerAddress":{"limit":5,"window":6},
        "invalidCallsPerAddress":{"limit":7,"window":8},"migrationsPerAddress":{"limit":9,"window":10},
        "noticesPerDay":6,"numberRangeSendsPerDay":7,"resendDelay":8,"sendHook":{"ifUnavailable":"deny",
        "url":"https://b.example.com/"},"sendsPerDay":9,"sendsPerHour":10,"sendsPerVerification":11,
        "starts":{"limit":11,"window":12},"startsPerAddress":{"limit":13,"window":14},"stepUps":{"limit":15,
        "window":16}},"otpLogins":[{"channel":"sms","codeSize":4,"createdAt":3,"grantedScopes":["a"],"id":"lcfg_1",
        "isDefault":true,"senderID":"Shop","templateID":"HX1","updatedAt":4}],"passwordLogin":{"createdAt":5,
        "enabled":false,"identifierLimit":{"limit":10,"window":900},"ipLimit":{"limit":30,"window":600},
        "policy":{"lowercase":1,"maxLength":64,"minLength":9,"numbers":2,"symbols":3,"uppercase":4},
        "rejectsCommonPasswords":false,"updatedAt":6},"messages":{"androidAppHash":"FA+9qCX9VSu",
        "autofillHost":"shop.example","defaultLocale":"de","notices":{"identifierAdded":false,
        "identifierRemoved":false,"newDevice":true,"passkeyAdded":false,"passkeyRemoved":false,"passwordChanged":false,"sessionsEnded":false},"templates":[]},
        "passkeys":{"allowedAAGUIDs":["fbfc3007-154e-4ecc-8c0b-6e020557d7bd"],"allowedOrigins":["https://a.example.com"],
        "androidApps":["com.example.app 00"],"attestationPreference":"direct","attestationRoots":["AAAA"],
        "codesWithPasskey":false,"createdAt":9,"grantedScopes":["a"],"iosAppIDs":["A1B2C3D4E5.com.example.app"],
        "loginEnabled":false,"refuseLowerCounter":false,"relyingPartyID":"example.com","relyingPartyName":"Shop",
        "updatedAt":10,"userVerification":"preferred"},
        "migration":{"createdAt":7,"sessionValidationURL":"https://b.example.com/migrate","updatedAt":8},"blocks":[]}
        """

    @Test("A record of an earlier version is read whole, and written as nodes of that version read it")
    func compatible() throws {
        let stored = try TokenJSON.decode(JSONValue.self, from: Data(Self.record.utf8))
        let app = try TokenJSON.decode(App.self, from: Data(Self.record.utf8))
        #expect(try TokenJSON.decode(JSONValue.self, from: TokenJSON.encode(app)) == stored)
    }

    @Test("No setting of the record has its default: otherwise the test above would not notice that it is lost")
    func noDefaults() throws {
        let app = try TokenJSON.decode(App.self, from: Data(Self.record.utf8))
        for type in SettingsGroups.all { check(type, app) }
        for (name, value) in OTPLoginConfig.schema.json(app.otpLogins[0]) where name != "channel_type" {
            #expect(OTPLoginConfig.schema.json(.defaults)[name] != value, "\(name)")
        }
    }

    private func check<Group: SettingsGroup>(_ type: Group.Type, _ app: App) {
        let (values, defaults) = (Group.schema.json(app[keyPath: Group.place]), Group.schema.json(.defaults))
        for field in Group.schema.fields {
            #expect(values[field.name] != nil && values[field.name] != defaults[field.name], "\(field.name)")
        }
    }
}

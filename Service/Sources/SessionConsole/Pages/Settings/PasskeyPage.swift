import SessionDomain

/// How users register passkeys, and sign in with them.
enum PasskeyPage {
    static let page = SettingsGroupPage<PasskeyConfig>(
        title: "Passkeys", path: "passkeys", section: .logins, parent: ("Logins", "logins"),
        lead:
            "A passkey is a key on the device or in the password manager of a user. It cannot be guessed, and a page of "
            + "another domain cannot ask for it.",
        confirm: "Save the settings of passkeys",
        consequences: { next, stored, console in
            guard console.app.passkeys != nil else { return [] }
            return consequences(of: next, replacing: stored) + (try await lostScopes(next, stored, console))
        },
        missing: "Passkeys are not configured. Save these settings to begin.",
        more: { console in
            guard let config = console.app.passkeys else { return .empty }
            return Format.card("This configuration") {
                Format.values(["Created": Format.time(config.createdAt), "Changed": Format.time(config.updatedAt)])
            }
        })

    /// What users can no longer do. Empty for settings that take nothing.
    static func consequences(of next: PasskeyConfig, replacing old: PasskeyConfig) -> [String] {
        relyingParty(next, old) + signIn(next, old) + authenticators(next, old) + origins(next, old)
    }

    private static func relyingParty(_ next: PasskeyConfig, _ old: PasskeyConfig) -> [String] {
        guard next.relyingPartyID != old.relyingPartyID else { return [] }
        return [
            "All passkeys of all users are void: they are bound to \(old.relyingPartyID), not to \(next.relyingPartyID). "
                + "Users sign in in another way, and register a new one.",
            "The passkeys stay in the lists of the users. They are valid again if you set the RP ID back.",
        ]
    }

    private static func signIn(_ next: PasskeyConfig, _ old: PasskeyConfig) -> [String] {
        var lost: [String] = []
        if !next.loginEnabled, old.loginEnabled {
            lost += [
                "No user can sign in with a passkey. A user who has no other way to sign in cannot sign in.",
                "The passkeys stay, and still complete steps of step-ups. Sessions stay.",
            ]
        }
        if !next.codesWithPasskey, old.codesWithPasskey {
            lost += [
                "Users with a passkey get no codes to sign in any more. The call that asks for a code does not say so.",
                "A user who loses all devices with passkeys cannot sign in with a code until you delete these passkeys.",
            ]
        }
        return lost
    }

    private static func authenticators(_ next: PasskeyConfig, _ old: PasskeyConfig) -> [String] {
        var lost: [String] = []
        if next.requiresAttestation, !old.requiresAttestation {
            lost.append(
                "Synchronized passkeys, such as those of password managers, cannot be registered any more: they have no "
                    + "attestation. Passkeys that are registered stay valid.")
        }
        let roots = old.attestationRoots.count { !next.attestationRoots.contains($0) }
        if roots > 0, !next.attestationRoots.isEmpty {
            lost.append(
                "Authenticators whose attestation leads to \(Format.count(roots, "removed root")) only cannot be registered "
                    + "any more. Passkeys that are registered stay valid.")
        }
        let isNarrower =
            !next.allowedAAGUIDs.isEmpty
            && (old.allowedAAGUIDs.isEmpty || !Set(old.allowedAAGUIDs).isSubset(of: next.allowedAAGUIDs))
        if isNarrower {
            lost.append(
                "Only \(Format.count(next.allowedAAGUIDs.count, "model")) of authenticators can be registered. Passkeys of "
                    + "other models that are registered stay valid.")
        }
        if next.userVerification == .required, old.userVerification != .required {
            lost.append(
                "Authenticators that do not verify their user, such as a security key without a PIN, can neither be "
                    + "registered nor used.")
        }
        return lost
    }

    private static func origins(_ next: PasskeyConfig, _ old: PasskeyConfig) -> [String] {
        let kept = Set(next.allowedOrigins + next.webOrigins)
        let origins = old.allowedOrigins.filter { !kept.contains($0) }
            .map { "Pages and apps of the origin \($0) can neither register passkeys nor use them." }
        let apple = old.iosAppIDs.filter { !next.iosAppIDs.contains($0) }
            .map {
                "The app \($0) of Apple loses the passkeys as soon as its devices load the file of the RP ID again."
            }
        let keptApps = next.androidApps.compactMap(AndroidApp.init)
        let android = old.androidApps.compactMap(AndroidApp.init).filter { !keptApps.contains($0) }
            .map { app in
                "The app \(app.package) of Android with the certificate \(app.fingerprint.prefix(11))… can neither "
                    + "register passkeys nor use them."
            }
        return origins + apple + android
    }

    private static func lostScopes(
        _ next: PasskeyConfig, _ old: PasskeyConfig, _ console: ConsoleAppContext
    ) async throws -> [String] {
        let fewer = old.grantedScopes.filter { !next.grantedScopes.contains($0) }.sorted()
        guard !fewer.isEmpty else { return [] }
        var app = console.app
        app.passkeys = next
        let ended = console.app.grantableScopes.subtracting(app.grantableScopes)
        var lost = [
            "Sessions that begin with a passkey from now on do not get \(fewer.joined(separator: ", ")) by this login."
        ]
        for scope in ended.sorted() {
            lost.append("No other login and no rule grants \(scope).")
            lost += try await AffectedUsers.granted(scope, console)
        }
        return lost
    }
}

extension App {
    /// Whether users sign in with passkeys.
    var acceptsPasskeys: Bool { passkeys?.loginEnabled ?? false }

    /// How many logins grant a scope. The login with a passkey is one.
    func logins(granting scope: String) -> Int {
        otpLogins.count { $0.grantedScopes.contains(scope) }
            + (passkeys?.grantedScopes.contains(scope) == true ? 1 : 0)
    }
}

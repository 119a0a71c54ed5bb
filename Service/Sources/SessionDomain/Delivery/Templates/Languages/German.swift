extension TemplateLanguage {
    static let german = MessageLocale("de").map { locale in
        TemplateLanguage(
            locale: locale, unknownDevice: "ein unbekanntes Gerät", date: { "\($2).\($1).\($0)," },
            texts: { purpose in
                switch purpose {
                case .signIn:
                    Texts(
                        sms: "{{code}} ist Ihr Code für {{app_name}}. Geben Sie ihn an niemanden weiter.",
                        subject: "Ihr Anmeldecode für {{app_name}}",
                        mail: """
                            Mit diesem Code melden Sie sich bei {{app_name}} an:

                            {{code}}

                            Er ist {{minutes}} Min. gültig. Geben Sie ihn an niemanden weiter.

                            Wenn Sie ihn nicht angefordert haben, können Sie diese Nachricht ignorieren.
                            """)
                case .stepUp:
                    Texts(
                        sms: "{{code}} ist Ihr Code, um einen Vorgang in {{app_name}} zu bestätigen. Geben Sie ihn an "
                            + "niemanden weiter.",
                        subject: "Bestätigen Sie einen Vorgang in {{app_name}}",
                        mail: """
                            Mit diesem Code bestätigen Sie einen Vorgang in {{app_name}}:

                            {{code}}

                            Er ist {{minutes}} Min. gültig. Geben Sie ihn an niemanden weiter.

                            Wenn Sie diesen Vorgang nicht begonnen haben, geben Sie den Code nicht ein und prüfen Sie Ihr \
                            Konto in der App.
                            """)
                case .newIdentifier:
                    Texts(
                        sms:
                            "{{code}} ist Ihr Code, um diese Nummer Ihrem Konto bei {{app_name}} hinzuzufügen. Geben Sie "
                            + "ihn an niemanden weiter.",
                        subject: "Bestätigen Sie diese Adresse für {{app_name}}",
                        mail: """
                            Mit diesem Code fügen Sie diese E-Mail-Adresse Ihrem Konto bei {{app_name}} hinzu:

                            {{code}}

                            Er ist {{minutes}} Min. gültig. Geben Sie ihn an niemanden weiter.

                            Wenn Sie ihn nicht angefordert haben, können Sie diese Nachricht ignorieren. Ohne den Code \
                            wird die Adresse nicht hinzugefügt.
                            """)
                case .newDevice:
                    Texts(
                        sms:
                            "{{app_name}}: neue Anmeldung am {{time}} ({{device}}). Waren Sie das nicht, öffnen Sie die "
                            + "App und beenden Sie diese Sitzung.",
                        subject: "Neue Anmeldung bei {{app_name}}",
                        mail: """
                            Mit Ihrem Konto bei {{app_name}} gab es eine neue Anmeldung.

                            Zeit: {{time}}
                            Gerät: {{device}}

                            Wenn Sie das waren, müssen Sie nichts tun. Andernfalls öffnen Sie die App und beenden Sie diese \
                            Sitzung.
                            """)
                case .identifierAdded:
                    Texts(
                        sms:
                            "{{app_name}}: {{identifier}} wurde am {{time}} Ihrem Konto hinzugefügt. Waren Sie das nicht, "
                            + "wenden Sie sich an den Support.",
                        subject: "Ihr Konto bei {{app_name}} wurde geändert",
                        mail: """
                            {{identifier}} wurde Ihrem Konto bei {{app_name}} hinzugefügt. Damit ist jetzt eine Anmeldung \
                            möglich.

                            Zeit: {{time}}

                            Wenn Sie das waren, müssen Sie nichts tun. Andernfalls wenden Sie sich an den Support.
                            """)
                case .identifierRemoved:
                    Texts(
                        sms: "{{app_name}}: {{identifier}} wurde am {{time}} aus Ihrem Konto entfernt. Waren Sie das "
                            + "nicht, wenden Sie sich an den Support.",
                        subject: "Ihr Konto bei {{app_name}} wurde geändert",
                        mail: """
                            {{identifier}} wurde aus Ihrem Konto bei {{app_name}} entfernt. Damit ist keine Anmeldung mehr \
                            möglich.

                            Zeit: {{time}}

                            Wenn Sie das waren, müssen Sie nichts tun. Andernfalls wenden Sie sich an den Support.
                            """)
                case .passwordChanged:
                    Texts(
                        sms: "{{app_name}}: Für Ihr Konto wurde am {{time}} ein neues Passwort gesetzt. Waren Sie das "
                            + "nicht, wenden Sie sich an den Support.",
                        subject: "Neues Passwort für {{app_name}}",
                        mail: """
                            Für Ihr Konto bei {{app_name}} wurde ein neues Passwort gesetzt.

                            Zeit: {{time}}

                            Wenn Sie das waren, müssen Sie nichts tun. Andernfalls wenden Sie sich an den Support.
                            """)
                case .passkeyAdded:
                    Texts(
                        sms:
                            "{{app_name}}: Ihr Konto hat seit {{time}} einen neuen Passkey. Waren Sie das nicht, wenden "
                            + "Sie sich an den Support.",
                        subject: "Neuer Passkey für {{app_name}}",
                        mail: """
                            Ihrem Konto bei {{app_name}} wurde ein Passkey hinzugefügt. Damit kann man sich anmelden.

                            Zeit: {{time}}

                            Wenn Sie das waren, müssen Sie nichts tun. Andernfalls wenden Sie sich an den Support.
                            """)
                case .passkeyRemoved:
                    Texts(
                        sms:
                            "{{app_name}}: Aus Ihrem Konto wurde am {{time}} ein Passkey entfernt. Waren Sie das nicht, "
                            + "wenden Sie sich an den Support.",
                        subject: "Passkey bei {{app_name}} entfernt",
                        mail: """
                            Aus Ihrem Konto bei {{app_name}} wurde ein Passkey entfernt. Damit kann man sich nicht mehr anmelden.

                            Zeit: {{time}}

                            Wenn Sie das waren, müssen Sie nichts tun. Andernfalls wenden Sie sich an den Support.
                            """)
                case .sessionsEnded:
                    Texts(
                        sms:
                            "{{app_name}}: Eine Sitzung ({{device}}) wurde am {{time}} beendet, weil sie kopiert worden "
                            + "sein kann. Melden Sie sich in der App neu an.",
                        subject: "Eine Sitzung Ihres Kontos bei {{app_name}} wurde beendet",
                        mail: """
                            Wir haben eine Sitzung Ihres Kontos bei {{app_name}} beendet, weil sie auf ein anderes Gerät \
                            kopiert worden sein kann.

                            Zeit: {{time}}
                            Gerät: {{device}}

                            Wenn Sie abgemeldet wurden, öffnen Sie die App und melden Sie sich neu an. Wir fragen nie in \
                            einer Nachricht nach einem Passwort oder einem Code.
                            """)
                }
            })
    }
}

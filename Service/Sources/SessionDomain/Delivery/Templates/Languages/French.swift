/// The texts for SMS have only characters of the GSM alphabet: no `ç`, no circumflex, no typographic apostrophe.
extension TemplateLanguage {
    static let french = MessageLocale("fr").map { locale in
        TemplateLanguage(
            locale: locale, unknownDevice: "un appareil inconnu", date: { "\($2)/\($1)/\($0)" },
            texts: { purpose in
                switch purpose {
                case .signIn:
                    Texts(
                        sms: "{{code}} est votre code pour {{app_name}}. Ne le partagez avec personne.",
                        subject: "Votre code de connexion à {{app_name}}",
                        mail: """
                            Utilisez ce code pour vous connecter à {{app_name}}\u{A0}:

                            {{code}}

                            Il est valable {{minutes}} min. Ne le partagez avec personne.

                            Si vous ne l’avez pas demandé, vous pouvez ignorer ce message.
                            """)
                case .stepUp:
                    Texts(
                        sms:
                            "{{code}} est votre code pour confirmer une opération dans {{app_name}}. Ne le partagez avec "
                            + "personne.",
                        subject: "Confirmez une opération dans {{app_name}}",
                        mail: """
                            Utilisez ce code pour confirmer une opération dans {{app_name}}\u{A0}:

                            {{code}}

                            Il est valable {{minutes}} min. Ne le partagez avec personne.

                            Si vous n’êtes pas à l’origine de cette opération, ne saisissez pas le code et vérifiez votre \
                            compte dans l’application.
                            """)
                case .newIdentifier:
                    Texts(
                        sms:
                            "{{code}} est votre code pour ajouter ce numéro à votre compte {{app_name}}. Ne le partagez "
                            + "avec personne.",
                        subject: "Confirmez cette adresse pour {{app_name}}",
                        mail: """
                            Utilisez ce code pour ajouter cette adresse e-mail à votre compte {{app_name}}\u{A0}:

                            {{code}}

                            Il est valable {{minutes}} min. Ne le partagez avec personne.

                            Si vous ne l’avez pas demandé, vous pouvez ignorer ce message. L’adresse n’est pas ajoutée \
                            sans le code.
                            """)
                case .newDevice:
                    Texts(
                        sms: "{{app_name}} : nouvelle connexion le {{time}} ({{device}}). Si ce n'est pas vous, ouvrez "
                            + "l'application et fermez cette session.",
                        subject: "Nouvelle connexion à {{app_name}}",
                        mail: """
                            Une nouvelle connexion à votre compte {{app_name}} a eu lieu.

                            Date\u{A0}: {{time}}
                            Appareil\u{A0}: {{device}}

                            Si c’est vous, vous n’avez rien à faire. Sinon, ouvrez l’application et fermez cette session.
                            """)
                case .identifierAdded:
                    Texts(
                        sms:
                            "{{app_name}} : {{identifier}} a été ajouté à votre compte le {{time}}. Si ce n'est pas vous, "
                            + "contactez l'assistance.",
                        subject: "Votre compte {{app_name}} a été modifié",
                        mail: """
                            {{identifier}} a été ajouté à votre compte {{app_name}} et permet désormais de s’y connecter.

                            Date\u{A0}: {{time}}

                            Si c’est vous, vous n’avez rien à faire. Sinon, contactez l’assistance.
                            """)
                case .identifierRemoved:
                    Texts(
                        sms: "{{app_name}} : {{identifier}} a été retiré de votre compte le {{time}}. Si ce n'est pas "
                            + "vous, contactez l'assistance.",
                        subject: "Votre compte {{app_name}} a été modifié",
                        mail: """
                            {{identifier}} a été retiré de votre compte {{app_name}} et ne permet plus de s’y connecter.

                            Date\u{A0}: {{time}}

                            Si c’est vous, vous n’avez rien à faire. Sinon, contactez l’assistance.
                            """)
                case .passwordChanged:
                    Texts(
                        sms: "{{app_name}} : un nouveau mot de passe a été défini le {{time}}. Si ce n'est pas vous, "
                            + "contactez l'assistance.",
                        subject: "Nouveau mot de passe pour {{app_name}}",
                        mail: """
                            Un nouveau mot de passe a été défini pour votre compte {{app_name}}.

                            Date\u{A0}: {{time}}

                            Si c’est vous, vous n’avez rien à faire. Sinon, contactez l’assistance.
                            """)
                case .passkeyAdded:
                    Texts(
                        sms:
                            "{{app_name}} : une clé d'accès a été ajoutée à votre compte le {{time}}. Si ce n'est pas vous, "
                            + "contactez l'assistance.",
                        subject: "Nouvelle clé d’accès pour {{app_name}}",
                        mail: """
                            Une clé d’accès a été ajoutée à votre compte {{app_name}}. Elle permet de se connecter.

                            Date\u{A0}: {{time}}

                            Si c’est vous, vous n’avez rien à faire. Sinon, contactez l’assistance.
                            """)
                case .passkeyRemoved:
                    Texts(
                        sms:
                            "{{app_name}} : une clé d'accès a été retirée de votre compte le {{time}}. Si ce n'est pas vous, "
                            + "contactez l'assistance.",
                        subject: "Clé d’accès retirée de {{app_name}}",
                        mail: """
                            Une clé d’accès a été retirée de votre compte {{app_name}}. Elle ne permet plus de se connecter.

                            Date\u{A0}: {{time}}

                            Si c’est vous, vous n’avez rien à faire. Sinon, contactez l’assistance.
                            """)
                case .sessionsEnded:
                    Texts(
                        sms: "{{app_name}} : une session ({{device}}) a été fermée le {{time}}, car elle a pu servir "
                            + "ailleurs. Ouvrez l'application pour vous reconnecter.",
                        subject: "Une session de votre compte {{app_name}} a été fermée",
                        mail: """
                            Nous avons fermé une session de votre compte {{app_name}}, car elle a peut-être été copiée sur \
                            un autre appareil.

                            Date\u{A0}: {{time}}
                            Appareil\u{A0}: {{device}}

                            Si vous avez été déconnecté, ouvrez l’application et reconnectez-vous. Nous ne demandons jamais \
                            de mot de passe ni de code par message.
                            """)
                }
            })
    }
}

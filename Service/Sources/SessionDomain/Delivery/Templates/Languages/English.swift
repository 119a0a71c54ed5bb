extension TemplateLanguage {
    static let english = TemplateLanguage(
        locale: .english, unknownDevice: "an unknown device",
        date: { year, month, day in
            let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
            let name = Int(month).flatMap { names.indices.contains($0 - 1) ? names[$0 - 1] : nil }
            return "\(day) \(name ?? String(month)) \(year),"
        },
        texts: { purpose in
            switch purpose {
            case .signIn:
                Texts(
                    sms: "{{code}} is your code for {{app_name}}. Never share it with anyone.",
                    subject: "Your sign-in code for {{app_name}}",
                    mail: """
                        Use this code to sign in to {{app_name}}:

                        {{code}}

                        It is valid for {{minutes}} min. Never share it with anyone.

                        If you did not request it, you can ignore this message.
                        """)
            case .stepUp:
                Texts(
                    sms: "{{code}} is your code to confirm an action in {{app_name}}. Never share it with anyone.",
                    subject: "Confirm an action in {{app_name}}",
                    mail: """
                        Use this code to confirm an action in {{app_name}}:

                        {{code}}

                        It is valid for {{minutes}} min. Never share it with anyone.

                        If you did not start this action, do not enter the code, and check your account in the app.
                        """)
            case .newIdentifier:
                Texts(
                    sms:
                        "{{code}} is your code to add this number to your {{app_name}} account. Never share it with anyone.",
                    subject: "Confirm this address for {{app_name}}",
                    mail: """
                        Use this code to add this e-mail address to your {{app_name}} account:

                        {{code}}

                        It is valid for {{minutes}} min. Never share it with anyone.

                        If you did not request it, you can ignore this message. The address is not added without the code.
                        """)
            case .newDevice:
                Texts(
                    sms:
                        "{{app_name}}: new sign-in on {{time}} ({{device}}). If this was not you, open the app and end "
                        + "that session.",
                    subject: "New sign-in to {{app_name}}",
                    mail: """
                        There was a new sign-in to your {{app_name}} account.

                        Time: {{time}}
                        Device: {{device}}

                        If this was you, there is nothing to do. If it was not, open the app and end that session.
                        """)
            case .identifierAdded:
                Texts(
                    sms:
                        "{{app_name}}: {{identifier}} was added to your account on {{time}}. If this was not you, contact "
                        + "support.",
                    subject: "Your {{app_name}} account was changed",
                    mail: """
                        {{identifier}} was added to your {{app_name}} account. It can now be used to sign in.

                        Time: {{time}}

                        If this was you, there is nothing to do. If it was not, contact support.
                        """)
            case .identifierRemoved:
                Texts(
                    sms:
                        "{{app_name}}: {{identifier}} was removed from your account on {{time}}. If this was not you, contact "
                        + "support.",
                    subject: "Your {{app_name}} account was changed",
                    mail: """
                        {{identifier}} was removed from your {{app_name}} account. It can no longer be used to sign in.

                        Time: {{time}}

                        If this was you, there is nothing to do. If it was not, contact support.
                        """)
            case .passwordChanged:
                Texts(
                    sms:
                        "{{app_name}}: a new password was set for your account on {{time}}. If this was not you, contact "
                        + "support.",
                    subject: "New password for {{app_name}}",
                    mail: """
                        A new password was set for your {{app_name}} account.

                        Time: {{time}}

                        If this was you, there is nothing to do. If it was not, contact support.
                        """)
            case .passkeyAdded:
                Texts(
                    sms:
                        "{{app_name}}: a passkey was added to your account on {{time}}. If this was not you, contact "
                        + "support.",
                    subject: "New passkey for {{app_name}}",
                    mail: """
                        A passkey was added to your {{app_name}} account. It can be used to sign in.

                        Time: {{time}}

                        If this was you, there is nothing to do. If it was not, contact support.
                        """)
            case .passkeyRemoved:
                Texts(
                    sms:
                        "{{app_name}}: a passkey was removed from your account on {{time}}. If this was not you, contact "
                        + "support.",
                    subject: "Passkey removed from {{app_name}}",
                    mail: """
                        A passkey was removed from your {{app_name}} account. It can no longer be used to sign in.

                        Time: {{time}}

                        If this was you, there is nothing to do. If it was not, contact support.
                        """)
            case .sessionsEnded:
                Texts(
                    sms:
                        "{{app_name}}: a session ({{device}}) was ended on {{time}}, because it may have been copied. Open the "
                        + "app to sign in again.",
                    subject: "A session of your {{app_name}} account was ended",
                    mail: """
                        We ended a session of your {{app_name}} account, because it may have been copied to another device.

                        Time: {{time}}
                        Device: {{device}}

                        If you were signed out, open the app and sign in again. We never ask for a password or a code in a \
                        message.
                        """)
            }
        })
}

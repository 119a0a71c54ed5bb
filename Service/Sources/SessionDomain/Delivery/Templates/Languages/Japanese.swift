/// An SMS in Japanese has at most 70 characters, so those of notices are short.
extension TemplateLanguage {
    static let japanese = MessageLocale("ja").map { locale in
        TemplateLanguage(
            locale: locale, unknownDevice: "不明なデバイス", date: { "\($0)/\($1)/\($2)" },
            texts: { purpose in
                switch purpose {
                case .signIn:
                    Texts(
                        sms: "{{app_name}}の認証コードは{{code}}です。誰にも教えないでください。",
                        subject: "{{app_name}}の認証コード",
                        mail: """
                            {{app_name}}にサインインするには、次のコードを入力してください。

                            {{code}}

                            有効期限は{{minutes}}分です。誰にも教えないでください。

                            お心当たりがない場合は、このメールを無視してください。
                            """)
                case .stepUp:
                    Texts(
                        sms: "{{app_name}}の操作を確認するコードは{{code}}です。誰にも教えないでください。",
                        subject: "{{app_name}}での操作の確認",
                        mail: """
                            {{app_name}}での操作を確認するには、次のコードを入力してください。

                            {{code}}

                            有効期限は{{minutes}}分です。誰にも教えないでください。

                            この操作にお心当たりがない場合は、コードを入力せずに、アプリでアカウントを確認してください。
                            """)
                case .newIdentifier:
                    Texts(
                        sms: "{{app_name}}にこの電話番号を追加するコードは{{code}}です。誰にも教えないでください。",
                        subject: "{{app_name}}のメールアドレスの確認",
                        mail: """
                            このメールアドレスを{{app_name}}のアカウントに追加するには、次のコードを入力してください。

                            {{code}}

                            有効期限は{{minutes}}分です。誰にも教えないでください。

                            お心当たりがない場合は、このメールを無視してください。コードを入力しない限り、メールアドレスは追加されません。
                            """)
                case .newDevice:
                    Texts(
                        sms: "{{app_name}}に新しいデバイスからサインイン（{{time}}）。心当たりがなければアプリで確認してください。",
                        subject: "{{app_name}}への新しいサインイン",
                        mail: """
                            {{app_name}}のアカウントに、新しいデバイスからのサインインがありました。

                            日時：{{time}}
                            デバイス：{{device}}

                            ご本人によるものであれば、何もする必要はありません。お心当たりがない場合は、アプリを開いて、そのセッションを終了してください。
                            """)
                case .identifierAdded:
                    Texts(
                        sms: "{{app_name}}に{{identifier}}が追加されました。心当たりがなければサポートにご連絡ください。",
                        subject: "{{app_name}}のアカウントが変更されました",
                        mail: """
                            {{app_name}}のアカウントに{{identifier}}が追加され、サインインに使えるようになりました。

                            日時：{{time}}

                            ご本人によるものであれば、何もする必要はありません。お心当たりがない場合は、サポートにお問い合わせください。
                            """)
                case .identifierRemoved:
                    Texts(
                        sms: "{{app_name}}から{{identifier}}が削除されました。心当たりがなければサポートにご連絡ください。",
                        subject: "{{app_name}}のアカウントが変更されました",
                        mail: """
                            {{app_name}}のアカウントから{{identifier}}が削除され、サインインに使えなくなりました。

                            日時：{{time}}

                            ご本人によるものであれば、何もする必要はありません。お心当たりがない場合は、サポートにお問い合わせください。
                            """)
                case .passwordChanged:
                    Texts(
                        sms: "{{app_name}}のパスワードが変更されました（{{time}}）。心当たりがなければサポートへご連絡ください。",
                        subject: "{{app_name}}のパスワードが変更されました",
                        mail: """
                            {{app_name}}のアカウントに新しいパスワードが設定されました。

                            日時：{{time}}

                            ご本人によるものであれば、何もする必要はありません。お心当たりがない場合は、サポートにお問い合わせください。
                            """)
                case .passkeyAdded:
                    Texts(
                        sms: "{{app_name}}にパスキーが追加されました（{{time}}）。心当たりがなければサポートへご連絡ください。",
                        subject: "{{app_name}}にパスキーが追加されました",
                        mail: """
                            {{app_name}}のアカウントにパスキーが追加されました。このパスキーでサインインできます。

                            日時：{{time}}

                            ご本人によるものであれば、何もする必要はありません。お心当たりがない場合は、サポートにお問い合わせください。
                            """)
                case .passkeyRemoved:
                    Texts(
                        sms: "{{app_name}}のパスキーが削除されました（{{time}}）。心当たりがなければサポートへご連絡ください。",
                        subject: "{{app_name}}のパスキーが削除されました",
                        mail: """
                            {{app_name}}のアカウントからパスキーが削除されました。このパスキーではサインインできなくなりました。

                            日時：{{time}}

                            ご本人によるものであれば、何もする必要はありません。お心当たりがない場合は、サポートにお問い合わせください。
                            """)
                case .sessionsEnded:
                    Texts(
                        sms: "{{app_name}}のセッションを、複製された可能性があるため終了しました。アプリで再度サインインしてください。",
                        subject: "{{app_name}}のセッションを終了しました",
                        mail: """
                            {{app_name}}のアカウントのセッションが別のデバイスに複製された可能性があるため、そのセッションを終了しました。

                            日時：{{time}}
                            デバイス：{{device}}

                            サインアウトされた場合は、アプリを開いて、もう一度サインインしてください。メッセージでパスワードやコードをお尋ねすることはありません。
                            """)
                }
            })
    }
}

/// “código” is not in the GSM alphabet, so texts for SMS with a code have at most 70 characters. Those of notices avoid
/// accents on `a`, `i`, `o` and `u`.
extension TemplateLanguage {
    static let spanish = MessageLocale("es").map { locale in
        TemplateLanguage(
            locale: locale, unknownDevice: "un dispositivo desconocido", date: { "\($2)/\($1)/\($0)" },
            texts: { purpose in
                switch purpose {
                case .signIn:
                    Texts(
                        sms: "{{code}} es su código de {{app_name}}. No lo comparta con nadie.",
                        subject: "Su código de acceso a {{app_name}}",
                        mail: """
                            Use este código para iniciar sesión en {{app_name}}:

                            {{code}}

                            Es válido durante {{minutes}} min. No lo comparta con nadie.

                            Si no lo ha solicitado, puede ignorar este mensaje.
                            """)
                case .stepUp:
                    Texts(
                        sms: "{{app_name}}: {{code}} es su código de confirmación. No lo comparta.",
                        subject: "Confirme una operación en {{app_name}}",
                        mail: """
                            Use este código para confirmar una operación en {{app_name}}:

                            {{code}}

                            Es válido durante {{minutes}} min. No lo comparta con nadie.

                            Si no ha iniciado esta operación, no introduzca el código y revise su cuenta en la aplicación.
                            """)
                case .newIdentifier:
                    Texts(
                        sms: "{{app_name}}: añada este número con el código {{code}}. No lo comparta.",
                        subject: "Confirme esta dirección para {{app_name}}",
                        mail: """
                            Use este código para añadir esta dirección de correo a su cuenta de {{app_name}}:

                            {{code}}

                            Es válido durante {{minutes}} min. No lo comparta con nadie.

                            Si no lo ha solicitado, puede ignorar este mensaje. Sin el código no se añade la dirección.
                            """)
                case .newDevice:
                    Texts(
                        sms:
                            "{{app_name}}: nuevo acceso a su cuenta el {{time}} ({{device}}). Si no lo reconoce, abra la "
                            + "app y desconecte ese dispositivo.",
                        subject: "Nuevo inicio de sesión en {{app_name}}",
                        mail: """
                            Se ha iniciado sesión en su cuenta de {{app_name}} desde un dispositivo nuevo.

                            Fecha: {{time}}
                            Dispositivo: {{device}}

                            Si ha sido usted, no tiene que hacer nada. Si no, abra la aplicación y cierre esa sesión.
                            """)
                case .identifierAdded:
                    Texts(
                        sms: "{{app_name}}: se ha agregado {{identifier}} a su cuenta el {{time}}. Si no lo reconoce, "
                            + "contacte con el servicio de asistencia.",
                        subject: "Se ha modificado su cuenta de {{app_name}}",
                        mail: """
                            Se ha añadido {{identifier}} a su cuenta de {{app_name}}. Ahora permite iniciar sesión.

                            Fecha: {{time}}

                            Si ha sido usted, no tiene que hacer nada. Si no, póngase en contacto con el servicio de \
                            asistencia.
                            """)
                case .identifierRemoved:
                    Texts(
                        sms:
                            "{{app_name}}: se ha eliminado {{identifier}} de su cuenta el {{time}}. Si no lo reconoce, "
                            + "contacte con el servicio de asistencia.",
                        subject: "Se ha modificado su cuenta de {{app_name}}",
                        mail: """
                            Se ha eliminado {{identifier}} de su cuenta de {{app_name}}. Ya no permite iniciar sesión.

                            Fecha: {{time}}

                            Si ha sido usted, no tiene que hacer nada. Si no, póngase en contacto con el servicio de \
                            asistencia.
                            """)
                case .passwordChanged:
                    Texts(
                        sms:
                            "{{app_name}}: su cuenta tiene una nueva contraseña desde el {{time}}. Si no lo reconoce, contacte "
                            + "con el servicio de asistencia.",
                        subject: "Nueva contraseña de {{app_name}}",
                        mail: """
                            Se ha establecido una nueva contraseña para su cuenta de {{app_name}}.

                            Fecha: {{time}}

                            Si ha sido usted, no tiene que hacer nada. Si no, póngase en contacto con el servicio de \
                            asistencia.
                            """)
                case .passkeyAdded:
                    Texts(
                        sms:
                            "{{app_name}}: se ha añadido una llave de acceso a su cuenta el {{time}}. Si no lo reconoce, contacte "
                            + "con el servicio de asistencia.",
                        subject: "Nueva llave de acceso de {{app_name}}",
                        mail: """
                            Se ha añadido una llave de acceso a su cuenta de {{app_name}}. Permite iniciar sesión.

                            Fecha: {{time}}

                            Si ha sido usted, no tiene que hacer nada. Si no, póngase en contacto con el servicio de \
                            asistencia.
                            """)
                case .passkeyRemoved:
                    Texts(
                        sms:
                            "{{app_name}}: se ha eliminado una llave de acceso de su cuenta el {{time}}. Si no lo reconoce, "
                            + "contacte con el servicio de asistencia.",
                        subject: "Llave de acceso de {{app_name}} eliminada",
                        mail: """
                            Se ha eliminado una llave de acceso de su cuenta de {{app_name}}. Ya no permite iniciar sesión.

                            Fecha: {{time}}

                            Si ha sido usted, no tiene que hacer nada. Si no, póngase en contacto con el servicio de \
                            asistencia.
                            """)
                case .sessionsEnded:
                    Texts(
                        sms:
                            "{{app_name}}: el {{time}} se ha cerrado un acceso ({{device}}) que puede haber sido copiado. "
                            + "Abra la app para volver a entrar.",
                        subject: "Se ha cerrado una sesión de su cuenta de {{app_name}}",
                        mail: """
                            Hemos cerrado una sesión de su cuenta de {{app_name}}, porque puede haber sido copiada en otro \
                            dispositivo.

                            Fecha: {{time}}
                            Dispositivo: {{device}}

                            Si se ha cerrado su sesión, abra la aplicación y vuelva a iniciarla. Nunca pedimos contraseñas \
                            ni códigos en un mensaje.
                            """)
                }
            })
    }
}

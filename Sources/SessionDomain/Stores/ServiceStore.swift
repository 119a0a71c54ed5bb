/// Everything that the service needs of one database.
package typealias ServiceStore = AppStore & EventStore & HousekeepingStore & LoginStore & ManagementKeyStore
    & SessionStore & StepUpStore & UserStore & WebhookStore

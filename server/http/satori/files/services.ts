import type {Database} from "../../../database/database.ts"
import type {Endpoints} from "../../../endpoints/endpoints.ts"
import type {FileStore} from "../../../outbox/files/store.ts"
import type {Outbox} from "../../../outbox/outbox.ts"
import type {KnownLogin} from "../protocol/protocol.ts"

/** What files and the messages that contain them need. */
export interface FileServices {
  readonly logins: {find(platform: string, user: string): KnownLogin | undefined}
  readonly database: Database
  readonly outbox: Outbox
  readonly endpoints: Endpoints
  readonly files: FileStore
  /** Hosts on private networks from which svc may read files. */
  readonly privateHosts: () => readonly string[]
}

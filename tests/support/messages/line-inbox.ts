import {v7 as uuid} from "uuid"
import type {Database} from "../../../server/database/database.ts"
import type {EndpointSpec} from "../../../server/endpoints/spec.ts"
import {Inbox} from "../../../server/inbox/inbox.ts"
import type {Dispatch} from "../../../server/inbox/intake/handling.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import type {Log} from "../../../shared/log.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import {log} from "../database/databases.ts"
import {untilSettled} from "./dispatching.ts"
import {lineEndpoint} from "./line-endpoint.ts"

type Options = NonNullable<ConstructorParameters<typeof Inbox>[4]>

/** For a dispatch: handlers that do this and send nothing. */
export const hearing =
  (hear: (...args: Parameters<Dispatch["run"]>) => unknown = () => {}): Dispatch["run"] =>
  async (...args) => {
    await hear(...args)
    return {is: "handled", sends: []}
  }

/** Starts an inbox whose outbox sends nothing, with an endpoint that delivers to it. No handler wants an event. */
export const startInbox = async (
  database: Database,
  dispatch: Partial<Dispatch> = {},
  {spec, log: ownLog = log, ...options}: Options & {spec?: Partial<EndpointSpec>; log?: Log} = {},
) => {
  const outbox = new Outbox(database, log, options.clock === undefined ? {} : {clock: options.clock})
  const inbox = new Inbox(database, outbox, uuid(), ownLog, options)
  const usual = {match: () => [], nest: (within: readonly string[]) => ({around: [], within}), run: hearing()}
  await inbox.start({...usual, ...dispatch})
  const endpoint = lineEndpoint(inbox, spec)
  const receive = (event: Incoming) => inbox.receive(endpoint, event)
  return {inbox, outbox, endpoint, receive, idle: () => untilSettled(database)}
}

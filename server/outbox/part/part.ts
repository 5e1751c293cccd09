import type {ProjectConfig} from "../../../shared/config/config.ts"
import type {Log} from "../../../shared/log.ts"
import {by} from "../../../shared/metrics/readings.ts"
import type {Database} from "../../database/database.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import {policyOf} from "../../endpoints/spec.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import {every} from "../../runtime/flow/remember.ts"
import type {Part} from "../../runtime/part.ts"
import {byEndpoint, deadLetters, readOutboxDepth} from "../depths.ts"
import {DraftFiles} from "../files/draft-files.ts"
import {permittedFile} from "../files/permitted.ts"
import type {FileStore} from "../files/store.ts"
import {Outbox} from "../outbox.ts"
import {laneOf} from "../rows.ts"

export interface OutboxOptions {
  readonly database: Database
  readonly log: Log
  readonly clock: Clock
  readonly paths: {readonly project: string}
}

export const createOutbox = ({database, log, clock}: OutboxOptions, ingress: Ingress): Outbox =>
  new Outbox(database, log, {clock, requireOpen: () => ingress.requireOpen("nothing new is sent")})

export const createDraftFiles = (
  {database, log, paths}: OutboxOptions,
  store: FileStore,
  endpoints: Pick<Endpoints, "get">,
  running: {readonly settings: Pick<ProjectConfig, "files">},
): DraftFiles =>
  new DraftFiles({
    endpoint: name => endpoints.get(name)?.spec,
    permitted: path =>
      permittedFile(path, {
        project: paths.project,
        database: database.location.dialect === "sqlite" ? database.location.file : undefined,
      }),
    store,
    log,
    privateHosts: () => running.settings.files.allowPrivate,
  })

export interface OutboxNeeds {
  readonly database: Database
  readonly endpoints: Endpoints
  readonly scrub: (text: string) => string
  readonly files: FileStore
  /** SQL that selects the `message` of each button that lasts. */
  readonly lasting: string
}

/** It ends after everything that sends; the endpoints close after it. */
export const outboxPart = (outbox: Outbox, {database, endpoints, scrub, files, lasting}: OutboxNeeds): Part => ({
  name: "the outbox",
  start: () =>
    outbox.start({
      sender: name => endpoints.get(name)?.sender,
      policy: name => policyOf(endpoints.get(name)?.spec),
      scrub,
    }),
  drain: async later => {
    await later
    await outbox.idle()
  },
  close: () => outbox.drain(),
  limit: 1000,
  isIdle: () => outbox.isIdle,
  idle: () => outbox.idle(),
  routes: async () => {
    const [{outboxRoutes}, {redactOutbox}] = await Promise.all([import("./messages.ts"), import("../upkeep/redact.ts")])
    const redact = async (id: string, reason: string | null) => {
      const redaction = await redactOutbox(database, id, reason)
      await files.sweep()
      return redaction
    }
    return outboxRoutes({database, outbox, endpoints, lasting, redact})
  },
  metrics: [
    {
      group: "messages",
      read: async () => {
        const depth = await readOutboxDepth(database)
        return {
          svc_outbox_messages: by("state", depth.byState),
          svc_outbox_oldest_age_seconds: byEndpoint(endpoints, depth.oldestAge),
          svc_outbox_unknown_messages: byEndpoint(endpoints, depth.unknown),
          svc_dead_letters: deadLetters(endpoints, "outbox", depth),
        }
      },
    },
  ],
  facts: {outbox: every(60_000, () => readOutboxDepth(database))},
  forgotten: (part, rows) => {
    if (part === "outbox") outbox.discarded(rows.map(laneOf))
  },
})

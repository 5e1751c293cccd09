import type {ProjectConfig} from "../../../shared/config/config.ts"
import type {Log} from "../../../shared/log.ts"
import {by} from "../../../shared/metrics/readings.ts"
import type {Row} from "../../../shared/sdk/session/database.ts"
import type {Database, Statement} from "../../database/database.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import type {Pasts} from "../../endpoints/pasts.ts"
import {byEndpoint, deadLetters} from "../../outbox/depths.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import {every} from "../../runtime/flow/remember.ts"
import type {Part} from "../../runtime/part.ts"
import {Inbox} from "../inbox.ts"
import type {Dispatch} from "../intake/handling.ts"
import type {Repeats} from "../intake/repeats.ts"
import {readInboxDepth} from "../look-ups.ts"
import {oldestKnown} from "../upkeep/retention.ts"
import type {TrailServices} from "./trail.ts"

export interface InboxOptions {
  readonly database: Database
  readonly log: Log
  readonly runtimeId: string
  readonly clock: Clock
  readonly logs: {scrubJson(json: string): string}
}

export interface InboxNeeds {
  readonly outbox: Outbox
  readonly ingress: Ingress
  readonly pasts: Pasts
  readonly running: {readonly settings: Pick<ProjectConfig, "ingress" | "retention">}
}

export const createInbox = (
  {database, log, runtimeId, clock, logs}: InboxOptions,
  {outbox, ingress, pasts, running}: InboxNeeds,
): Inbox =>
  new Inbox(database, outbox, runtimeId, log, {
    clock,
    scrub: logs.scrubJson,
    uncounted: () => ingress.releases,
    outages: {asking: () => running.settings.ingress, pastOf: name => pasts.of(name)},
    oldest: () => oldestKnown(running.settings.retention, clock.now()),
  })

export interface InboxAbout extends TrailServices {
  readonly endpoints: Endpoints
  readonly erasingRunsOf: (seq: number) => readonly Statement[]
}

/** The running `handlers` stand after the outbox, which drains after them. */
export interface InboxPart extends Part {
  readonly handlers: Part
}

export const inboxPart = (inbox: Inbox, dispatch: Dispatch, about: InboxAbout): InboxPart => ({
  name: "the inbox",
  start: () => inbox.start(dispatch),
  close: () => inbox.drain(),
  limit: 250,
  handlers: {name: "handlers", drain: () => inbox.drain()},
  isIdle: () => inbox.isIdle,
  idle: () => inbox.idle(),
  metrics: [
    {
      group: "messages",
      read: async () => {
        const depth = await readInboxDepth(about.database)
        return {
          svc_inbox_handlers: by("state", depth.byState),
          svc_inbox_oldest_age_seconds: byEndpoint(about.endpoints, depth.oldestAge),
          svc_dead_letters: deadLetters(about.endpoints, "inbox", depth),
        }
      },
    },
    {read: () => ({svc_inbox_repeats_total: repeatsAt(about.endpoints.list(), inbox.repeats)})},
  ],
  facts: {inbox: every(60_000, () => readInboxDepth(about.database))},
  forgotten: async (part, rows) => {
    if (part !== "prompts") return
    const placeOf = ({endpoint, channel, user}: Row) => ({
      endpoint: String(endpoint),
      channel: String(channel),
      user: String(user),
    })
    await inbox.questionsChanged(rows.map(placeOf))
  },
  routes: async () => {
    const {database, erasingRunsOf} = about
    const [{inboxRoutes}, {rateRoutes}, {redactInbox}] = await Promise.all([
      import("./events.ts"),
      import("./rates.ts"),
      import("../user/redact.ts"),
    ])
    const redact = (seq: number, reason: string | null) => redactInbox(database, seq, reason, erasingRunsOf(seq))
    return [...inboxRoutes({...about, inbox, redact}), ...rateRoutes(database)]
  },
})

/** Every endpoint has its series from the start, so that the first increase is visible. */
const repeatsAt = (endpoints: readonly Endpoint[], repeats: Repeats) =>
  endpoints
    .filter(({spec}) => spec.open !== undefined)
    .flatMap(({spec: {name: endpoint}}) => {
      const {same, differs} = repeats.of(endpoint)
      return [
        {labels: {endpoint, differs: "false"}, value: same},
        {labels: {endpoint, differs: "true"}, value: differs},
      ]
    })

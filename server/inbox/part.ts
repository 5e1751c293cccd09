import type {ProjectConfig} from "../../shared/config.ts"
import type {Log} from "../../shared/log.ts"
import type {Row} from "../../shared/sdk/plugin/database.ts"
import type {Database} from "../database/database.ts"
import type {Ingress} from "../endpoints/ingress.ts"
import type {Pasts} from "../endpoints/pasts.ts"
import type {Outbox} from "../outbox/outbox.ts"
import type {Clock} from "../runtime/flow/clock.ts"
import type {Part} from "../runtime/part.ts"
import type {Dispatch} from "./handling.ts"
import {Inbox} from "./inbox.ts"
import {oldestKnown} from "./retention.ts"
import type {TrailServices} from "./routes/trail.ts"

export interface InboxOptions {
  readonly database: Database
  readonly log: Log
  readonly runtimeId: string
  readonly clock: Clock
}

export interface InboxNeeds {
  readonly outbox: Outbox
  readonly ingress: Ingress
  readonly pasts: Pasts
  readonly running: {readonly settings: Pick<ProjectConfig, "ingress" | "retention">}
}

export const createInbox = (
  {database, log, runtimeId, clock}: InboxOptions,
  {outbox, ingress, pasts, running}: InboxNeeds,
): Inbox =>
  new Inbox(database, outbox, runtimeId, log, {
    clock,
    uncounted: () => ingress.releases,
    outages: {asking: () => running.settings.ingress, pastOf: name => pasts.of(name)},
    oldest: () => oldestKnown(running.settings.retention, clock.now()),
  })

export const inboxPart = (inbox: Inbox, dispatch: Dispatch, about: TrailServices): Part => ({
  name: "the inbox",
  start: () => inbox.start(dispatch),
  drain: () => inbox.drain(),
  isQuiet: () => inbox.isQuiet,
  settled: () => inbox.settled(),
  forgotten: async (part, rows) => {
    if (part !== "prompts") return
    const placeOf = ({endpoint, channel, user}: Row) => ({
      endpoint: String(endpoint),
      channel: String(channel),
      user: String(user),
    })
    await inbox.questionsChanged(rows.map(placeOf))
  },
  routes: async () => (await import("./routes/events.ts")).inboxRoutes({...about, inbox}),
})

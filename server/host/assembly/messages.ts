import type {RetentionSettings} from "../../../shared/config.ts"
import type {Log} from "../../../shared/log.ts"
import type {Database} from "../../database/database.ts"
import {readCursor} from "../../endpoints/cursors.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import {Endpoints} from "../../endpoints/endpoints.ts"
import {Gaps} from "../../endpoints/gaps/gaps.ts"
import {Ingress} from "../../endpoints/ingress.ts"
import type {FileStore} from "../../files/store.ts"
import {Inbox} from "../../inbox/inbox.ts"
import {readChannelEnds} from "../../inbox/newest.ts"
import {oldestKnown} from "../../inbox/retention.ts"
import type {Command} from "../../messages/command/command.ts"
import {CommandLists} from "../../messages/command-lists.ts"
import {Outbox} from "../../outbox/outbox.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import {SatoriServer} from "../../satori/server.ts"
import type {HostEvents} from "./events.ts"
import {openShown} from "./files.ts"

export interface MessagesOptions {
  readonly database: Database
  readonly log: Log
  readonly runtimeId: string
  readonly clock: Clock
  readonly events: Pick<HostEvents, "raise" | "endpointChanged">
  /** `http.base` of the configuration. */
  readonly base: string
  readonly ingressChanged: () => void
  readonly files: FileStore
  /** Of the running generation. */
  readonly retention: () => RetentionSettings
  /** Of the running generation. */
  readonly commands: () => readonly Command[]
  /** The project's default, of the running generation. */
  readonly language: () => string
}

/** The parts that receive and send messages. They do nothing until they are started. */
export interface HostMessages {
  readonly outbox: Outbox
  readonly inbox: Inbox
  readonly gaps: Gaps
  readonly ingress: Ingress
  readonly endpoints: Endpoints
  readonly satori: SatoriServer
  readonly commandLists: CommandLists
}

/** Creates the parts and connects them by functions: what one part receives, another stores, counts or reports. */
export const createMessages = (options: MessagesOptions): HostMessages => {
  const {database, log, runtimeId, clock, events, base, ingressChanged, retention, commands, language} = options
  const outbox = new Outbox(database, log, {clock, requireOpen: () => ingress.requireOpen("nothing new is sent")})
  const inbox = new Inbox(database, outbox, runtimeId, log, {
    clock,
    oldest: () => oldestKnown(retention(), clock.now()),
    loginOf: name => {
      const endpoint = endpoints.get(name)
      return endpoint?.login ?? {platform: endpoint?.spec.slot ?? name}
    },
  })
  const gaps = new Gaps(database, log)
  const commandLists = new CommandLists(commands, language)
  const observeAll = (at: number) => {
    for (const endpoint of endpoints.list()) gaps.observe(endpoint, at)
    ingressChanged()
  }
  const ingress: Ingress = new Ingress(database, log, observeAll, events.raise)
  const endpoints: Endpoints = new Endpoints({
    receive: (endpoint, events, options) => satori.hearOf(inbox.receiveAll(endpoint, events, options)),
    cursorOf: ({spec: {name}}) => readCursor(database, name),
    online: endpoint => {
      outbox.online(endpoint.spec.name)
      commandLists.announce(endpoint)
    },
    changed: (endpoint: Endpoint, at?: number) => {
      gaps.observe(endpoint, at)
      events.endpointChanged(endpoint)
      satori.loginsChanged()
    },
    listening: endpoint => gaps.observe(endpoint),
    unstored: endpoint => gaps.unstored(endpoint),
    named: () => satori.loginsChanged(),
    isPaused: () => ingress.isPaused,
    file: openShown(options.files),
    backfill: {
      isDue: endpoint => gaps.isOpen(endpoint),
      ends: ({spec: {name}}, most) => readChannelEnds(database, name, most),
      spoil: endpoint => gaps.spoil(endpoint),
    },
  })
  const satori = new SatoriServer({
    database,
    log,
    endpoints: () => endpoints.list(),
    path: `${base}/satori/v1/events`,
  })
  return {outbox, inbox, gaps, ingress, endpoints, satori, commandLists}
}

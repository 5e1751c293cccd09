import type {ProjectConfig} from "../../../shared/config.ts"
import type {Log} from "../../../shared/log.ts"
import {mediaTypeOf} from "../../../shared/media-types.ts"
import type {Element} from "../../../shared/sdk/elements.ts"
import {storedHash} from "../../../shared/sdk/files/file-source.ts"
import type {Database} from "../../database/database.ts"
import {readCursor} from "../../endpoints/cursors.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import {Endpoints} from "../../endpoints/endpoints.ts"
import {Gaps} from "../../endpoints/gaps/gaps.ts"
import {Ingress} from "../../endpoints/ingress.ts"
import {Pasts} from "../../endpoints/pasts.ts"
import {permittedFile} from "../../files/permitted.ts"
import {FileStore} from "../../files/store.ts"
import {Inbox} from "../../inbox/inbox.ts"
import type {IntakeOptions} from "../../inbox/intake.ts"
import {readChannelEnds} from "../../inbox/newest.ts"
import {oldestKnown} from "../../inbox/retention.ts"
import type {Command} from "../../messages/command/command.ts"
import {CommandLists} from "../../messages/command-lists.ts"
import {DraftFiles} from "../../outbox/files/draft-files.ts"
import {Outbox} from "../../outbox/outbox.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {SatoriServer} from "../../satori/server.ts"
import type {HostEvents} from "./events.ts"

interface HostFilesOptions {
  readonly paths: ProjectPaths
  readonly database: Database
  readonly log: Log
  readonly settings: () => Pick<ProjectConfig, "files">
}

export const createFiles = ({paths, database, log, settings}: HostFilesOptions): FileStore =>
  new FileStore({folder: paths.files, database, log, quota: () => settings().files.quota * 1024 ** 2})

export const createDraftFiles = (
  store: FileStore,
  endpoints: Pick<Endpoints, "get">,
  {paths, database, log, settings}: HostFilesOptions,
): DraftFiles =>
  new DraftFiles({
    endpoint: name => endpoints.get(name)?.spec,
    permitted: path =>
      permittedFile(path, {
        project: paths.project,
        database: database.location.dialect === "sqlite" ? database.location.file : undefined,
      }),
    put: (content, lease) => store.put(content, lease),
    take: (pieces, lease) => store.take(pieces, lease),
    lease: () => store.lease(),
    log,
    privateHosts: () => settings().files.allowPrivate,
  })

/** Opens the stored file that an element shows, for adapters; undefined if it shows none. */
const openShown =
  (store: FileStore) =>
  async ({attrs: {src, title, type}}: Element) => {
    const sha256 = storedHash(src)
    if (sha256 === undefined) return undefined
    const name = title === undefined ? {} : {name: String(title)}
    return store.open(sha256, {...name, type: String(type ?? mediaTypeOf(String(title ?? "")))})
  }

export interface MessagesOptions extends Pick<IntakeOptions, "database" | "log" | "runtimeId" | "clock"> {
  readonly events: Pick<HostEvents, "raise" | "endpointChanged">
  /** `http.base` of the configuration. */
  readonly base: string
  readonly ingressChanged: () => void
  readonly files: FileStore
  /** Of the running generation. */
  readonly settings: () => Pick<ProjectConfig, "retention" | "ingress">
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
  readonly pasts: Pasts
  readonly ingress: Ingress
  readonly endpoints: Endpoints
  readonly satori: SatoriServer
  readonly commandLists: CommandLists
}

/** Creates the parts and connects them by functions: what one part receives, another stores, counts or reports. */
export const createMessages = (options: MessagesOptions): HostMessages => {
  const {database, log, runtimeId, clock, events, base, ingressChanged, settings, commands, language} = options
  const outbox = new Outbox(database, log, {clock, requireOpen: () => ingress.requireOpen("nothing new is sent")})
  const inbox = new Inbox(database, outbox, runtimeId, log, {
    clock,
    uncounted: () => ingress.releases,
    outages: {asking: () => settings().ingress, pastOf: name => pasts.of(name)},
    oldest: () => oldestKnown(settings().retention, clock.now()),
    loginOf: name => {
      const endpoint = endpoints.get(name)
      return endpoint?.login ?? {platform: endpoint?.spec.slot ?? name}
    },
  })
  const gaps = new Gaps(database, log)
  const pasts = new Pasts(database, log)
  const commandLists = new CommandLists(commands, language)
  const observeAll = (at: number) => {
    for (const endpoint of endpoints.list()) gaps.observe(endpoint, at)
    ingressChanged()
  }
  const ingress: Ingress = new Ingress(database, log, observeAll, events.raise)
  const endpoints: Endpoints = new Endpoints({
    receive: (endpoint, events, options) => satori.hearOf(inbox.receiveAll(endpoint, events, options)),
    cursorOf: ({spec: {name}}) => readCursor(database, name),
    past: name => pasts.of(name),
    online: endpoint => {
      inbox.online(endpoint)
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
  return {outbox, inbox, gaps, pasts, ingress, endpoints, satori, commandLists}
}

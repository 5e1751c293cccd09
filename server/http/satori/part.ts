import type {ProjectConfig} from "../../../shared/config/config.ts"
import type {Log} from "../../../shared/log.ts"
import type {Database} from "../../database/database.ts"
import type {EndpointsPart} from "../../endpoints/part/part.ts"
import type {FileStore} from "../../outbox/files/store.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import type {Part} from "../../runtime/part.ts"
import type {Guard} from "../door.ts"
import {SatoriServer} from "./server.ts"

export interface SatoriOptions {
  readonly database: Database
  readonly log: Log
  readonly boot: {readonly config: Pick<ProjectConfig, "http">}
}

export interface SatoriNeeds {
  readonly connected: Pick<EndpointsPart, "endpoints" | "hear">
  readonly outbox: Outbox
  readonly files: FileStore
  readonly running: {readonly settings: Pick<ProjectConfig, "files">}
}

/** The Satori server of a Host. `guard` decides who may connect. */
export const createSatori = (
  {database, log, boot}: SatoriOptions,
  {connected: {endpoints, hear}, outbox, files, running}: SatoriNeeds,
  guard: Guard,
) => {
  const path = `${boot.config.http.base}/satori/v1/events`
  const server = new SatoriServer({database, log, endpoints, path})
  hear({
    changed: () => server.loginsChanged(),
    named: () => server.loginsChanged(),
    storing: stored => server.hear(stored),
  })
  const part: Part = {
    name: "Satori",
    start: () => server.start(guard),
    close: () => server.close(),
    routes: async () =>
      (await import("./routes.ts")).satoriRoutes({
        logins: server.logins,
        database,
        outbox,
        endpoints,
        files,
        privateHosts: () => running.settings.files.allowPrivate,
      }),
  }
  return {...part, server}
}

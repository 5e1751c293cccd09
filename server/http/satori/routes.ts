import {Problem} from "../../../shared/problems.ts"
import type {Operation, Route} from "../../../shared/route.ts"
import {Named, Type} from "../../../shared/type.ts"
import type {Database} from "../../database/database.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {FileStore} from "../../outbox/files/store.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import {forward, type MethodServices} from "./asking.ts"
import {openLink} from "./files/proxy.ts"
import {sendingFiles} from "./files/sent.ts"
import {createUpload} from "./files/upload.ts"
import {History} from "./history.ts"
import type {Logins} from "./logins.ts"
import {LoginView, type Method, methods} from "./methods.ts"
import {type KnownLogin, showLogin} from "./protocol/protocol.ts"

export interface SatoriServices {
  readonly logins: Logins
  readonly database: Database
  readonly outbox: Outbox
  readonly endpoints: Endpoints
  readonly files: FileStore
  /** Hosts on private networks from which svc may read files. */
  readonly privateHosts: () => readonly string[]
}

const Meta = Named("Meta", {logins: Type.Array(LoginView), proxy_urls: Type.Array(Type.String())})

const servicesOf = ({database, outbox, endpoints, files, logins}: SatoriServices): MethodServices => ({
  outbox: sendingFiles({
    outbox,
    files,
    database,
    loginOf: (platform, user) => logins.find(platform, user),
    spec: name => endpoints.get(name)?.spec,
  }),
  endpoints,
  history: new History(database, (endpoint, stored) => logins.ofEvent(endpoint, stored)),
})

/** A file has an internal link: `/proxy/{url}` or `/internal/{platform}/{user}/{path}`. */
export const satoriRoutes = (satori: SatoriServices): readonly Route[] => {
  const {logins, files} = satori
  const links = {...satori, loginOf: (platform: string, user: string) => logins.find(platform, user)}
  const on = (method: Route["method"], path: string, operation: Operation): Route => ({
    method,
    path: `/satori/v1/${path}`,
    permission: "operator",
    ...operation,
  })
  return [
    on("POST", "meta", listLogins(satori)),
    ...methods.map(method => on("POST", method.name, askLogin(method, satori))),
    on("POST", "upload.create", createUpload({files, loginOf: headers => loginOf(headers, logins)})),
    on("GET", "proxy/*", openLink("proxy", links)),
    on("GET", "internal/*", openLink("internal", links)),
    on("POST", "*", forwardMethod(satori)),
    on("GET", "events", requireUpgrade()),
  ]
}

/** Calls a method for a login, over the HTTP API of Satori v1. */
const askLogin = ({summary, body, answer, handle}: Method, satori: SatoriServices): Operation => {
  const services = servicesOf(satori)
  return {
    summary: `Satori: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
    body,
    response: {200: answer},
    problems: ["login_unknown", "not_implemented", "platform_failed", "endpoint_offline"],
    handle: async (request, call) => {
      const login = loginOf(request.headers, satori.logins)
      // The method's own schema has checked it.
      const asked = (await call.body()) as never
      return call.json(answer, await handle(services, login, asked))
    },
  }
}

const listLogins = ({logins}: Pick<SatoriServices, "logins">): Operation => ({
  summary: "Satori: the logins",
  response: {200: Meta},
  handle: (_, call) => call.json(Meta, {logins: logins.list().map(showLogin), proxy_urls: []}),
})

const AnyParameters = Type.Record(Type.String(), Type.Unknown())

/** Forwards the other methods of Satori v1 to the endpoint's adapter, if its `features` include them. */
const forwardMethod = (satori: SatoriServices): Operation => {
  const services = servicesOf(satori)
  return {
    summary: "Satori: call a method listed in the login's features; returns the platform's answer",
    body: AnyParameters,
    response: {200: Type.Unknown()},
    problems: ["login_unknown", "not_implemented", "platform_failed", "endpoint_offline"],
    handle: async (request, call) => {
      const {"*": method = ""} = call.params
      const login = loginOf(request.headers, satori.logins)
      // The route's schema has checked it.
      const params = (await call.body()) as Record<string, unknown>
      return call.json(Type.Unknown(), (await forward(services, login, method, params)) ?? {})
    },
  }
}

const requireUpgrade = (): Operation => ({
  summary: "Satori: the event WebSocket",
  response: {101: {}},
  problems: ["upgrade_required"],
  handle: () => {
    throw new Problem("upgrade_required", "events are delivered by WebSocket")
  },
})

/** Returns the login that a request names, in the headers of the standard or of its first drafts. */
const loginOf = (headers: Headers, logins: Logins): KnownLogin => {
  const platform = headers.get("satori-platform") ?? headers.get("x-platform")
  const user = headers.get("satori-user-id") ?? headers.get("x-self-id")
  if (platform === null || user === null) {
    throw new Problem("request_invalid", "the headers Satori-Platform and Satori-User-ID must name a login")
  }
  const login = logins.find(platform, user)
  if (login === undefined) throw new Problem("login_unknown", `there is no login ${user} on ${platform}`)
  return login
}

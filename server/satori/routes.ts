import {Named} from "../../shared/api/schemas.ts"
import {Problem} from "../../shared/problems.ts"
import type {Operation} from "../../shared/sdk/route.ts"
import {Type} from "../../shared/type.ts"
import type {Database} from "../database/database.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {Outbox} from "../outbox/outbox.ts"
import {History} from "./history.ts"
import type {Logins} from "./logins.ts"
import {LoginView, type Method, type MethodServices, otherMethods} from "./methods.ts"
import {type KnownLogin, showLogin} from "./protocol.ts"

export interface SatoriServices {
  readonly logins: Logins
  readonly database: Database
  readonly outbox: Outbox
  readonly endpoints: Endpoints
}

const Meta = Named("Meta", {logins: Type.Array(LoginView), proxy_urls: Type.Array(Type.String())})

/** The HTTP side of Satori v1: a method, asked of a login. */
export const askLogin = (
  {summary, body, answer, handle}: Method,
  {logins, database, outbox, endpoints}: SatoriServices,
): Operation => {
  const services: MethodServices = {outbox, endpoints, history: new History(database)}
  return {
    summary: `Satori: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
    body,
    response: {200: answer},
    problems: ["login_unknown"],
    handle: async (request, call) => {
      const login = loginOf(request.headers, logins)
      // Checked by the method's own schema.
      const asked = (await call.body()) as never
      return call.json(answer, await handle(services, login, asked))
    },
  }
}

export const listLogins = ({logins}: Pick<SatoriServices, "logins">): Operation => ({
  summary: "Satori: the logins",
  response: {200: Meta},
  handle: (_, call) => call.json(Meta, {logins: logins.list().map(showLogin), proxy_urls: []}),
})

export const refuseMethod = (): Operation => ({
  summary: "Satori: a method that the Host does not answer",
  response: {},
  problems: ["not_implemented"],
  handle: (_, {params: {"*": method = ""}}) => {
    if (otherMethods.has(method)) throw new Problem("not_implemented", `${method} is not answered by the Host`)
    throw new Problem("not_found", `Satori v1 has no method ${method.slice(0, 100)}`)
  },
})

export const requireUpgrade = (): Operation => ({
  summary: "Satori: the WebSocket of events",
  response: {101: {}},
  problems: ["upgrade_required"],
  handle: () => {
    throw new Problem("upgrade_required", "events come by WebSocket")
  },
})

/** The login that a request names, in the headers of the standard or those of its first drafts. */
const loginOf = (headers: Headers, logins: Logins): KnownLogin => {
  const platform = headers.get("satori-platform") ?? headers.get("x-platform")
  const user = headers.get("satori-user-id") ?? headers.get("x-self-id")
  if (platform === null || user === null) {
    throw new Problem("request_invalid", "the headers Satori-Platform and Satori-User-ID name no login")
  }
  const login = logins.find(platform, user)
  if (login === undefined) throw new Problem("login_unknown", `there is no login ${user} on ${platform}`)
  return login
}

import {serve} from "../../../shared/api/operations/operation.ts"
import {satoriMethods, satoriOperations} from "../../../shared/api/operations/satori.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Route} from "../../../shared/route.ts"
import {forward} from "./asking.ts"
import {openLink} from "./files/proxy.ts"
import {sendingFiles} from "./files/sent.ts"
import type {FileServices} from "./files/services.ts"
import {upload} from "./files/upload.ts"
import {History} from "./history.ts"
import type {Logins} from "./logins.ts"
import {type Method, methods} from "./methods.ts"
import {type KnownLogin, showLogin} from "./protocol/protocol.ts"

/** A file has an internal link: `/proxy/{url}` or `/internal/{platform}/{user}/{path}`. */
export const satoriRoutes = (satori: FileServices & {readonly logins: Logins}): readonly Route[] => {
  const {logins, files, endpoints, database} = satori
  const history = new History(database, (endpoint, stored) => logins.ofEvent(endpoint, stored))
  const services = {outbox: sendingFiles(satori), endpoints, history}
  // The types of both tables have checked that the body is the method's.
  const answering =
    (method: Method<never, unknown>) =>
    ({request, body}: {readonly request: Request; readonly body: unknown}) =>
      method(services, loginOf(request.headers, logins), body as never)
  const handlers = Object.entries(methods).map(([name, method]) => [name, answering(method)])
  return [
    ...serve(satoriMethods, Object.fromEntries(handlers)),
    ...serve(satoriOperations, {
      meta: () => ({logins: logins.list().map(showLogin), proxy_urls: []}),
      upload: ({request}) => upload(request, files, loginOf(request.headers, logins)),
      proxy: ({request}) => openLink("proxy", request, satori),
      internal: ({request}) => openLink("internal", request, satori),
      /** Calls the other methods of Satori v1 of the endpoint's adapter, if its `features` include them. */
      forward: async ({request, body, params}) =>
        (await forward(services, loginOf(request.headers, logins), params["*"], body)) ?? {},
      events: () => {
        throw new Problem("upgrade_required", "events are delivered by WebSocket")
      },
    }),
  ]
}

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

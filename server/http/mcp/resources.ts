import {configOperations} from "../../../shared/api/operations/host.ts"
import {endpointOperations} from "../../../shared/api/operations/messages.ts"
import {ingressOperations, statusOperations} from "../../../shared/api/operations/system.ts"
import {isObject, tryFromJson} from "../../../shared/json.ts"
import type {Route, Scope} from "../../../shared/route.ts"
import {readText} from "../../../shared/sdk/adapter/answer.ts"
import {type Page, readPage, readPages} from "../../runtime/manual.ts"
import {packageRoot} from "../../runtime/own-files.ts"
import {askRoute, type Caller} from "./call-tool.ts"
import {RpcError} from "./rpc.ts"
import {mayUse, routeOf} from "./tools.ts"

const {status, readiness} = statusOperations
const views = [status, readiness, configOperations.schema, ingressOperations.show, endpointOperations.list]

const markdown = "text/markdown"

export const template = {
  uriTemplate: "svc://{+page}",
  name: "page",
  description: "A page of svc's documentation, by its path",
  mimeType: markdown,
}

/** The resources of a Host: its documentation, and views of its state, as JSON. */
export class Resources {
  readonly #views: ReadonlyMap<string, Route>
  /** Read at first use, and kept without the texts. */
  #pages: readonly Omit<Page, "text">[] | undefined

  constructor(routes: readonly Route[]) {
    this.#views = new Map(views.map(each => [`svc:/${each.path}`, routeOf(routes, each)]))
  }

  list(scope: Scope) {
    const shown = [...this.#views].filter(([, route]) => mayUse(scope, route))
    return [
      ...shown.map(([uri, {path, summary}]) => describe(uri, path.slice(1), summary, "application/json")),
      ...this.#listed().map(({path, title, about}) => describe(`svc://${path}`, title, about, markdown)),
    ]
  }

  #listed() {
    this.#pages ??= readPages(packageRoot).map(({text: _, ...page}) => page)
    return this.#pages
  }

  /** Returns up to 100 pages whose path begins with a text. */
  complete(start: string) {
    const values = this.#listed().flatMap(({path}) => (path.startsWith(start) ? [path] : []))
    return {values: values.slice(0, 100), total: values.length, hasMore: values.length > 100}
  }

  async read(uri: string, caller: Caller) {
    const view = this.#views.get(uri)
    if (view !== undefined) return {uri, mimeType: "application/json", text: await readView(view, uri, caller)}
    const page = this.#listed().find(({path}) => `svc://${path}` === uri)
    if (page === undefined) throw new RpcError("noResource", "there is no such resource", {uri: uri.slice(0, 500)})
    return {uri, mimeType: markdown, text: readPage(packageRoot, page.path).text}
  }
}

const describe = (uri: string, name: string, description: string, mimeType: string) => ({
  uri,
  name,
  description,
  mimeType,
})

/** In bytes. */
const longest = 4 * 1024 ** 2

/** An unready Host answers with its report and 503. */
const readView = async (route: Route, uri: string, caller: Caller): Promise<string> => {
  const response = await askRoute(caller, route, {params: {}, query: {}, body: undefined})
  const written = await readText(response, longest)
  if (response.headers.get("content-type")?.includes("problem") !== true) return written
  const problem = tryFromJson(written)
  const {code, detail, hint}: Readonly<Record<string, unknown>> = isObject(problem) ? problem : {}
  throw new RpcError("noResource", `${code}: ${detail}`, {uri, code, hint})
}

import type {Plugin} from "../../../shared/sdk/plugin/plugin.ts"
import type {PluginRoute} from "../../../shared/sdk/plugin/route.ts"
import {requireKeys} from "../checks/keys.ts"
import {declarationsOf, type Owner, type Setup} from "./kind.ts"

export interface PublishedRoute {
  readonly instance: Owner
  readonly route: PluginRoute
}

/** Fixed parts, and parameters such as `:id`. */
const pathPattern = /^(\/(:[A-Za-z]\w{0,63}|[^/:?#]*))+$/

/** Returns a path without the names of its parameters. */
const shapeOf = (path: string): string => path.replace(/:\w+/g, ":")

const requirePath = (what: string, {method, path}: PluginRoute, others: readonly PluginRoute[]): void => {
  if (!pathPattern.test(path)) throw new Error(`${what}: the path must look like /items or /items/:id`)
  const names = path.match(/:\w+/g) ?? []
  if (new Set(names).size < names.length) throw new Error(`${what}: each parameter needs another name`)
  const same = others.find(other => shapeOf(other.path) === shapeOf(path))
  if (same !== undefined && (same.method === method || same.path !== path))
    throw new Error(`${what} matches the same paths as ${same.method} ${same.path}`)
}

export const routes = (setup: Setup) => {
  const declared: PluginRoute[] = []
  const route: Plugin["route"] = added => {
    const what = setup.begin("route", added.path)
    requireKeys(what, added, "route")
    const route = added as unknown as PluginRoute
    requirePath(what, route, declared)
    declared.push(route)
  }
  return declarationsOf({
    methods: {route},
    declared,
    publish: ({owner: instance}) => ({
      items: declared.map((each): PublishedRoute => ({instance, route: each})),
      capabilities: declared.map(({method, path, summary}) => ({
        kind: "route",
        name: `${method} ${path}`,
        description: summary,
      })),
    }),
  })
}

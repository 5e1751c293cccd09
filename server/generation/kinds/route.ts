import type {Plugin} from "../../../shared/sdk/plugin/plugin.ts"
import type {PluginRoute} from "../../../shared/sdk/plugin/route.ts"
import {declarationsOf, type Owner, type Setup} from "./kind.ts"

export interface PublishedRoute {
  readonly instance: Owner
  readonly route: PluginRoute
}

export const routes = (setup: Setup) => {
  const declared: PluginRoute[] = []
  const route: Plugin["route"] = added => {
    const what = setup.begin("route", added.path)
    if (!added.path.startsWith("/")) throw new Error(`${what}: the path must begin with /`)
    declared.push(added as unknown as PluginRoute)
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
      claims: declared.map(({method, path}) => `the route "${method} /api/plugins/${instance.name}${path}"`),
    }),
  })
}

import {BoundedMap} from "../runtime/bounded-map.ts"
import type {Command} from "./command/command.ts"
import {Router, type RouterOf} from "./command/router.ts"
import {FilterIndex, hasFilter} from "./filters.ts"

/** How many routers are kept: one for each set of commands whose filters pass together. */
const mostRouters = 100

/** Returns the routers of all events. `all` is the one with every command. */
export const routersFor = (all: Router, prefixes: readonly string[]): RouterOf => {
  const filtered = all.commands.filter(({definition}) => hasFilter(definition))
  if (filtered.length === 0) return () => all
  const index = new FilterIndex(filtered.map(({id, definition}) => ({id, filter: definition})))
  const known = new BoundedMap<string, Router>(mostRouters)
  return (event, endpoint) => {
    const wanted = new Set(index.of(event, endpoint).map(({id}) => id))
    const key = [...wanted].join(" ")
    const exists = (command: Command) => !filtered.includes(command) || wanted.has(command.id)
    const router = known.get(key) ?? new Router(all.commands.filter(exists), prefixes)
    if (!known.has(key)) known.set(key, router)
    return router
  }
}

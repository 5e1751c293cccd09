import {agentsPluginName} from "../../shared/agents/binding.ts"
import type {AgeKind, MaxAges} from "../../shared/config/config.ts"
import {durationOf} from "../../shared/duration.ts"

/** The kind of a handler, by the kind in its id: `root/<plugin>/<kind>/<name>`. Timers have none. */
const kinds: Readonly<Record<string, AgeKind>> = {
  command: "commands",
  handler: "messages",
  hears: "messages",
  middleware: "messages",
  prompt: "presses",
  action: "presses",
}

export const kindOf = (handler: string): AgeKind | undefined => {
  const [root, plugin, kind = ""] = handler.split("/")
  if (root === "host") return plugin === "button" ? "presses" : "commands"
  return plugin === agentsPluginName && ["command", "handler"].includes(kind) ? "agents" : kinds[kind]
}

/** Does an event for this handler address the bot? Events that start agents without a user do not. */
export const isAddressed = (handler: string): boolean =>
  !["messages", undefined].includes(kindOf(handler)) && !handler.endsWith(".events")

/** Returns the limit of a handler for events of an endpoint, in milliseconds; undefined if it has none. */
export type AgeLimitOf = (endpoint: string, handler: string) => number | undefined

/** Reads a generation's age limits. A handler's own limit overrides its endpoint's, and that the Host's. */
export const readAgeLimits = (
  own: ReadonlyMap<string, string>,
  byEndpoint: ReadonlyMap<string, MaxAges>,
  host: MaxAges,
): AgeLimitOf => {
  const areSet = own.size > 0 || [...byEndpoint.values(), host].some(each => Object.keys(each).length > 0)
  return (endpoint, handler) => {
    if (!areSet) return undefined
    const kind = kindOf(handler)
    const limit = own.get(handler) ?? (kind && (byEndpoint.get(endpoint)?.[kind] ?? host[kind]))
    return limit === undefined || limit === "never" ? undefined : durationOf(limit)
  }
}

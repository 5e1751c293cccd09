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

/** The age limits of a generation. A handler's own limit overrides its endpoint's, and that the Host's. */
export class AgeLimits {
  readonly #own: ReadonlyMap<string, string>
  readonly #byEndpoint: ReadonlyMap<string, MaxAges>
  readonly #host: MaxAges
  readonly #areSet: boolean

  /** `own` is by the id of the handler. */
  constructor(own: ReadonlyMap<string, string>, byEndpoint: ReadonlyMap<string, MaxAges>, host: MaxAges) {
    this.#own = own
    this.#byEndpoint = byEndpoint
    this.#host = host
    this.#areSet = [Object.fromEntries(own), ...byEndpoint.values(), host].some(each => Object.keys(each).length > 0)
  }

  /** Returns the limit of a handler for events of an endpoint, in milliseconds; undefined if it has none. */
  of(endpoint: string, handler: string): number | undefined {
    if (!this.#areSet) return undefined
    const kind = kindOf(handler)
    const limit =
      this.#own.get(handler) ??
      (kind === undefined ? undefined : (this.#byEndpoint.get(endpoint)?.[kind] ?? this.#host[kind]))
    return limit === undefined || limit === "never" ? undefined : durationOf(limit)
  }
}

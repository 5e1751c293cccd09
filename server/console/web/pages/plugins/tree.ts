import type {EndpointView} from "../../../../../shared/api/endpoints.ts"
import type {PluginView} from "../../../../../shared/api/plugin-views.ts"
import {isMissed} from "../../../../../shared/endpoint-states.ts"
import {toneOf} from "../../texts/tone.ts"

/** A slot with its endpoints. */
export interface Slot {
  readonly name: string
  /** Unhealthy ones first. */
  readonly endpoints: readonly EndpointView[]
}

export interface Branch {
  readonly plugin: PluginView
  readonly slots: readonly Slot[]
}

const worst = ["bad", "warn", "idle", "good"] as const
/** Required endpoints that are not online come first. */
const rank = (endpoint: EndpointView) => (isMissed(endpoint) ? -1 : worst.indexOf(toneOf(endpoint.state)))

/** Returns each plugin with its slots, and each slot with its endpoints. */
export const treeOf = (plugins: readonly PluginView[], endpoints: readonly EndpointView[]): readonly Branch[] => {
  const bySlot = Map.groupBy(endpoints, ({owner, slot}) => `${owner} ${slot}`)
  return plugins.map(plugin => ({
    plugin,
    slots: plugin.capabilities
      .filter(({kind}) => kind === "slot")
      .map(({name}) => ({
        name,
        endpoints: (bySlot.get(`${plugin.owner} ${name}`) ?? []).toSorted((one, other) => rank(one) - rank(other)),
      })),
  }))
}

/** Counts what a plugin publishes by kind, except what the picture shows. */
export const countsOf = ({capabilities}: PluginView): readonly (readonly [kind: string, count: number])[] =>
  [...Map.groupBy(capabilities, ({kind}) => kind)]
    .filter(([kind]) => kind !== "slot" && kind !== "endpoint")
    .map(([kind, all]) => [kind, all.length])

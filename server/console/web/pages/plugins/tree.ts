import {isMissed} from "../../../../../shared/endpoint-states.ts"
import type {EndpointView, PluginView} from "../../host/views.ts"
import {toneOf} from "../../parts/tone.ts"

/** What a plugin publishes and endpoints are made of. */
export interface Slot {
  readonly name: string
  /** Those that are not well first. */
  readonly endpoints: readonly EndpointView[]
}

export interface Branch {
  readonly plugin: PluginView
  readonly slots: readonly Slot[]
}

const worst = ["bad", "warn", "idle", "good"] as const
/** Required ones that are not online before all others. */
const rank = (endpoint: EndpointView) => (isMissed(endpoint) ? -1 : worst.indexOf(toneOf(endpoint.state)))

/** Each plugin with its slots, and each slot with its endpoints. */
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

/** So many of each kind, but for what the picture shows by itself. */
export const countsOf = ({capabilities}: PluginView): readonly (readonly [kind: string, count: number])[] =>
  [...Map.groupBy(capabilities, ({kind}) => kind)]
    .filter(([kind]) => kind !== "slot" && kind !== "endpoint")
    .map(([kind, all]) => [kind, all.length])

import type {AdapterDefinition} from "../../../../shared/sdk/adapter/adapter.ts"
import type {Plugin} from "../../../../shared/sdk/plugin/plugin.ts"
import type {TSchema} from "../../../../shared/type.ts"
import {type CapabilityName, declarationsOf, type Setup} from "../kind.ts"
import {requireAdapter} from "./definition.ts"
import {endpointsOf} from "./endpoints.ts"

/** The adapters, by slot, which publish endpoints. */
export const adapters = (setup: Setup) => {
  const declared = new Map<string, AdapterDefinition<TSchema>>()
  const adapter: Plugin["adapter"] = (slot, added) => {
    const what = setup.begin("adapter", slot)
    // An endpoint without an account and a webhook of one name would have one address.
    setup.claim(what, "adapter", slot, ["slot", "webhook"])
    const read = added as unknown as AdapterDefinition<TSchema>
    requireAdapter(slot, read)
    declared.set(slot, read)
  }
  return declarationsOf({
    methods: {adapter},
    declared,
    publish: ({loaded, owner, report, issues, secrets}) => {
      const found = endpointsOf(loaded, owner, declared, report)
      issues.push(...found.issues)
      secrets.push(...found.secrets)
      const names = found.endpoints.map(({spec: {name}}) => name)
      return {
        items: found.endpoints,
        capabilities: [
          ...[...declared.keys()].map((name): CapabilityName => ({kind: "slot", name})),
          ...names.map((name): CapabilityName => ({kind: "endpoint", name})),
        ],
        claims: names.map(name => `the endpoint "${name}"`),
      }
    },
  })
}

import type {Plugin} from "../../../shared/sdk/plugin/plugin.ts"
import {requireName} from "./checks.ts"
import {declarationsOf, type Setup} from "./kind.ts"

export const services = (setup: Setup) => {
  const declared = new Map<string, object>()
  const provide: Plugin["provide"] = (given, implementation: unknown) => {
    const name = typeof given === "string" ? given : given.name
    const what = setup.begin("provide", name)
    requireName(what, name)
    if (declared.has(name)) throw new Error(`${what} is called twice`)
    if ((typeof implementation !== "object" && typeof implementation !== "function") || implementation === null)
      throw new TypeError(`${what} needs an object or a function`)
    declared.set(name, implementation)
  }
  return declarationsOf({
    methods: {provide},
    declared,
    publish: () => ({
      items: [],
      capabilities: [...declared.keys()].map(name => ({kind: "service", name})),
      claims: [...declared.keys()].map(name => `the service "${name}"`),
    }),
  })
}

import {capabilityId} from "../../../../shared/ids.ts"
import type {DeclareHears, HearsCall, HearsDefinition} from "../../../../shared/sdk/plugin/hears.ts"
import type {Reply} from "../../../../shared/sdk/session/session.ts"
import {checkCallRules} from "../../../messages/call-command.ts"
import type {HearsHandler} from "../../../messages/hears.ts"
import {createNaming, readArguments, requireFilter, requireHandling} from "../checks.ts"
import {declarationsOf, publishEach, type Setup} from "../kind.ts"
import {type CompiledPattern, compileHears, type DeclaredPattern} from "./compile.ts"

interface Declared extends DeclaredPattern {
  readonly id: string
  readonly definition: HearsDefinition
  readonly handle: (call: HearsCall<string>) => Reply
}

/** The most patterns of a plugin. Each message is matched against all of them. */
const mostPatterns = 100

/** The handlers of messages that match a pattern. */
export const hears = (setup: Setup) => {
  const declared: Declared[] = []
  let compiled: readonly (Declared & {readonly compiled: CompiledPattern})[] = []
  const nameOf = createNaming("hears()")
  const declare: DeclareHears = (pattern: unknown, second: unknown, third?: unknown) => {
    setup.begin("hears")
    if (typeof pattern !== "string" && !(pattern instanceof RegExp))
      throw new TypeError("hears() needs a pattern first: a regular expression, or its source as a string")
    const shown = typeof pattern === "string" ? `"${pattern}"` : String(pattern)
    const what = `hears(${shown})`
    const {definition, handle} = readArguments<HearsDefinition, Declared["handle"]>("hears", what, second, third)
    if (declared.length >= mostPatterns)
      throw new Error(`hears(): a plugin may have at most ${mostPatterns} patterns; join some with |, or use plugin.on`)
    requireHandling(what, definition)
    requireFilter(what, definition)
    const id = capabilityId(setup.owner, "hears", nameOf(definition))
    declared.push({id, pattern, shown, definition, handle, at: new Error("declared here")})
  }
  return declarationsOf({
    methods: {hears: declare},
    declared,
    finish: async () => {
      compiled = await compileHears(declared)
    },
    publish: at =>
      publishEach(at, "hears", compiled, ({id, shown, definition, compiled: pattern, handle}): HearsHandler => {
        const wrong = checkCallRules(definition)
        if (wrong !== undefined) at.report(`hears(${shown}): ${wrong}`)
        return {...at.handler(id, definition), definition, filter: definition, pattern, handle}
      }),
  })
}

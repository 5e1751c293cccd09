import {capabilityId} from "../../../shared/ids.ts"
import type {Plugin} from "../../../shared/sdk/plugin/plugin.ts"
import type {Named} from "../../../shared/sdk/session/handler.ts"
import type {Middleware} from "../../../shared/sdk/session/session.ts"
import {createNaming, readArguments} from "./checks.ts"
import {declarationsOf, publishEach, type Setup} from "./kind.ts"

export const middleware = (setup: Setup) => {
  const declared: {readonly id: string; readonly around: Middleware}[] = []
  const nameOf = createNaming("middleware()")
  const declare: Plugin["middleware"] = (first: unknown, second?: unknown) => {
    const what = setup.begin("middleware")
    const {definition, handle: around} = readArguments<Named, Middleware>(
      "middleware",
      what,
      first,
      second,
      "a function",
    )
    declared.push({id: capabilityId(setup.owner, "middleware", nameOf(definition)), around})
  }
  return declarationsOf({
    methods: {middleware: declare},
    declared,
    publish: at => publishEach(at, "middleware", declared, ({id, around}) => ({...at.handler(id), around})),
  })
}

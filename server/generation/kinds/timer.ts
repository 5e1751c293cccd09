import type {TimerRunner} from "../../messages/session/handler.ts"
import type {DeclaredTimer} from "../../messages/session/timers.ts"
import {requireHandling} from "./checks.ts"
import type {Setup} from "./kind.ts"
import {named} from "./named.ts"

export const timers = (setup: Setup) => {
  const {declare, ...all} = named<DeclaredTimer["definition"], DeclaredTimer["handle"], TimerRunner>(setup, "timer", {
    check: (what, definition) => {
      requireHandling(what, definition)
      if (!["once", "skip", undefined].includes(definition.missed))
        throw new Error(`${what}: missed must be once or skip`)
    },
    publish: (timer, at) => ({...at.handler(timer.id, timer.definition), timer}),
  })
  const timer = (name: string, second: unknown, third?: unknown) => {
    declare(name, second, third)
    return {kind: "timer", name} as const
  }
  return {...all, methods: {timer}}
}

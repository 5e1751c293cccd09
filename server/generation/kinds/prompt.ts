import type {Prompt} from "../../messages/forms/prompt.ts"
import type {Continuation} from "../../messages/session/handler.ts"
import {longestWait} from "./checks.ts"
import type {Setup} from "./kind.ts"
import {named} from "./named.ts"

/** The handlers of answers to questions. */
export const prompts = (setup: Setup) => {
  const {declare, ...all} = named<Prompt["definition"], Prompt["handle"], Continuation>(setup, "prompt", {
    check: (what, {expires = 1}) => {
      if (!(expires > 0 && expires <= longestWait)) throw new Error(`${what}: expires must be seconds, at most 30 days`)
    },
    publish: (prompt, at) => ({...at.handler(prompt.id), prompt}),
  })
  const prompt = (name: string, second: unknown, third?: unknown) => {
    declare(name, second, third)
    return {kind: "prompt", name} as const
  }
  return {...all, methods: {prompt}}
}

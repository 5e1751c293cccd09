import type {Action} from "../../messages/forms/prompt.ts"
import type {ActionRunner} from "../../messages/session/handler.ts"
import {actionHandle, requireAction} from "./action-handle.ts"
import type {Setup} from "./kind.ts"
import {named} from "./named.ts"

/** The handlers of buttons. */
export const actions = (setup: Setup) => {
  const {declare, ...all} = named<Action["definition"], Action["handle"], ActionRunner>(setup, "action", {
    check: requireAction,
    publish: (action, at) => ({...at.handler(action.id), action}),
  })
  const action = (name: string, second: unknown, third?: unknown) => {
    const {id, definition} = declare(name, second, third)
    return actionHandle(name, id, definition)
  }
  return {...all, methods: {action}}
}

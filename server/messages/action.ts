import {fromJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import type {ActionDefinition, ActionHandler} from "../../shared/sdk/action.ts"
import type {Reply, Session} from "../../shared/sdk/session.ts"
import type {TSchema} from "../../shared/type.ts"
import {misfitOf} from "../config/explain.ts"
import type {Question} from "../inbox/prompts.ts"

export interface Action {
  /** The handler id that the mark of a press carries. */
  readonly id: string
  readonly definition: ActionDefinition<TSchema>
  readonly handle: ActionHandler<never>
}

/** Returns whether a mark with this handler comes from a press of an action's button. */
export const isActionId = (handler: string): boolean => /^root\/[^/]+\/action\//.test(handler)

/** Handles a press. Throws `event_invalid` if the button's data no longer exists or no longer fits. */
export const press = ({id, definition, handle}: Action, kept: Question | undefined, session: Session): Reply => {
  if (kept === undefined) throw new Problem("event_invalid", `the data of the button of ${id} no longer exists`)
  const data: unknown = fromJson(kept.data)
  const wrong = misfitOf("data", definition.data, data)
  if (wrong !== undefined) throw new Problem("event_invalid", `the data of the button of ${id} does not fit: ${wrong}`)
  return handle({data: data as never, session})
}

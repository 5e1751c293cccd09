import {fromJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import type {ActionDefinition, ActionHandler} from "../../../shared/sdk/plugin/action.ts"
import type {PromptDefinition, PromptHandler} from "../../../shared/sdk/plugin/prompt.ts"
import type {Reply, Session} from "../../../shared/sdk/session/session.ts"
import {UserError} from "../../../shared/sdk/session/user-error.ts"
import {readJson} from "../../../shared/sdk/session/values.ts"
import {keyOf, trimSpace} from "../../../shared/sdk/text/typed.ts"
import type {TSchema} from "../../../shared/type.ts"
import type {InboxEvent} from "../../inbox/intake/handling.ts"
import {personOf, type Question} from "../../inbox/intake/prompts.ts"
import {explainValue, misfitOf} from "../../runtime/text/explain.ts"
import {uuid} from "../../runtime/uuid.ts"
import {mayUse} from "../command/permissions.ts"
import type {Router} from "../command/router.ts"
import type {HostTexts} from "../texts/host-texts.ts"
import type {Declared} from "./declared.ts"

export type Prompt = Declared<PromptDefinition<TSchema>, PromptHandler<unknown>>

/** How many seconds a question waits for an answer by default. */
const patience = 3600

/** Returns the question to store. Throws `event_invalid` if nobody can answer it, or if `data` does not fit. */
export const ask = (
  {id, definition}: Prompt,
  {endpoint, event: {user}}: InboxEvent,
  channel: string | undefined,
  data: unknown,
  now: number,
): Question => {
  if (user === undefined || channel === undefined) throw new Problem("event_invalid", "there is no user to ask")
  const kept = data === undefined ? "null" : readJson(`the data of ${id}`, data, "event_invalid")
  requireFit(id, definition, fromJson(kept))
  return {
    id: uuid(),
    handler: id,
    endpoint,
    channel,
    user: personOf(user),
    data: kept,
    expiresAt: now + (definition.expires ?? patience) * 1000,
  }
}

/** Handles an answer. Throws `event_invalid` if its question no longer exists, or if its data does not fit. */
export const answer = (
  {id, definition, handle}: Prompt,
  question: Question | undefined,
  session: Session,
  {router, texts}: Pick<Said, "router" | "texts">,
): Reply => {
  if (question === undefined) throw new Problem("event_invalid", `the question of ${id} no longer exists`)
  const text = trimSpace(session.text)
  if (isCancel(definition, {router, text, event: session.event, texts}))
    return texts.in(session.language)("prompt.cancelled")
  const data: unknown = fromJson(question.data)
  requireFit(id, definition, data)
  const called = router.called(text, session.event)
  const prompt = {kind: "prompt", name: id.slice(id.lastIndexOf("/") + 1)} as const
  return handle({answer: called?.by === "name" ? called.words : text, data, prompt, session})
}

interface Said {
  readonly router: Router
  readonly text: string
  readonly event: SatoriEvent
  readonly texts: HostTexts
}

/** Returns whether the text cancels the question: with the prompt's own word, or without one, that of any language. */
const isCancel = ({cancel}: PromptDefinition<TSchema>, {router, text, event, texts}: Said): boolean => {
  if (cancel === "") return false
  const said = keyOf(trimSpace(router.called(text, event)?.words ?? text))
  return cancel === undefined ? texts.cancelWords.has(said) : said === keyOf(cancel)
}

/**
 * Returns whether a message of the asked user is the answer. It is not if it calls a command by prefix or name, or
 * starts with a prefix, unless it cancels the question. A prompt with `takesCommands` accepts those too.
 */
export const isAnswerTo = ({definition}: Prompt, said: Said & {readonly isCommand: boolean}): boolean => {
  const {router, text, event, isCommand} = said
  if (definition.takesCommands === true) return true
  const called = router.called(text, event)
  if (isCommand) return called === undefined
  return called?.by !== "prefix" || isCancel(definition, said)
}

/** Throws `event_invalid` if the data of `id` does not fit its schema. */
export const requireFit = (id: string, {data: schema}: {readonly data?: TSchema | undefined}, data: unknown): void => {
  if (schema === undefined) return
  const [error] = explainValue(schema, data)
  if (error === undefined) return
  const at = error.path.length === 0 ? "" : ` ${error.path.join(".")}`
  throw new Problem("event_invalid", `the data of ${id} does not fit its schema:${at} ${error.message}`)
}

export type Action = Declared<ActionDefinition<TSchema>, ActionHandler<never>>

/** Returns whether a mark with this handler comes from a press of an action's button. */
export const isActionId = (handler: string): boolean => /^root\/[^/]+\/action\//.test(handler)

/** Throws the reply to a user without the permission that an action needs. */
export const requirePermission = (
  {permission}: Pick<ActionDefinition, "permission">,
  session: Session,
  texts: HostTexts,
): void => {
  if (permission === undefined || mayUse(session.permission, permission)) return
  throw new UserError(texts.in(session.language)("press.permission", {permission}))
}

/** Handles a press. Throws `event_invalid` if the button's data no longer exists or no longer fits. */
export const press = (
  {id, definition, handle}: Action,
  kept: Question | undefined,
  session: Session,
  {texts}: Pick<Said, "texts">,
): Reply => {
  // The intake has refused it already, unless a reload brought the permission.
  requirePermission(definition, session, texts)
  if (kept === undefined) throw new Problem("event_invalid", `the data of the button of ${id} no longer exists`)
  const data: unknown = fromJson(kept.data)
  const wrong = misfitOf("data", definition.data, data)
  if (wrong !== undefined) throw new Problem("event_invalid", `the data of the button of ${id} does not fit: ${wrong}`)
  return handle({data: data as never, session})
}

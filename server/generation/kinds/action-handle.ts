import {fromJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {h} from "../../../shared/sdk/content/elements.ts"
import type {
  ActionDefinition,
  ActionHandle,
  ButtonOptions,
  SelectOption,
  SelectOptions,
} from "../../../shared/sdk/plugin/action.ts"
import {permissions} from "../../../shared/sdk/session/permission.ts"
import {fieldsOf, longestKept, readJson} from "../../../shared/sdk/session/values.ts"
import type {TSchema} from "../../../shared/type.ts"
import {lasting, makeButtonId} from "../../database/buttons/button-id.ts"
import {misfitOf} from "../../runtime/text/explain.ts"

/** How many seconds a button works by default, and at most. */
const patience = 3600
const longest = 30 * 24 * 60 * 60

/** The most options of a menu; Discord has this limit. */
const mostOptions = 25

const styles: readonly unknown[] = ["primary", "secondary", "danger", undefined]

/** Throws an error for invalid options of an action. Plugins may be JavaScript. */
export const requireAction = (what: string, {expires = 1, once = false, who, permission}: ActionDefinition): void => {
  if (expires !== "never" && !(expires > 0 && expires <= longest))
    throw new Error(`${what}: expires must be "never", or seconds, at most 30 days`)
  if (typeof once !== "boolean") throw new Error(`${what}: once must be true or false`)
  if (!["anyone", "asked", undefined].includes(who)) throw new Error(`${what}: who must be anyone or asked`)
  if (permission !== undefined && !permissions.includes(permission))
    throw new Error(`${what}: permission must be one of ${permissions.join(", ")}`)
}

/** Returns the handle with which a plugin makes buttons. `handler` is the action's id. */
export const actionHandle = (name: string, handler: string, definition: ActionDefinition<TSchema>): ActionHandle => {
  const {expires = patience, once = false, who} = definition
  const id = (data: unknown): string =>
    makeButtonId({
      handler,
      data: kept(handler, definition, data),
      expires: expires === "never" ? lasting : Math.round(expires * 1000),
      once: once ? 1 : 0,
      asked: who === "asked" ? 1 : 0,
    })
  const button = (data: unknown, label: string, {style}: ButtonOptions = {}) => {
    if (typeof label !== "string" || label.trim() === "") throw invalid(`a button of ${handler} needs a label`)
    if (!styles.includes(style)) throw invalid(`a button of ${handler}: style must be primary, secondary or danger`)
    return h("button", {id: id(data), theme: style}, label)
  }
  const select = (options: readonly SelectOption<unknown>[], {placeholder}: SelectOptions = {}) => {
    if (!Array.isArray(options) || options.length === 0 || options.length > mostOptions)
      throw invalid(`a select of ${handler} needs a list of 1 to ${mostOptions} options`)
    if (!["string", "undefined"].includes(typeof placeholder))
      throw invalid(`a select of ${handler}: placeholder must be text`)
    return h("select", {placeholder}, ...options.map(option => button(fieldsOf(option).data, labelOf(option))))
  }
  return {kind: "action", name, id, button, select}
}

/** Returns an option's label; `button` rejects an invalid one. */
const labelOf = (option: unknown): string => fieldsOf(option).label as string

const kept = (handler: string, {data: schema}: ActionDefinition<TSchema>, data: unknown): string => {
  const text = data === undefined ? "null" : readJson(`the data of a button of ${handler}`, data, "content_invalid")
  if (text.length > longestKept)
    throw invalid(`the data of a button of ${handler} has ${text.length} characters as JSON, above ${longestKept}`)
  const wrong = misfitOf("data", schema, fromJson(text))
  if (wrong === undefined) return text
  throw invalid(`a button of ${handler} does not fit its schema: ${wrong}`)
}

const invalid = (why: string): Problem => new Problem("content_invalid", why)

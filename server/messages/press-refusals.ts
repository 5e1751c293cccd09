import type {SatoriEvent} from "../../shared/sdk/content/satori.ts"
import {type Permission, permissions} from "../../shared/sdk/session/permission.ts"
import {conversationOf, type InboxEvent} from "../inbox/intake/handling.ts"
import {refusals} from "../inbox/intake/presses.ts"
import {mayUse, type PermissionOf} from "./command/permissions.ts"
import type {HandlersById} from "./handler-kinds.ts"
import type {OnceAMinute} from "./session/once-a-minute.ts"
import type {Say} from "./texts/host-texts.ts"
import type {HostText} from "./texts/tables.ts"

/** The handler of a press whose user lacks this permission. */
const lacking = (permission: Permission) => `host/button/${permission}`

/** The reply to a press that does nothing, by the handler of the press. */
const sentences: Readonly<Record<string, readonly [HostText, {readonly permission: string}?]>> = {
  [refusals.gone]: ["press.gone"],
  [refusals.taken]: ["press.taken"],
  [refusals.others]: ["press.others"],
  [refusals.elsewhere]: ["press.elsewhere"],
  ...Object.fromEntries(permissions.map(permission => [lacking(permission), ["press.permission", {permission}]])),
}

export const isPressRefusal = (handler: string): boolean => Object.hasOwn(sentences, handler)

/** Returns the handler of a press: that of its action, or the Host's refusal of a user without its permission. */
export const presserOf = (
  {actions, permissionOf}: Pick<HandlersById, "actions"> & {readonly permissionOf: PermissionOf},
  endpoint: string,
  event: SatoriEvent,
  handler: string,
): string => {
  const needs = actions.get(handler)?.action.definition.permission
  return needs === undefined || mayUse(permissionOf(endpoint, event), needs) ? handler : lacking(needs)
}

/** Returns why a press does nothing; undefined if the user got that within a minute, or without a conversation. */
export const refusePress = (turns: OnceAMinute, handler: string, stored: InboxEvent, say: Say): string | undefined => {
  const at = conversationOf(stored)
  const sentence = sentences[handler]
  if (at === undefined || sentence === undefined) return undefined
  return turns.take(`${handler} ${at.endpoint}/${at.channel}/${stored.event.user?.id ?? ""}`)
    ? say(...sentence)
    : undefined
}

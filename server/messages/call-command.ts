import {permissions} from "../../shared/sdk/session/permission.ts"
import type {Reply, Session} from "../../shared/sdk/session/session.ts"
import {checkOptions} from "./arguments/options.ts"
import {type Command, parseCall} from "./command/command.ts"
import {misuseText} from "./command/help.ts"
import {mayUse} from "./command/permissions.ts"
import type {Router} from "./command/router.ts"
import {cooldownsOf} from "./limits/cooldowns.ts"
import type {Turns} from "./limits/limits.ts"
import {inEnglish, type Say} from "./texts/host-texts.ts"

export interface CommandCall {
  readonly router: Router
  readonly command: Command
  /** The text after the command's words. */
  readonly rest: string
  /** Returns how the message calls the bot. Called only when a reply needs it. */
  readonly prefix: () => string
  readonly session: Session
  readonly turns: Pick<Turns, "take">
  /** The texts in the language of the event; English when left out. */
  readonly say?: Say
}

/** Runs a command, or replies why it does not run: a missing permission, a misuse, a cooldown. */
export const callCommand = ({router, command, rest, prefix, session, turns, say = inEnglish}: CommandCall): Reply => {
  const name = () => `${prefix()}${command.path.join(" ")}`
  const {permission} = command.definition
  if (permission !== undefined && !mayUse(session.permission, permission)) {
    return say("call.permission", {call: name(), permission})
  }
  const parsed = parseCall(command, rest, say)
  if (parsed.is === "misused")
    return misuseText(router, command, parsed.why, {
      prefix: prefix(),
      permission: session.permission,
      say,
      language: session.language,
      rest,
    })
  const run = () => command.handle({...parsed, session})
  const cooldowns = cooldownsOf(command, session)
  if (cooldowns.length === 0) return run()
  return turns.take(cooldowns).then(turn => {
    if (turn.is === "free") return run()
    return turn.tell ? say("call.cooldown", {call: name(), seconds: turn.seconds}) : undefined
  })
}

const per = ["user", "channel", "everyone"]

/** Returns what is wrong with a handler's options, permission or cooldown: from JavaScript they may be anything. */
export const checkCallRules = ({options, permission, cooldown}: Command["definition"]): string | undefined => {
  const wrong = checkOptions(options)
  if (wrong !== undefined) return wrong
  if (permission !== undefined && !permissions.includes(permission)) {
    return `permission must be one of ${permissions.join(", ")}`
  }
  if (cooldown === undefined) return undefined
  if (!per.includes(cooldown.per)) return `cooldown.per must be one of ${per.join(", ")}`
  return Number.isFinite(cooldown.seconds) && cooldown.seconds > 0 ? undefined : "cooldown.seconds must be more than 0"
}

import {type Feature, refused} from "../../../shared/sdk/sdk.ts"
import {features} from "../satori/acts.ts"
import type {AccountSettings} from "./account.ts"

/** The built-in adapters for packages that the bridge refuses. */
const builtIns: Readonly<Record<string, string>> = {
  "@satorijs/adapter-discord": "discord",
  "@satorijs/adapter-telegram": "telegram",
}

/**
 * Throws a refusal for a package whose platform has a built-in adapter: alone, the package for Telegram drops pending
 * updates, and the one for Discord drops files.
 */
export const refuseBuiltIn = (name: string): void => {
  const adapter = Object.hasOwn(builtIns, name) ? builtIns[name] : undefined
  if (adapter === undefined) return
  throw refused(`svc has the adapter ${adapter} in place of ${name}`, {
    reason: "package",
    remediation: `Run svc adapter add ${adapter}, and move the account to plugins.${adapter}.`,
  })
}

const tested = "@satorijs/adapter-kook"

/** The optional features of the tested package, `@satorijs/adapter-kook` 4.8. */
const kook: readonly Feature[] = [
  "edit",
  "delete",
  "react",
  "unreact",
  "open",
  "buttons",
  "channel.create",
  "channel.list",
  "guild.list",
  "guild.member.list",
  "guild.member.role.set",
  "guild.member.role.unset",
  "guild.role.create",
  "guild.role.delete",
  "guild.role.update",
  "message.get",
  "reaction.list",
]

/** Features that the bridge itself provides for every adapter. */
const always: readonly Feature[] = ["upload", "download", "files"]

const optional = features.filter(feature => !always.includes(feature))

/**
 * Returns the features that an adapter lacks. An unknown adapter is assumed to have most; an act it lacks is refused
 * when it is tried.
 */
export const lacks = ({package: name, buttons}: AccountSettings): readonly Feature[] => {
  const has = name === tested ? kook : optional.filter(feature => feature !== "buttons")
  const shows = buttons ?? has.includes("buttons")
  return optional.filter(feature => (feature === "buttons" ? !shows : !has.includes(feature)))
}

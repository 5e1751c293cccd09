import type {Feature} from "../../../shared/sdk/sdk.ts"
import {features} from "../satori/acts.ts"
import type {AccountSettings} from "./account.ts"

/** The optional features of the tested adapters. */
const tested: Readonly<Record<string, readonly Feature[]>> = {
  "@satorijs/adapter-telegram": [
    "edit",
    "delete",
    "open",
    "buttons",
    "guild.get",
    "guild.member.get",
    "guild.member.kick",
    "guild.member.list",
    "guild.member.approve",
    "user.get",
  ],
  "@satorijs/adapter-discord": [
    "edit",
    "delete",
    "react",
    "unreact",
    "open",
    "history",
    "buttons",
    "channel.get",
    "channel.list",
    "guild.get",
    "guild.list",
    "guild.member.get",
    "guild.member.kick",
    "guild.member.list",
    "guild.member.role.list",
    "guild.member.role.set",
    "guild.member.role.unset",
    "guild.role.create",
    "guild.role.delete",
    "guild.role.list",
    "guild.role.update",
    "message.get",
    "reaction.clear",
    "reaction.list",
    "user.get",
  ],
}

/** Features that the bridge itself provides for every adapter. */
const always: readonly Feature[] = ["upload", "download", "files"]

const optional = features.filter(feature => !always.includes(feature))

/**
 * Returns the features that an adapter lacks. An unknown adapter is assumed to have most; an act it lacks is refused
 * when it is tried.
 */
export const lacks = ({package: name, buttons}: AccountSettings): readonly Feature[] => {
  const has = Object.hasOwn(tested, name) ? tested[name] : optional.filter(feature => feature !== "buttons")
  const shows = buttons ?? has?.includes("buttons") ?? false
  return optional.filter(feature => (feature === "buttons" ? !shows : !has?.includes(feature)))
}

/**
 * Returns the element that shows a file of any kind. Discord's adapter drops `file`, and reads `audio` as a voice
 * message.
 */
export const fileElementOf = (name: string): string | undefined =>
  name === "@satorijs/adapter-discord" ? "img" : undefined

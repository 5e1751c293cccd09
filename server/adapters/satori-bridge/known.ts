import type {Feature} from "../../../shared/sdk/sdk.ts"
import {features} from "../satori/acts.ts"
import type {AccountSettings} from "./account.ts"

/** What the adapters that are tested have of the features that not all have. */
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

/** What every adapter has by the bridge itself. */
const always: readonly Feature[] = ["upload", "download", "files"]

const optional = features.filter(feature => !always.includes(feature))

/** Of an adapter that is not known, an act that it does not have is refused when it is tried. */
export const lacks = ({package: name, buttons}: AccountSettings): readonly Feature[] => {
  const has = Object.hasOwn(tested, name) ? tested[name] : optional.filter(feature => feature !== "buttons")
  const shows = buttons ?? has?.includes("buttons") ?? false
  return optional.filter(feature => (feature === "buttons" ? !shows : !has?.includes(feature)))
}

/** The element that shows a file of any kind: the one for Discord drops `file`, and takes `audio` for a voice message. */
export const fileElementOf = (name: string): string | undefined =>
  name === "@satorijs/adapter-discord" ? "img" : undefined

import {openRoute} from "../messages/open-work.ts"
import {pluginWith} from "../plugins/plugin-sources.ts"
import type {KillPlatform} from "./platform.ts"

/** The bot's acts for texts, by number, on a platform with acts. */
export const acts = ["answer", "edit", "react", "delete"] as const

export type Act = (typeof acts)[number]

/** Texts end in their number. */
export const actFor = ({takesActs}: KillPlatform, text: string): Act =>
  (takesActs ? acts[Number(text.split(" ").at(-1)) % acts.length] : undefined) ?? "answer"

/**
 * Answers each text with `to <text>`. On a platform with acts, of four texts in a row it answers one with a draft that
 * it edits, also reacts to a second, and sends and deletes another message before it answers a third.
 */
const answerPlugin = pluginWith(`
    plugin.on("message-created", {name: "answer"}, async session => {
      const {text, endpoint} = session
      const isPlain = /^(email|irc)~/.test(endpoint)
      const act = isPlain ? "answer" : ${JSON.stringify(acts)}[Number(text.split(" ").at(-1)) % ${acts.length}]
      if (act === "edit") return void (await session.edit(await session.reply("draft " + text), "to " + text))
      if (act === "react") await session.react("👍")
      if (act === "delete") await session.delete(await session.send("gone " + text))
      if (endpoint.startsWith("irc~")) await session.send("to " + text)
      else await session.reply("to " + text)
    })
    ${openRoute}`)

/** The project of a Host with one endpoint on each platform. */
export const projectFor = (platforms: readonly KillPlatform[]) => {
  const endpoints = platforms.map(({name, account}) => [name, {endpoints: [{id: "one", ...account}]}] as const)
  const config = {
    log_level: "warn",
    http: {port: 0, token: "${HTTP_TOKEN}"},
    plugins: {answer: {}, ...Object.fromEntries(endpoints)},
  }
  return {
    config: JSON.stringify(config),
    plugins: {answer: answerPlugin},
    env: Object.assign({HTTP_TOKEN: "full-token-of-the-test"}, ...platforms.map(({env}) => env ?? {})),
  }
}

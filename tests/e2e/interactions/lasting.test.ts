import {expect, test} from "vitest"
import {type Bot, plugin as testing} from "../../../server/testing/testing.ts"
import {definePlugin, Type} from "../../../shared/sdk/sdk.ts"

/** A menu whose buttons last and update its message, and commands about quoted messages and the guild. */
const menu = definePlugin({
  setup(plugin) {
    const choose = plugin.action("choose", {data: Type.String(), expires: "never"}, async ({data, session}) => {
      await session.update([`${session.user?.id} is ${data}.`, ...buttons()])
    })
    const close = plugin.action("close", {expires: "never"}, ({session}) => session.update("Closed.").then(() => {}))
    const buttons = () => [choose.button("red", "Red"), choose.button("blue", "Blue"), close.button(undefined, "Close")]
    plugin.command("menu", () => ["Choose.", ...buttons()])
    plugin.command("quoted", async ({session}) => {
      const {text, outbox, user} = (await session.quoted()) ?? {}
      if (outbox !== undefined) await session.edit(outbox, "Edited.")
      return `${text} of ${user?.id} in ${session.guild?.name}`
    })
    plugin.command("clean", {permission: "trusted"}, () => "Cleaned.")
  },
})

const ask = async ({url, token}: Pick<Bot, "url" | "token">, path: string) =>
  (await fetch(`${url}${path}`, {headers: {authorization: `Bearer ${token}`}})).json()

test("a menu works after a year and updates its message, until it is updated without its buttons", () =>
  testing.test(menu, async bot => {
    const lasting = async (more = "") => {
      const {items} = await ask(bot, `/api/outbox?lasting=true${more}`)
      return items.map(({kind, text}: Record<string, string>) => `${kind}: ${text}`)
    }
    const buttons = "[1] Red  [2] Blue  [3] Close"
    expect(await bot.say("/menu")).toEqual([`Choose.\n${buttons}`])
    await bot.clock.advance({days: 365})
    expect(await bot.press("Red", {user: "ann"})).toEqual([`ann is red.\n${buttons}`])
    expect(await bot.press("Blue", {user: "bob"})).toEqual([`bob is blue.\n${buttons}`])
    expect(await lasting("&state=dead")).toEqual([])
    expect(await lasting()).toEqual(["edit: bob is blue.\n1. Red\n2. Blue\n3. Close"])
    expect(await bot.press("Close")).toEqual(["Closed."])
    expect(await lasting("&state=sent")).toEqual([])
    await expect(bot.press("Red")).rejects.toThrow(/has the button Red/)
  }))

test("a handler reads the quoted message, and edits it if it is the bot's own", () =>
  testing.test(menu, async bot => {
    await bot.say("/menu", {group: true})
    await bot.say("red please", {group: true})
    const [, own = "", theirs = ""] = (await bot.messages()).map(({id}) => id)
    expect(await bot.say("/quoted", {group: true, quote: theirs})).toEqual(["red please of tester in Sandbox"])
    expect(await bot.say("/quoted", {group: true, quote: own})).toEqual(["Choose.RedBlueClose of bot in Sandbox"])
    expect((await bot.messages()).find(({id}) => id === own)?.text).toBe("Edited.")
  }))

test("a role of the platform gives its permission in a shared channel, and no name does", () =>
  testing.test(
    menu,
    {project: {permissions: [{endpoint: "sandbox", role: "mods", permission: "trusted"}]}},
    async bot => {
      const clean = async (more: object) => (await bot.say("/clean", more)).join()
      const refused = await clean({user: "mods", group: true})
      expect(refused).toContain("trusted")
      expect(await clean({roles: ["mods"]})).toBe(refused)
      expect(await clean({roles: ["other", "mods"], group: true})).toBe("Cleaned.")
      const asked = "/api/permissions/user?endpoint=sandbox&user=ann&channel=c&role=mods"
      expect(await ask(bot, asked)).toMatchObject({permission: "trusted", rule: {role: "mods"}})
    },
  ))

import {expect, onTestFinished, test} from "vitest"
import {startBot} from "../../../server/testing/testing.ts"
import {definePlugin} from "../../../shared/sdk/sdk.ts"
import {Secret} from "../../../shared/secret.ts"

const dev = {endpoint: "sandbox", channel: "dev"}
const verify = {by: "bearer", secret: new Secret("hunter22-of-the-forge")} as const

const declaring = (...names: readonly string[]) => ({
  plugin: definePlugin({
    setup(plugin) {
      for (const name of names) {
        plugin.webhook(name, {verify, id: "body"}, ({session}) => session.send(dev, name))
        plugin.job(name, async () => void (await plugin.send(dev, name)))
      }
    },
  }),
})

test("a webhook or a job that one of several plugins declares needs no name of the plugin, one of two does", async () => {
  const bot = await startBot({plugins: {one: declaring("both", "github"), other: declaring("both")}})
  onTestFinished(() => bot.close())
  const sent = [{...dev, text: "github"}]
  expect([await bot.webhook("github", {}), await bot.fire("github")]).toEqual([sent, sent])
  for (const call of [bot.webhook("both", {}), bot.fire("both")])
    await expect(call).rejects.toThrow('{plugin: "one"} or {plugin: "other"}')
  expect(await bot.webhook("both", {}, {plugin: "other"})).toHaveLength(1)
})

test("a failed setup names the plugin under test, and no position", async () => {
  const message = expect.stringMatching(/notifier.*no name[^:]*:[^:]*$/)
  await expect(startBot({plugins: {notifier: declaring("no name")}})).rejects.toMatchObject({message, issues: []})
})

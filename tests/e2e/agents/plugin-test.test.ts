import {describe, expect, test} from "vitest"
import {startScriptedModel} from "../../support/agents/scripted-model.ts"
import {bunOr, makeProject, runProcess} from "../../support/host/host.ts"

/** A plugin author's test: a tool, an agent with a scripted model, and timers that the agent sets. */
const script = (url: string) => `
import {definePlugin, Type} from "svc-runtime"
import {plugin} from "svc-runtime/test"

const shop = definePlugin({
  setup(plugin) {
    plugin.tool("order", {
      description: "Orders something", parameters: Type.Object({what: Type.String()}), effect: "transaction", permission: "trusted",
    }, async call => {
      await call.send({endpoint: "sandbox", channel: "kitchen"}, call.user.id + " wants " + call.args.what)
      return "ordered"
    })
  },
})

const agents = {helper: {
  provider: "openai-compatible", model: "any", baseURL: ${JSON.stringify(url)}, instructions: "You help.",
  tools: {"shop.order": {}, timer: {}}, triggers: {direct: true}, permission: "admin",
}}
const seen = {}
const texts = async channel => (await bot_.messages(channel)).filter(each => each.from !== "user").map(each => each.text)
let bot_
await plugin.test(shop, {name: "shop", project: {agents}, users: {ada: "trusted"}, now: "2026-05-01T09:00:00Z"}, async bot => {
  bot_ = bot
  await bot.say("order tea", {user: "ada", channel: "with-ada"})
  seen.ordered = [await texts("with-ada"), await texts("kitchen")]
  await bot.say("later order cake", {user: "ada", channel: "with-ada"})
  await bot.say("later order gold", {user: "eve", channel: "with-eve"})
  seen.waiting = [await texts("with-eve"), await texts("kitchen")]
  await bot.clock.advance({minutes: 5})
  seen.later = [await texts("with-ada"), await texts("with-eve"), await texts("kitchen")]
})
console.log(JSON.stringify(seen))
process.exit(0)
`

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a plugin author's test runs a tool through an agent, and its timers keep the user's permission", async () => {
    const model = await startScriptedModel(({last, results}) => {
      const [, later, what] = /^(later )?order (\w+)$/.exec(last.text) ?? []
      if (results > 0) return {text: `told ${last.text}`}
      if (later !== undefined) return {calls: [{name: "timer", args: {in_minutes: 5, note: `order ${what}`}}]}
      return {calls: [{name: "shop.order", args: {what}}]}
    })
    const project = makeProject({files: {"shop.test.mjs": script(model.url)}})
    const [binary = ""] = runtime.command
    const {stdout, stderr} = await runProcess([binary, project.path("shop.test.mjs")], {cwd: project.folder})
    const timer = "told You will be woken at 2026-05-01T09:05:00.000Z."
    expect({stderr, seen: JSON.parse(stdout || "{}")}).toEqual({
      stderr: "",
      seen: {
        ordered: [["told ordered"], ["ada wants tea"]],
        waiting: [[timer], ["ada wants tea"]],
        later: [
          ["told ordered", timer, "told ordered"],
          [timer, expect.stringMatching(/\bpermission trusted\b/)],
          ["ada wants tea", "ada wants cake"],
        ],
      },
    })
  })
})

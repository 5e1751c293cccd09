import {expect, test} from "vitest"
import {bunAnd, makeProject, runProcess} from "../../support/host/host.ts"

const used = `
import {definePlugin} from "svc-runtime"
import {startBot} from "svc-runtime/test"
import {startDiscord, startSlack, startTelegram} from "svc-runtime/test/platforms"

const date = Math.floor(Date.now() / 1000)
const chat = {id: 42, type: "private", first_name: "Ann"}
const platforms = {
  telegram: {
    start: startTelegram,
    event: {edited_message: {message_id: 1, date, edit_date: date, chat, from: {...chat, is_bot: false}, text: "other"}},
    method: "sendMessage",
    refusal: {status: 403, body: {description: "Forbidden: BLOCKED"}},
  },
  discord: {
    start: startDiscord,
    event: {t: "MESSAGE_DELETE", d: {id: "1", channel_id: "42"}},
    method: "POST /channels/42/messages",
    refusal: {status: 403, body: {code: 50013, message: "MISSING"}},
  },
  slack: {
    start: startSlack,
    event: {type: "reaction_added", user: "U0ANN", reaction: "eyes", item: {type: "message", channel: "C0ROOM", ts: "1.1"}},
    method: "chat.postMessage",
    refusal: {status: 200, body: {ok: false, error: "is_archived"}},
  },
}

const results = {}
for (const [name, {start, event, method, refusal}] of Object.entries(platforms)) {
  const heard = []
  const echo = definePlugin({
    setup(plugin) {
      plugin.command("echo <text:text>", ({args}) => args.text)
      for (const type of ["message-updated", "message-deleted", "reaction-added"])
        plugin.on(type, session => void heard.push(session.event.type))
    },
  })
  const platform = await start()
  const bot = await startBot({plugins: {echo: {plugin: echo}, [name]: {endpoints: [platform.account]}}})
  try {
    for (const text of ["one", "two", "three"]) {
      await platform.say("/echo " + text)
      await bot.settle()
    }
    await platform.deliver(event)
    await bot.settle()
    platform.refuseNext(method, refusal)
    await platform.say("/echo four")
    const refused = await bot.settle().then(() => "none", error => error.message)
    await bot.settle()
    const asked = platform.requests.filter(request => request.method === method).map(({body}) => body.text ?? body.content)
    results[name] = {sent: platform.sent().map(({text}) => text), heard, asked, refused}
  } finally {
    await bot.close()
    await platform.close()
  }
}
console.log(JSON.stringify(results))
`

test.each(bunAnd("node24"))(
  "a plugin is tested at the protocol fakes of Telegram, Discord and Slack, on $name",
  async ({command}) => {
    const project = makeProject({files: {"try.mjs": used}})
    const ran = await runProcess([command[0] ?? "", "try.mjs"], {cwd: project.folder})
    expect({code: ran.code, stderr: ran.stderr}).toEqual({code: 0, stderr: ""})
    const sent = ["one", "two", "three"]
    const at = (heard: string, refused: string) => ({
      sent,
      heard: [heard],
      asked: [...sent, "four"],
      refused: expect.stringContaining(refused),
    })
    expect(JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "")).toEqual({
      telegram: at("message-updated", "BLOCKED"),
      discord: at("message-deleted", "MISSING"),
      slack: at("reaction-added", "is_archived"),
    })
  },
)

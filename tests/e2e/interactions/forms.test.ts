import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {startHost, type TestHost} from "../../support/host/host.ts"
import {eventOf} from "../../support/host/inbox-event.ts"
import {until} from "../../support/host/process.ts"
import {bunAnd} from "../../support/host/runtimes.ts"
import {faultRun} from "../../support/machine/fault-run.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"
import {line, saying, sentTo, tell} from "./line-plugin.ts"

const {rounds: kills} = faultRun("form-kills")

const config = "http: {port: 0}\nlanguages: {offer: [en, de]}\nplugins:\n  sandbox: {}\n  line: {}\n  club: {}\n"

/** Signs up whoever says "join", or presses what "offer" sends. */
const club = pluginWith(`
    plugin.database.migrate([{
      name: "members",
      up: table => ["CREATE TABLE " + table("members") + " (user TEXT NOT NULL, form TEXT NOT NULL)"],
      irreversible: "the members are gone",
    }])
    const members = plugin.database.table("members")
    const form = plugin.form(
      "signup",
      {
        fields: Type.Object({
          name: Type.String({title: "Your name?"}),
          age: Type.Integer({title: "Your age?", minimum: 18}),
          news: Type.Optional(Type.Boolean({title: "News?"})),
        }),
        labels: {news: plugin.texts({en: {news: "News?"}, de: {news: "Neues?"}}).of("news")},
        data: Type.Object({course: Type.String()}),
        who: "asked",
      },
      async ({values, data, session}) => {
        const form = JSON.stringify({...values, ...data})
        await session.database.write([{sql: "INSERT INTO " + members + " (user, form) VALUES (?, ?)", args: [session.user.id, form]}])
        return "Welcome, " + values.name + "."
      },
    )
    plugin.on("message-created", async session => {
      if (session.text === "join") await session.form(form, "Join us.", {course: "art"})
      else if (session.text === "offer") return ["Join us.", form.button({course: "law"}, "Sign up")]
      else if (session.text === "lost") await session.form("lost", "")
      else if (session.text === "bad") await session.form("signup", "", {course: 1})
    })
    plugin.route({
      method: "GET", path: "/members", scope: "full", summary: "Members",
      handle: async () => Response.json({items: (await plugin.database.read("SELECT user, form FROM " + members + " ORDER BY user")).map(row => row.user + " " + row.form)}),
    })`)

const membersOf = async (host: TestHost) => (await host.get<{items: string[]}>("/api/plugins/club/members")).items

const art = '{"name":"Ann","age":20,"news":true,"course":"art"}'

describe.each(bunAnd("node22"))("a form on $name", runtime => {
  test("is asked one field after another, in the language of the user, across a restart", async () => {
    let host = await startHost({runtime, config, plugins: {line, club}})
    const say = (text: string, more: object = {}) => tell(host, "line", "ann", {...saying(text), ...more})
    expect(await say("join")).toEqual(["Join us.\nYour name?"])
    expect(await say("Ann")).toEqual(["Your age?"])
    expect(await say("many")).toEqual(['The answer must be a whole number, not "many".\nYour age?'])
    expect(await say("17")).toEqual(["The answer must be at least 18.\nYour age?"])
    // Who has not been asked answers nothing.
    expect(await tell(host, "line", "bob", saying("20"))).toEqual([])
    await host.stop()
    host = await startHost({runtime, project: host.project})
    const german = {user: {id: "ann", locale: "de"}}
    expect(await say("20", german)).toEqual(["Neues? (ja oder nein)\nAntworte „überspringen“, um es auszulassen."])
    expect(await say("ja", german)).toEqual(["Welcome, Ann."])
    expect(await membersOf(host)).toEqual([`ann ${art}`])
    expect(await say("join")).toEqual(["Join us.\nYour name?"])
    expect(await say("cancel")).toEqual(["Cancelled."])
    expect(await say("Ann")).toEqual([])
    const failed = async (text: string) =>
      (await eventOf(host, (await host.post<{sn: number}>("/api/plugins/sandbox/messages", {text})).sn)).marks
        .map(({error}) => error)
        .join()
    expect(await failed("lost")).toBe('the plugin declares no form "lost"')
    expect(await failed("bad")).toMatch(/what root\/club\/prompt\/signup keeps does not fit its schema: course/)
    await host.stop()
  })

  test("begins with the press of its button, or with its number in a list", async () => {
    const host = await startHost({runtime, config, plugins: {line, club}})
    await tell(host, "shows", "ann", saying("offer"))
    const button = (await sentTo(host, "shows")).at(-1)?.content[1]
    expect(button).toMatchObject({type: "button", children: ["Sign up"]})
    const id = typeof button === "object" ? button.attrs.id : undefined
    const press = {type: "interaction/button", button: {id}}
    expect(await tell(host, "shows", "bob", press)).toEqual(["This button is for somebody else."])
    expect(await tell(host, "shows", "ann", press)).toEqual(["Your name?"])
    await tell(host, "shows", "ann", saying("Ann"))
    await tell(host, "shows", "ann", saying("20"))
    expect(await tell(host, "shows", "ann", saying("skip"))).toEqual(["Welcome, Ann."])
    await tell(host, "line", "eve", saying("offer"))
    expect(await tell(host, "line", "eve", saying("1"))).toEqual(["Your name?"])
    await tell(host, "line", "eve", saying("Eve"))
    // A number is the answer to the question, not to the list.
    expect(await tell(host, "line", "eve", saying("1"))).toEqual(["The answer must be at least 18.\nYour age?"])
    await tell(host, "line", "eve", saying("21"))
    await tell(host, "line", "eve", saying("no"))
    expect(await membersOf(host)).toEqual([
      'ann {"name":"Ann","age":20,"course":"law"}',
      'eve {"name":"Eve","age":21,"news":false,"course":"law"}',
    ])
    await host.stop()
  })

  test(`is done once each, though the Host is killed ${kills} times`, async () => {
    const steps = ["join", "Ann", "20", "yes"]
    const users = ["a", "b", "c"]
    let host = await startHost({runtime, config, plugins: {line, club}})
    const answer = (of: TestHost, kill: number, step: number) =>
      Promise.all(
        users.map(user =>
          of.post("/api/plugins/line/line", {
            id: `${kill} ${step} ${user}`,
            type: "message-created",
            channel: {id: `with-${user}`, type: 1},
            user: {id: `${user}${kill}`},
            message: {id: `${kill} ${step} ${user}`, content: steps[step]},
          }),
        ),
      )
    const settled = () =>
      until("all handlers to end", async () => {
        const open = await Promise.all(
          ["pending", "running"].map(state => host.get<{items: unknown[]}>(`/api/inbox?limit=1&state=${state}`)),
        )
        return open.every(({items}) => items.length === 0)
      })
    for (let kill = 0; kill < kills; kill++) {
      for (const step of steps.keys()) {
        const before = host
        if (step === kill % steps.length) {
          const answering = answer(before, kill, step).catch(() => {})
          await sleep((kill * 7) % 50)
          await host.stop("SIGKILL")
          await answering
          host = await startHost({runtime, project: host.project})
        }
        // A platform that got no answer delivers the message again.
        await answer(host, kill, step)
        await settled()
      }
    }
    const expected = users.flatMap(user => Array.from({length: kills}, (_, kill) => `${user}${kill} ${art}`)).sort()
    expect((await membersOf(host)).sort()).toEqual(expected)
    await host.stop()
  })
})
